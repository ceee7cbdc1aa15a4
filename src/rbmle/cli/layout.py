"""Lay out tables and text for a terminal of any width without cutting a number.

A table that is too wide is shown in parts one below another. Each part has the names of the rows
and as many columns as fit, and a note below says how many parts there are. Names and heads may be
wrapped, numbers never are.
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
_LEAST_NAME = 12  # columns that names get at least
_SHARE_OF_NAMES = 0.4  # of the width that names get in a table that is too wide


def width_of_screen() -> int | None:
    """The width from COLUMNS or of the terminal; None if there is neither."""
    if os.environ.get("COLUMNS", "").isdecimal() or sys.stdout.isatty():
        return max(20, shutil.get_terminal_size().columns)
    return None


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


PaddedCell = tuple[int, int, str]  # row (-1 for the heads), column, padded text


def table_lines(
    heads: Sequence[str], rows: Sequence[Sequence[str]], room: int | None
) -> tuple[list[list[PaddedCell]], int]:
    """The lines of a table, each a list of padded cells, and the number of parts of the table.

    The first column is text aligned left, the others are numbers aligned right.
    room: the width in columns; None for no limit.
    """
    table = [heads, *rows]
    widths = [max(cell_len(row[c]) for row in table) for c in range(len(heads))]
    parts = [list(range(1, len(heads)))]
    if room is not None and sum(widths) + _GAP * (len(widths) - 1) > room:
        widths = _narrowed(table, widths, room)
        parts = parts_of(widths, room)
    lines: list[list[PaddedCell]] = []
    for place, part in enumerate(parts):
        lines += [[]] * (place > 0)
        for number, row in enumerate(table, -1):
            lines += _row_lines(number, row, [0, *part], widths)
    return lines, len(parts)


def _narrowed(table: Sequence[Sequence[str]], widths: Sequence[int], room: int) -> list[int]:
    """The smallest width of each column that breaks no word; names get a share of the room."""
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
) -> list[list[PaddedCell]]:
    """A row as the lines that its tallest cell needs. Heads are aligned to the bottom line."""
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
