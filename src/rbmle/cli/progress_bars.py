"""The progress of a run: bars on a terminal, else a line every few seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column

from .._io.text import count_text, number_text

_SECONDS_BETWEEN_LINES = 5.0
_ROOM_FOR_BAR, _ROOM_FOR_RATE = 100, 60  # columns from which on progress has a bar and a rate

ProgressShown = Callable[[str, str, int, int], None]  # as `Progress` of studies


@contextmanager
def progress(workers: Callable[[], int] | None = None) -> Iterator[ProgressShown]:
    """A function that shows progress, to be called with (problem, policy, replications done,
    replications in all).

    workers: how many workers a cluster has now; shown too, if it is given.
    """
    console = Console(stderr=True)
    on_terminal, last = sys.stderr.isatty(), time.monotonic()
    tasks: dict[tuple[str, str], TaskID] = {}

    def report(problem: str, policy: str, done: int, total: int) -> None:
        nonlocal last
        name = f"{problem}: {policy}"
        if (problem, policy) not in tasks:
            tasks[problem, policy] = bars.add_task(name, total=total, rate="", workers="")
        task = bars.tasks[tasks[problem, policy]]
        there = count_text(workers(), "worker") if workers and done < total else ""
        rate = f"{number_text(task.speed)}/s" if task.speed else ""
        bars.update(task.id, completed=done, rate=rate, workers=there)
        if on_terminal or (done < total and time.monotonic() - last <= _SECONDS_BETWEEN_LINES):
            return
        last = time.monotonic()
        left = number_text((total - done) / task.speed) if task.speed else ""
        said = [f"{name} {done}/{total}"]
        said += [rate, f"{left} s left"] if rate and done < total else []
        print(", ".join([*said, *([there] if there else [])]), file=sys.stderr, flush=True)

    columns = _columns(console.width, workers is not None)
    bars = Progress(*columns, console=console, transient=True)
    with bars if on_terminal else nullcontext():  # what is not entered only counts
        yield report


def _columns(width: int, workers: bool) -> list[ProgressColumn]:
    # Only names may be wrapped into several lines, numbers never.
    name = TextColumn("{task.description}", markup=False, table_column=Column(overflow="fold"))
    return [
        name,
        *([BarColumn()] if width >= _ROOM_FOR_BAR else []),
        MofNCompleteColumn(),
        *([TextColumn("{task.fields[rate]}")] if width >= _ROOM_FOR_RATE else []),
        TimeRemainingColumn(),
        *([TextColumn("{task.fields[workers]}")] if workers else []),
    ]
