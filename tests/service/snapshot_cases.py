"""Workers of experiments in snapshot mode, for tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from service_cases import create, decide, reward

from rbmle.service.ledger import Ledger
from rbmle.service.rows import Kind, Row
from rbmle.service.storage import Storage
from rbmle.service.transaction import Keyed

Open = Callable[[], Storage]


def carry_out(ledger: Ledger, *requests: Keyed, meanwhile: Callable[[], object] = int) -> Any:
    """The answers, by the short way where it can be, as a worker does; and how many went there.

    meanwhile: what happens after the decisions were made, before the lock is taken.
    """
    append, storage = ledger.storage.append_next, ledger.storage

    def later(*given: Any) -> bool:
        meanwhile()
        return append(*given)

    storage.append_next = later  # type: ignore[method-assign]
    ahead = ledger.run_ahead(requests)
    storage.append_next = append  # type: ignore[method-assign]
    rest = [each for each, told in zip(requests, ahead, strict=True) if told is None]
    slow = iter(ledger.run(rest))
    answers = [told or next(slow) for told in ahead]
    return answers, len(requests) - len(rest)


def rows_of(storage: Storage, kind: Kind = Kind.DECISION) -> list[Row]:
    with storage.reading():
        return [row for row in storage.rows(1, 0) if row.kind == kind]


def start(opened: Open, **changes: Any) -> tuple[Ledger, Ledger]:
    """Two workers of an experiment in snapshot mode, with some rewards."""
    ours, theirs = Ledger(opened()), Ledger(opened())
    ours.run([create(**{"consistency": "snapshot", "policy": "ts"} | changes)])
    for number in range(30):
        carry_out(ours, decide(id=f"old-{number}"))
        carry_out(ours, reward(f"old-{number}", float(number % 3 == 0)))
    theirs.refresh()
    return ours, theirs
