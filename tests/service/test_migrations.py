"""A database of an older version is brought up to date when it is opened, and nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from evidence_cases import interpret
from service_cases import clean, create, decide, fresh_postgres, one, reward

from rbmle.service import cache as cache_module
from rbmle.service import postgres as postgres_module
from rbmle.service import schema, sqlite
from rbmle.service.keys import create_key, list_keys
from rbmle.service.ledger import Ledger
from rbmle.service.storage import open_storage

# The columns that the tables of version 1 had.
TABLES = {
    "experiments": "name, definition, at",  # they got their numbers in their order
    "log": "experiment, seq, kind, at, id, arm, t, number, of, value, text",
    "snapshots": "experiment, seq, state",
    "keys": "role, experiment, hash, created, revoked",
    "counters": "name, value",
}


@pytest.fixture
def another(url: str, tmp_path: Path) -> Iterator[str]:
    """The address of a second empty database, of the same kind as `url`."""
    with ExitStack() as stack:
        if url.startswith("sqlite"):
            yield f"sqlite:///{tmp_path}/old.db"
        else:
            yield stack.enter_context(fresh_postgres())


def old_copy(new: Any, address: str) -> None:
    """Write the content of a database into one with the tables of version 1."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        for module in (schema, sqlite, postgres_module):
            patch.setattr(module, "NEWEST", 1)
        old: Any = open_storage(address)
    for table, columns in TABLES.items():
        with new.reading():
            order = "1, 2" if table in ("log", "counters") else "1"
            if table in ("experiments", "keys"):
                order = "number"
            rows = new._ask(f"SELECT {columns} FROM {table} ORDER BY {order}")
        with old.writing():
            old._do("DELETE FROM counters")
            for row in rows:
                values = ", ".join("?" * len(row))
                if row[0] != "writes":
                    old._do(f"INSERT INTO {table} ({columns}) VALUES ({values})", row)
    old.close()


def version_of(storage: Any) -> int:
    kind = isinstance(storage, sqlite.SqliteStorage)
    asked = "PRAGMA user_version" if kind else "SELECT version FROM rbmle_schema"
    with storage.reading():
        return int(storage._ask(asked)[0][0])


@pytest.mark.slow
def test_tables_of_version_1(url: str, another: str, monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch)
    monkeypatch.setattr(cache_module, "ROWS_A_SNAPSHOT", 8)
    opened: Any = open_storage(url)
    new = Ledger(opened)
    new.run([create("x"), create("y", reward_wait_s=1e6)])
    for n in range(12):
        new.run([decide("x", f"v{n}"), decide("y", f"v{n}")])
        if n % 3:
            new.run([reward(f"v{n}", n % 2, "x"), reward(f"v{n}", 1.0, "y")])
    create_key(opened, "admin")
    old_copy(opened, another)
    migrated: Any = open_storage(another)
    assert version_of(migrated) == schema.NEWEST == 2
    assert len(list_keys(migrated)) == 1
    assert list_keys(migrated) == list_keys(opened)
    assert clean(migrated)
    for storage in (migrated, opened):  # without keys anyone may ask
        with storage.writing():
            storage._do("DELETE FROM keys")
    new, after = Ledger(opened), Ledger(migrated)
    for n in range(20):  # the decisions of before, and those that follow
        for name in "xy":
            assert one(after, decide(name, f"v{n}")) == one(new, decide(name, f"v{n}"))
    linear = {"name": "Linear", "dimension": 1}
    created = create("z", family="gaussian", evidence=linear)
    asked = decide("z", "v", {name: [1.0] for name in "abc"})
    assert [each.status for each in after.run([created, asked])] == [201, 200]
    after.try_to_write()
    assert clean(migrated)
    again = open_storage(another)
    assert version_of(again) == 2
    for storage in (again, migrated, opened):
        storage.close()
