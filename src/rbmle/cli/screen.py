"""What commands print: tables, text and JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from .layout import fitted, sentence_lines, width_of_screen

_WIDE = 100_000  # columns, so that rich never wraps or cuts a line: `layout` has fitted it already


def show_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str | Text]]) -> None:
    """Print a table. The first column is text, the others are numbers, which are never cut."""
    room = width_of_screen()
    cells, widths, parts = fitted([columns, *([str(cell) for cell in row] for row in rows)], room)
    for line in sentence_lines(title, room):
        _show(Text(line, "bold"))
    for part in parts:
        if part is not parts[0]:
            print()
        shown = Table(box=None, padding=(0, 1), pad_edge=False, show_header=False)
        for c in (0, *part):
            shown.add_column(width=widths[c], justify="right" if c else "left", no_wrap=True)
        tallest = max(cells[0][c].count("\n") for c in (0, *part))
        # Heads of fewer lines stand at the bottom.
        heads = ["\n" * (tallest - cells[0][c].count("\n")) + cells[0][c] for c in (0, *part)]
        shown.add_row(*(Text(head, "bold") for head in heads))
        for texts, row in zip(cells[1:], rows, strict=True):
            shown.add_row(*(Text(texts[c], getattr(row[c], "style", "")) for c in (0, *part)))
        _show(shown)
    if len(parts) > 1:
        count = len(parts)
        say(f"(in {count} parts, because {room} columns are too few for all of it side by side)")


def _show(what: RenderableType) -> None:
    """Print what rich makes of it, without blanks at the ends of lines. Rich itself would exit at a
    closed pipe."""
    console = Console(width=_WIDE, highlight=False)
    with console.capture() as captured:
        console.print(what)
    for line in captured.get().removesuffix("\n").split("\n"):
        print(line.rstrip())


def say(text: str = "", indent: int = 0) -> None:
    """Print text without interpreting markup; on a terminal it is wrapped to fit."""
    room = width_of_screen()
    for paragraph in text.split("\n"):
        for line in sentence_lines(paragraph, room, indent):
            print(line)


def show_json(data: object) -> None:
    """Print data as JSON, for scripts."""
    print(json.dumps(data, indent=1))
