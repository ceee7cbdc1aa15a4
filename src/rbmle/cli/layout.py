"""Tables and lines that fit a terminal of any width, with every number whole.

A table that is too wide is shown in parts, one below the other, each with as many columns as fit
and the names of its rows; that is said below it. Names and heads may go over several lines, numbers
never do.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence

from rich.cells import cell_len

_GAP = 2  # columns between two columns
_LEAST_NAME = 12  # columns that names have in any case
_SHARE_OF_NAMES = 0.4  # of the room, where a table is too wide: the more, the fewer numbers


def width_of_screen() -> int | None:
    """How many columns there are: the terminal's, or what COLUMNS says; None where neither does."""
    if os.environ.get("COLUMNS", "").isdecimal() or sys.stdout.isatty():
        return max(20, shutil.get_terminal_size().columns)
    return None


def parts_of(widths: Sequence[int], room: int) -> list[list[int]]:
    """The columns in groups that fit beside the first: the numbers of the columns from 1 on.

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


Piece = tuple[int, int, str]  # the row, or -1 for the heads; the column; text, padded


def table_lines(
    heads: Sequence[str], rows: Sequence[Sequence[str]], room: int | None
) -> tuple[list[list[Piece]], int]:
    """The table as lines of pieces, which side by side make the line; and in how many parts it is.

    The first column is text to the left, the others are numbers to the right. room: the columns
    that there are, None if any number will do.
    """
    table = [heads, *rows]
    widths = [max(cell_len(row[c]) for row in table) for c in range(len(heads))]
    parts = [list(range(1, len(heads)))]
    if room is not None and sum(widths) + _GAP * (len(widths) - 1) > room:
        widths = _narrowed(table, widths, room)
        parts = parts_of(widths, room)
    lines: list[list[Piece]] = []
    for place, part in enumerate(parts):
        lines += [[]] * (place > 0)
        for number, row in enumerate(table, -1):
            lines += _row_lines(number, row, [0, *part], widths)
    return lines, len(parts)


def _narrowed(table: Sequence[Sequence[str]], widths: Sequence[int], room: int) -> list[int]:
    """The least width of each column without breaking a word, names but for a share of the room."""
    share = max(_LEAST_NAME, int(_SHARE_OF_NAMES * room))
    most = room - _GAP - min(widths[0], share)
    narrow = [0]
    for c in range(1, len(widths)):
        cells = max(cell_len(row[c]) for row in table[1:]) if len(table) > 1 else 0
        words = max(cell_len(word) for row in table for word in ("", *row[c].split()))
        narrow.append(max(words, min(cells, most)))
    beside = max(narrow) + _GAP
    whole = max(cell_len(part) for row in table for part in ("", *_parts(row[0])))
    narrow[0] = min(widths[0], max(_LEAST_NAME, whole, min(share, room - beside)))
    return narrow


def _row_lines(
    number: int, row: Sequence[str], columns: Sequence[int], widths: Sequence[int]
) -> list[list[Piece]]:
    """A row in as many lines as its highest cell needs; heads stand on the last of them."""
    cells = [
        wrapped(row[c], widths[c]) if c == 0 else sentence_lines(row[c], widths[c]) for c in columns
    ]
    height = max(map(len, cells))
    lines = []
    for line in range(height):
        pieces = []
        for c, texts in zip(columns, cells, strict=True):
            at = line - (height - len(texts)) if number < 0 else line
            text = texts[at] if 0 <= at < len(texts) else ""
            space = " " * (widths[c] - cell_len(text))
            pieces.append((number, c, text + space if c == 0 else " " * _GAP + space + text))
        lines.append(pieces)
    return lines


def wrapped(text: str, room: int) -> list[str]:
    """A name in lines of so many columns: broken at spaces and after signs, nowhere else.

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
    """What a name is made of, each part to stay whole; a number is one, with its sign."""
    return re.findall(r"\S+?[(,=:/_](?=\w)|\S+|\s+", name)


def sentence_lines(text: str, room: int | None, indent: int = 0) -> list[str]:
    """Text in lines that fit, broken at spaces only: a word that is too long stays whole.

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
