"""What commands print: text, JSON, progress, and tables that fit a terminal of any width.

A table that is too wide is shown in parts one below another. Each part has the names of the rows
and as many columns as fit. Names and heads may be wrapped, numbers never are.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column, Table
from rich.text import Text

from .._io.text import count_text, number_text

_GAP = 2  # columns between two columns
_LEAST_NAME = 12  # columns that names get at least
_SHARE_OF_NAMES = 0.4  # of the width that names get in a table that is too wide
_SECONDS_BETWEEN_LINES = 5.0
_ROOM_FOR_BAR, _ROOM_FOR_RATE = 100, 60  # columns from which on progress has a bar and a rate


def say(text: str = "", indent: int = 0) -> None:
    """Print text without interpreting markup; on a terminal it is wrapped to fit."""
    room = _width_of_screen()
    for paragraph in text.split("\n"):
        for line in sentence_lines(paragraph, room, indent):
            print(line)


def show_json(data: object) -> None:
    """Print data as JSON, for scripts."""
    print(json.dumps(data, indent=1))


def show_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str | Text]]) -> None:
    """Print a table. The first column is names, the others are numbers, which are never cut."""
    room = _width_of_screen()
    cells = [list(columns), *([str(cell) for cell in row] for row in rows)]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    parts = [list(range(1, len(widths)))]
    if room is not None and sum(widths) + _GAP * len(parts[0]) > room:
        widths = _narrowed(cells, widths, room)
        parts = parts_of(widths, room)
        fit = [wrapped, *[sentence_lines] * len(columns[1:])]
        cells = [["\n".join(fit[c](row[c], widths[c])) for c in range(len(fit))] for row in cells]
    for line in sentence_lines(title, room):
        _show(Text(line, "bold"))
    for part in parts:
        if part is not parts[0]:
            print()
        table = Table(box=None, padding=(0, 1), pad_edge=False, show_header=False)
        for c in (0, *part):
            table.add_column(width=widths[c], justify="right" if c else "left", no_wrap=True)
        tallest = max(cells[0][c].count("\n") for c in (0, *part))
        # Heads of fewer lines stand at the bottom.
        heads = ["\n" * (tallest - cells[0][c].count("\n")) + cells[0][c] for c in (0, *part)]
        table.add_row(*(Text(head, "bold") for head in heads))
        for texts, row in zip(cells[1:], rows, strict=True):
            table.add_row(*(Text(texts[c], getattr(row[c], "style", "")) for c in (0, *part)))
        _show(table)
    if len(parts) > 1:
        count = len(parts)
        say(f"(in {count} parts, because {room} columns are too few for all of it side by side)")


def _show(what: RenderableType) -> None:
    """Print as rich does, without trailing blanks; but rich itself would exit at a closed pipe."""
    console = Console(width=100_000, highlight=False)  # so wide that rich never wraps or cuts
    with console.capture() as captured:
        console.print(what)
    for line in captured.get().removesuffix("\n").split("\n"):
        print(line.rstrip())


def _width_of_screen() -> int | None:
    """The width from COLUMNS or of the terminal; None if there is neither."""
    if os.environ.get("COLUMNS", "").isdecimal() or sys.stdout.isatty():
        return max(20, shutil.get_terminal_size().columns)
    return None


def parts_of(widths: Sequence[int], room: int) -> list[list[int]]:
    """The columns from 1 on, in groups that fit beside column 0.

    >>> parts_of([10, 5, 5, 5], 26), parts_of([10, 5, 5, 5], 100)
    ([[1, 2], [3]], [[1, 2, 3]])
    """
    parts: list[list[int]] = [[]]
    used = widths[0]
    for number, width in enumerate(widths[1:], 1):
        if parts[-1] and used + _GAP + width > room:
            parts.append([])
            used = widths[0]
        parts[-1].append(number)
        used += _GAP + width
    return parts


def _narrowed(table: Sequence[Sequence[str]], widths: Sequence[int], room: int) -> list[int]:
    """The smallest width of each column that breaks no word; names get a share of the room."""
    share = max(_LEAST_NAME, int(_SHARE_OF_NAMES * room))
    most = room - _GAP - min(widths[0], share)
    narrow = [0]
    for c in range(1, len(widths)):
        cells = max((cell_len(row[c]) for row in table[1:]), default=0)
        words = max(cell_len(word) for row in table for word in ("", *row[c].split()))
        narrow.append(max(words, min(cells, most)))
    whole = max(cell_len(part) for row in table for part in ("", *_parts(row[0])))
    beside = min(share, room - max(narrow) - _GAP)
    narrow[0] = min(widths[0], max(_LEAST_NAME, whole, beside))
    return narrow


def wrapped(text: str, room: int) -> list[str]:
    """A name in lines of at most `room` columns, broken only at spaces and after ( , = : / _.

    >>> wrapped("RBMLE(alpha=LogBias(c=2.0))", 12)
    ['RBMLE(alpha=', 'LogBias(c=', '2.0))']
    """
    lines = [""]
    for part in _parts(text):
        if cell_len(lines[-1] + part.rstrip()) <= room or not lines[-1].strip():
            lines[-1] += part
        else:
            lines.append(part.lstrip())
    return [each.rstrip() for each in lines if each.strip()] or [""]


def _parts(name: str) -> list[str]:
    """The parts of a name that must not be broken; a number with its sign is one."""
    return re.findall(r"\S+?[(,=:/_](?=\w)|\S+|\s+", name)


def sentence_lines(text: str, room: int | None, indent: int = 0) -> list[str]:
    """Text in lines that fit, broken only at spaces; a word that is too long stays whole.

    >>> sentence_lines("four short words here", 12, indent=2)
    ['  four short', '  words here']
    """
    start = " " * indent
    if room is None:
        return [start + text]
    return textwrap.wrap(
        text, room, initial_indent=start, subsequent_indent=start, break_long_words=False,
        break_on_hyphens=False,
    ) or [""]  # fmt: skip


@contextmanager
def progress(
    workers: Callable[[], int] | None = None,
) -> Iterator[Callable[[str, str, int, int], None]]:
    """A function that shows progress, to be called with (problem, policy, replications done,
    replications in all): bars on a terminal, else a line every few seconds.

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
        parts = [f"{name} {done}/{total}"]
        parts += [rate, f"{left} s left"] if rate and done < total else []
        print(", ".join([*parts, *([there] if there else [])]), file=sys.stderr, flush=True)

    bars = Progress(
        # Only names may be wrapped into several lines, numbers never.
        TextColumn("{task.description}", markup=False, table_column=Column(overflow="fold")),
        *([BarColumn()] if console.width >= _ROOM_FOR_BAR else []),
        MofNCompleteColumn(),
        *([TextColumn("{task.fields[rate]}")] if console.width >= _ROOM_FOR_RATE else []),
        TimeRemainingColumn(),
        *([TextColumn("{task.fields[workers]}")] if workers else []),
        console=console,
        transient=True,
    )
    with bars if on_terminal else nullcontext():  # what is not entered only counts
        yield report
