"""Fit tables and text into a terminal of any width without cutting a number.

A table that is too wide is shown in parts one below another. Each part has the names of the rows
and as many columns as fit. Names and heads may be wrapped, numbers never are.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

_GAP = 2  # columns between two columns
_LEAST_NAME = 12  # columns that names get at least
_SHARE_OF_NAMES = 0.4  # of the width that names get in a table that is too wide


class Layout(NamedTuple):
    """A table whose cells are wrapped (with newlines) to `widths`, and which columns besides the
    first stand side by side in each of its parts."""

    cells: list[list[str]]
    widths: list[int]
    parts: list[list[int]]


def width_of_screen() -> int | None:
    """The width from COLUMNS or of the terminal; None if there is neither."""
    if os.environ.get("COLUMNS", "").isdecimal() or sys.stdout.isatty():
        return max(20, shutil.get_terminal_size().columns)
    return None


def fitted(table: Sequence[Sequence[str]], room: int | None) -> Layout:
    """The layout of a table in this many columns of the screen; None for no limit.

    table: the heads, then the rows. The first column is names, the others are numbers.
    """
    columns = range(len(table[0]))
    widths = [max(cell_len(row[c]) for row in table) for c in columns]
    if room is None or sum(widths) + _GAP * (len(widths) - 1) <= room:
        return Layout([list(row) for row in table], widths, [list(columns[1:])])
    widths = _narrowed(table, widths, room)
    fit = [wrapped, *[sentence_lines] * len(columns[1:])]
    cells = [["\n".join(fit[c](row[c], widths[c])) for c in columns] for row in table]
    return Layout(cells, widths, parts_of(widths, room))


def parts_of(widths: Sequence[int], room: int) -> list[list[int]]:
    """The columns from 1 on, in groups that fit beside column 0.

    >>> parts_of([10, 5, 5, 5], 26), parts_of([10, 5, 5, 5], 100)
    ([[1, 2], [3]], [[1, 2, 3]])
    """
    parts: list[list[int]] = []
    used = room
    for number, width in enumerate(widths[1:], 1):
        if not parts or used + _GAP + width > room:
            parts.append([])
            used = widths[0]
        parts[-1].append(number)
        used += _GAP + width
    return parts or [[]]


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
