"""`repair`: what can be done about an experiment whose log or snapshot is wrong.

Nothing is done unless it is asked for by name: a snapshot can be computed again, but rows that are
removed are gone.
"""

from __future__ import annotations

from typing import NamedTuple

from ..errors import ParameterError
from .archive import the_experiment
from .storage import Storage, Stored
from .verify import finding


class Advice(NamedTuple):
    """What is wrong with an experiment, what can be done, and the first row that is wrong; None if
    only its snapshot is."""

    experiment: str
    wrong: str
    advice: str
    row: int | None


def advise(storage: Storage, name: str | None = None) -> list[Advice]:
    """Verify all experiments, or this one, and say what can be done about those that are wrong."""
    with storage.reading():
        if name is None:
            everyone = storage.experiments()
        else:
            everyone = [the_experiment(storage, "repair", name)]
        return [advice for each in everyone if (advice := _advice(storage, each)) is not None]


def _advice(storage: Storage, stored: Stored) -> Advice | None:
    found = finding(storage, stored)
    if not found.wrong:
        return None
    bare = finding(storage, stored, with_snapshot=False)
    if not bare.wrong:
        done = "All rows agree; only the snapshot is wrong. --drop-snapshot removes it, and the "
        return Advice(stored.name, found.wrong, done + "service computes it again.", None)
    row = bare.rows + 1
    if row <= 2:
        done = "Restore a backup, or delete the experiment ('rbmle service delete')."
    else:
        done = (
            f"Restore a backup; or remove row {row} and all after it, for good: --truncate {row}. "
            f"The {bare.rows} rows before it agree."
        )
    return Advice(stored.name, bare.wrong, done, row)


def drop_snapshot(storage: Storage, name: str) -> None:
    """Remove the snapshot, whether it is wrong or not: it is computed again."""
    with storage.writing():
        number = the_experiment(storage, "repair", name).number
        storage.lock([number])
        storage.drop_snapshot(number)
        storage.note_repair(number)


def truncate(storage: Storage, name: str, row: int) -> int:
    """Remove the first wrong row and all after it; returns how many. Good rows are never removed:
    `row` must be the one that `advise` names."""
    advice = next(iter(advise(storage, name)), None)
    wrong = None if advice is None else advice.row
    if wrong is None or wrong != row or row <= 2:
        first = "" if wrong is None else f", {wrong}"
        raise ParameterError("repair", "--truncate", f"the first row that is wrong{first}", row)
    with storage.writing():
        number = the_experiment(storage, "repair", name).number
        storage.lock([number])
        removed = storage.remove_rows(number, row)
        storage.drop_snapshot(number)
        storage.note_repair(number)
    return removed
