"""The tables, as numbered migrations. A migration that was released is never changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .storage import SchemaError

# {serial}, {real}, {blob}: what the databases spell differently. The log of an experiment lies
# together, in its order, so appending touches its last page only; a caller's id costs one more
# page. `one_outcome` is why no reward can ever be counted twice, nor race its deadline.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE experiments (
            number {serial}, name TEXT NOT NULL UNIQUE, definition TEXT NOT NULL,
            at {real} NOT NULL)""",
        """CREATE TABLE log (
            experiment BIGINT NOT NULL, seq BIGINT NOT NULL, kind SMALLINT NOT NULL,
            at {real} NOT NULL, id TEXT, arm INTEGER, t BIGINT, number BIGINT, of BIGINT,
            value {real}, text TEXT, PRIMARY KEY (experiment, seq)){clustered}""",
        "CREATE UNIQUE INDEX one_decision ON log (id, experiment) WHERE id IS NOT NULL",
        "CREATE UNIQUE INDEX one_outcome ON log (experiment, of) WHERE of IS NOT NULL",
        """CREATE TABLE snapshots (
            experiment BIGINT PRIMARY KEY, seq BIGINT NOT NULL, state {blob} NOT NULL)""",
        """CREATE TABLE keys (
            number {serial}, role TEXT NOT NULL, experiment TEXT, hash TEXT NOT NULL,
            created {real} NOT NULL, revoked {real})""",
        "CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT NOT NULL)",
        "INSERT INTO counters VALUES ('keys', 0)",
    ),
    # From here on there is evidence, and `log.text` of a decision is its context: a program for
    # version 1 would not understand it. The number is written to see whether anything can be.
    ("INSERT INTO counters VALUES ('writes', 0)",),
)
NEWEST = len(MIGRATIONS)


def migrate(version: int, run: Callable[[str], Any], spelled: dict[str, str], where: str) -> bool:
    """Bring tables of this version (0: none yet) up to the newest; True if anything changed."""
    if version > NEWEST:
        raise SchemaError(
            f"service: {where} has tables of version {version}, newer than {NEWEST}, the newest "
            f"known here. Use a newer rbmle."
        )
    for statements in MIGRATIONS[version:]:
        for each in statements:
            run(each.format(**spelled))
    return version < NEWEST
