"""What commands print: tables by rich on a terminal and off it, progress, plain lines elsewhere."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

_SECONDS_BETWEEN_LINES = 5.0
_WIDE = 260  # columns, where there is no terminal to ask


def console() -> Console:
    """Standard output; without a terminal no colours, no control characters, no wrapping."""
    terminal = sys.stdout.isatty()
    return Console(width=None if terminal else _WIDE, highlight=False, soft_wrap=not terminal)


def show_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str | Text]]) -> None:
    """A table: the first column is text, the others are numbers."""
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 else "right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console().print(table)


def say(text: str = "") -> None:
    """A line, as it is: nothing in it is markup."""
    console().print(Text(text))


def show_json(data: Any) -> None:
    """Data for scripts."""
    print(json.dumps(data, indent=1))


Report = Callable[[str, str, int, int], None]


@contextmanager
def progress() -> Iterator[Report]:
    """A function to be told (problem, policy, replications done, of how many)."""
    if sys.stderr.isatty():
        columns = (
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"), TimeRemainingColumn(),
        )  # fmt: skip
        with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
            yield _bars(bars)
    else:
        yield _lines()


def _bars(bars: Progress) -> Report:
    tasks: dict[tuple[str, str], Any] = {}
    begin = time.monotonic()

    def report(problem: str, policy: str, done: int, total: int) -> None:
        if (problem, policy) not in tasks:
            name = f"{problem}: {policy}"
            tasks[problem, policy] = bars.add_task(name, total=total, rate="")
        rate = done / max(time.monotonic() - begin, 1e-9)
        bars.update(tasks[problem, policy], completed=done, rate=f"{rate:.1f}/s")

    return report


def _lines() -> Report:
    last = time.monotonic()

    def report(problem: str, policy: str, done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if done == total or now - last > _SECONDS_BETWEEN_LINES:
            last = now
            print(f"{problem}: {policy} {done}/{total}", file=sys.stderr, flush=True)

    return report
