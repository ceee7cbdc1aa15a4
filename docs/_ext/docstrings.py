"""Docstrings as Sphinx reads them: ours are plain text, with `code`, formulas and doctests."""

from __future__ import annotations

import inspect
import re
from typing import Any

from sphinx.application import Sphinx

CODE = re.compile(r"(`[^`\n]+`|docs/[\w/]+\.md(?:#[\w-]+)?)")  # or a page, which is linked
FIELD = re.compile(r"([a-z_][\w]*(?:, [a-z_]\w*)*): (?=\S)")


def plain(line: str) -> str:
    """A line of prose: what would be markup is escaped, `code` is code, and a page is a link."""
    return "".join(
        re.sub(r"([\\*_|`])", r"\\\1", part)
        if place % 2 == 0
        else rf"\ `{part}`\ "
        if part.startswith("`")
        else f":doc:`/{part.partition('.md')[0].removeprefix('docs/')}`"
        for place, part in enumerate(CODE.split(line))
    )


def indented(text: str) -> bool:
    return all(line.startswith("    ") for line in text.split("\n") if line)


def blocks(text: str) -> list[str]:
    """The blocks of a docstring, between blank lines; of code that is indented, all in one."""
    found: list[str] = []
    for each in re.split(r"\n\s*\n", text.strip("\n")):
        if found and indented(each) and indented(found[-1]):
            found[-1] += f"\n\n{each}"
        elif each.strip():
            found.append(each)
    return found


def block(lines: list[str]) -> list[str]:
    """A doctest, code or a formula as it is, or prose with its parameters."""
    if lines[0].startswith(">>>"):
        return lines
    if indented("\n".join(lines)):
        code = any("rbmle." in line for line in lines)
        return [".. code-block:: python" if code else "::", "", *lines]
    pieces: list[str] = []  # a paragraph, or an item of a list, in one line
    for line in lines:
        if found := FIELD.match(line):
            pieces.append(f"- `{found[1]}`: {line[found.end() :]}")
        elif line.startswith("- ") or not pieces:
            pieces.append(line)
        else:
            pieces[-1] += f" {line.strip()}"
    return [
        each
        for piece in pieces
        for each in (f"{piece[:2] * (piece[:2] == '- ')}{plain(piece.removeprefix('- '))}", "")
    ]


def as_rst(app: Sphinx, what: str, name: str, found: Any, options: Any, lines: list[str]) -> None:
    lines[:] = [
        line for text in blocks("\n".join(lines)) for line in (*block(text.split("\n")), "")
    ]


def signed(
    app: Sphinx, what: str, name: str, found: Any, options: Any, given: str, returns: str
) -> tuple[str, str] | None:
    """The parameters of a record as `help` shows them: `alpha = BetaBias(...)`, not its numbers."""
    return (str(inspect.signature(found)), "") if hasattr(found, "_fields") else None


def setup(app: Sphinx) -> dict[str, bool]:
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", as_rst)
    app.connect("autodoc-process-signature", signed)
    return {"parallel_read_safe": True}
