"""The folder of the recomputed paper, from which its report is made.

    paper.json              which run holds each table
    runs/TABLE-DIGEST/      the run folder of a table, with its times.json
    scaling.json            time per decision against the number of arms
    theory/                 the runs that demonstrate the theory, see `demonstration`

scaling.json, theory/ and the times are made only when all tables are asked for.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .._io.files import write_atomically
from .._io.machine import log
from ..errors import RbmleError, RunError, one_of
from ..result import Result
from ..studies.runner import load, run
from ..studies.schedule import Progress
from ..studies.store import Store
from ..studies.study_result import keep_times, kept_times
from .demonstration import Demonstration, store_demonstration, stored_demonstration
from .published import tables
from .reproduction import ComparedRow, compare_with_print, table_named, table_study
from .scaling import Scaling, measure

FILE = "paper.json"
_FORMAT, _VERSION = "rbmle-paper", 1


class Recomputed(NamedTuple):
    """What a folder holds: results, comparisons with print and times of the tables, and the rest.

    results, times: by table. rows: every recomputed number beside the printed one.
    """

    results: dict[str, Result]
    rows: list[ComparedRow]
    times: dict[str, dict[str, Any]]
    scaling: list[Scaling]
    demonstration: Demonstration | None
    provenance: dict[str, list[object]]


def reproduce(
    names: Sequence[str] = (),
    folder: str | os.PathLike[str] = "rbmle-paper",
    policies: Sequence[str] = (),
    replications: int | None = None,
    monte_carlo: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    show: Callable[[str, list[ComparedRow]], None] | None = None,
) -> list[ComparedRow]:
    """Recompute tables into the folder and compare each number with print.

    names: tables, or figures as in "1a". By default all of them; then decisions are also timed and
    the theory is demonstrated.
    policies: by the tables' names, all by default.
    replications: by default as many as the table has.
    monte_carlo: integrate IDS and VIDS by the tables' 10,000 samples a round, which takes hours.
    progress: as in `run`.
    show: called with each table and its rows as soon as they are computed.
    """
    target = Path(folder)
    chosen = [table_named(each) for each in names] or list(tables()["regret"])
    wanted = {table: _fitting(table, policies) for table in chosen}
    studies = {table: table_study(table, replications, monte_carlo) for table in chosen}
    places = {
        table: target / "runs" / f"{table}-{study.digest[:8]}" for table, study in studies.items()
    }
    rows: list[ComparedRow] = []
    for table, study in studies.items():
        found = run(study, places[table], threads, progress, only=wanted[table])
        _note_run(target, table, places[table].name)
        compared = compare_with_print(table, found.result)
        rows += compared
        if show is not None:
            show(table, compared)
    if not (names or policies):
        for table, study in studies.items():
            keep_times(study, places[table], live=False)
        if not (target / "scaling.json").exists():
            data = [each.data() for each in measure()]
            write_atomically(target / "scaling.json", json.dumps(data, indent=1).encode())
        store_demonstration(target / "theory", threads)
    return rows


def is_paper(folder: str | os.PathLike[str]) -> bool:
    """Whether the folder is one that `reproduce` wrote."""
    return (Path(folder) / FILE).exists()


def load_paper(folder: str | os.PathLike[str]) -> Recomputed:
    """All that is in the folder: of each table the finished policies of the latest run with the
    most replications."""
    target = Path(folder)
    results: dict[str, Result] = {}
    rows: list[ComparedRow] = []
    times: dict[str, dict[str, Any]] = {}
    invocations: list[object] = []
    for table, name in _stored_runs(target).items():
        found = load(target / "runs" / name, finished=True)
        if found.results:
            results[table] = found.result
            rows += compare_with_print(table, found.result)
            times[table] = kept_times(found.study, target / "runs" / name).get(table, {})
            invocations += found.provenance["invocations"]
    scaling, theory = _scaling(target / "scaling.json"), stored_demonstration(target / "theory")
    return Recomputed(results, rows, times, scaling, theory, {"invocations": invocations})


def _fitting(table: str, asked: Sequence[str]) -> list[str]:
    """The policies asked for that the table has. A name that no table has is refused."""
    columns = list(tables()["regret"][table]["policies"])
    known = {each for entry in tables()["regret"].values() for each in entry["policies"]}
    fitting = [each for each in asked if each in columns]
    for each in asked:
        if each not in known or not fitting:
            one_of("reproduce", "policies", each, columns)
    return fitting or columns


def _note_run(folder: Path, table: str, name: str) -> None:
    """Note which run holds the table; one with more replications stays, and that is said."""
    known = _stored_runs(folder) if is_paper(folder) else {}
    larger = _replications(folder, known.get(table)) if known.get(table) != name else 0
    if larger > _replications(folder, name):
        log.info("the report keeps the run of %s with %s replications", table, f"{larger:,}")
        return
    known[table] = name
    ordered = {each: known[each] for each in tables()["regret"] if each in known}
    data = {"format": _FORMAT, "version": _VERSION, "tables": ordered}
    write_atomically(folder / FILE, json.dumps(data, indent=1).encode())


def _replications(folder: Path, name: str | None) -> int:
    """How many replications a run has; 0 if it is not there."""
    try:
        return 0 if name is None else Store.of_run(folder / "runs" / name).study.replications
    except RbmleError:
        return 0


def _stored_runs(folder: Path) -> dict[str, str]:
    path = folder / FILE
    try:
        data = json.loads(path.read_text("utf-8"))
        found: dict[str, str] = data["tables"]
        if data["format"] == _FORMAT and set(found) <= set(tables()["regret"]):
            return found
    except OSError as problem:
        raise RunError(f"{path}: cannot be read ({problem.strerror or problem}).") from None
    except (ValueError, KeyError, TypeError):
        pass
    raise RunError(f"{path}: does not say which run holds which table.")


def _scaling(path: Path) -> list[Scaling]:
    try:
        return [Scaling.of_data(each) for each in json.loads(path.read_text("utf-8"))]
    except (OSError, ValueError, KeyError, TypeError):
        return []
