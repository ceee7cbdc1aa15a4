"""What commands print: tables, text, JSON and progress."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column
from rich.text import Text

from .._io.text import count_text, number_text
from .layout import sentence_lines, table_lines, width_of_screen

_SECONDS_BETWEEN_LINES = 5.0
_WIDE = 100_000  # columns, so that rich never wraps or cuts a line: `layout` has fitted it already
_ROOM_FOR_BAR, _ROOM_FOR_RATE = 100, 60  # columns from which on progress has a bar and a rate


class _Console(Console):
    """Rich's console, except that a closed pipe raises an error instead of exiting with 1."""

    def on_broken_pipe(self) -> None:
        raise  # the BrokenPipeError that rich caught before it called this


def show_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str | Text]]) -> None:
    """Print a table. The first column is text, the others are numbers, which are never cut."""
    room = width_of_screen()
    console = _Console(width=_WIDE, highlight=False, soft_wrap=True)
    for line in sentence_lines(title, room):
        console.print(Text(line, "bold"))
    lines, parts = table_lines(columns, [[str(cell) for cell in row] for row in rows], room)
    for pieces in lines:
        shown = Text()
        for row, column, text in pieces:
            cell = columns[column] if row < 0 else rows[row][column]
            shown.append(text, "bold" if row < 0 else getattr(cell, "style", ""))
        shown.rstrip()
        console.print(shown)
    if parts > 1:
        say(f"(in {parts} parts, because {room} columns are too few for all of it side by side)")


def say(text: str = "", indent: int = 0) -> None:
    """Print text without interpreting markup; on a terminal it is wrapped to fit."""
    room = width_of_screen()
    for paragraph in text.split("\n"):
        for line in sentence_lines(paragraph, room, indent):
            print(line)


def show_json(data: Any) -> None:
    """Print data as JSON, for scripts."""
    print(json.dumps(data, indent=1))


ProgressShown = Callable[[str, str, int, int], None]  # `studies.work.Progress`, not imported here


class _Pace:
    """How many replications a second a policy plays, counted from its first report on."""

    def __init__(self, done: int) -> None:
        self.begin, self.first = time.monotonic(), done

    def rate(self, done: int) -> float:
        """Replications a second; 0 if nothing was played since the first report."""
        return (done - self.first) / max(time.monotonic() - self.begin, 1e-9)


@contextmanager
def progress(workers: Callable[[], int] | None = None) -> Iterator[ProgressShown]:
    """A function that shows progress, to be called with (problem, policy, replications done,
    replications in all).

    workers: how many workers a cluster has now; shown too, if it is given.
    """
    if sys.stderr.isatty():
        console = Console(stderr=True)
        # Only names may be wrapped into several lines, numbers never.
        name = TextColumn("{task.description}", table_column=Column(overflow="fold"))
        columns = [
            name,
            *([BarColumn()] if console.width >= _ROOM_FOR_BAR else []),
            MofNCompleteColumn(),
            *([TextColumn("{task.fields[rate]}")] if console.width >= _ROOM_FOR_RATE else []),
            TimeRemainingColumn(),
            *([TextColumn("{task.fields[workers]}")] if workers is not None else []),
        ]
        with Progress(*columns, console=console, transient=True) as bars:
            yield _bars(bars, workers)
    else:
        yield _lines(workers)


def _bars(bars: Progress, workers: Callable[[], int] | None) -> ProgressShown:
    tasks: dict[tuple[str, str], Any] = {}
    paces: dict[tuple[str, str], _Pace] = {}

    def report(problem: str, policy: str, done: int, total: int) -> None:
        at = problem, policy
        if at not in tasks:
            paces[at] = _Pace(done)
            tasks[at] = bars.add_task(f"{problem}: {policy}", total=total, rate="", workers="")
        rate = paces[at].rate(done)
        bars.update(
            tasks[at],
            completed=done,
            rate=f"{number_text(rate)}/s" if rate else "",
            workers=count_text(workers(), "worker") if workers and done < total else "",
        )

    return report


def _lines(workers: Callable[[], int] | None) -> ProgressShown:
    last = time.monotonic()
    paces: dict[tuple[str, str], _Pace] = {}

    def report(problem: str, policy: str, done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        rate = paces.setdefault((problem, policy), _Pace(done)).rate(done)
        if done == total or now - last > _SECONDS_BETWEEN_LINES:
            last = now
            said = f"{problem}: {policy} {done}/{total}"
            if rate and done < total:
                left = number_text((total - done) / rate)
                said += f", {number_text(rate)}/s, {left} s left"
            if workers is not None and done < total:
                said += f", {count_text(workers(), 'worker')}"
            print(said, file=sys.stderr, flush=True)

    return report
