"""The code blocks of a Markdown document, and their output as the document shows it.

- Python blocks of a document run in order, in one namespace. Each imports the modules that it uses.
- Each document runs alone, in an empty folder, and all of them run in one folder.
- A `text` block after a `python` block is its output, if only blank lines, or one line of prose
  that ends in a colon, stand between them. `...` in it stands for anything.
- A `toml` block after a line with "Saved as `name`" is written to that file, for what comes after.
- `sh` blocks: their lines that begin with `rbmle ` run in the same folder.
- A block below a comment `<!-- not run: why -->` is left alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    ROOT / "README.md",
    *(each for each in sorted((ROOT / "docs").rglob("*.md")) if "_build" not in each.parts),
]
_FENCE = re.compile(r"(?ms)^```([^\n`]*)\n(.*?)^```$")
_LEFT_OUT = re.compile(r"<!-- not run\b[^>]*-->\s*\Z")
_SAVED = re.compile(r"Saved as `([\w.]+)`[^`\n]*\s*\Z")
_BETWEEN = re.compile(r"\s*([^\n]*:\s*)?\Z")


@dataclass(frozen=True)
class Block:
    """A block of code. printed: its output in the document. name: the file to save it as."""

    kind: str
    line: int
    code: str
    printed: str | None = None
    name: str | None = None


def blocks_of(document: Path) -> list[Block]:
    """The blocks of a document that are to be run or written, in order."""
    text = document.read_text("utf-8")
    found: list[Block] = []
    fences = list(_FENCE.finditer(text))
    for place, fence in enumerate(fences):
        kind, code = fence.groups()
        before = text[: fence.start()]
        if _LEFT_OUT.search(before):
            continue
        printed = None
        if kind == "python" and place + 1 < len(fences):
            after = fences[place + 1]
            if after[1] == "text" and _BETWEEN.match(text[fence.end() : after.start()]):
                printed = after[2]
        saved = _SAVED.search(before) if kind == "toml" else None
        if kind in ("python", "sh") or saved:
            name = saved[1] if saved else None
            found.append(Block(kind, before.count("\n") + 1, code, printed, name))
    return found


def commands_of(block: Block) -> list[str]:
    """The commands of `rbmle` in a block for the shell, without their comments."""
    lines = block.code.splitlines() if block.kind == "sh" else []
    return [line.split(" #")[0].strip() for line in lines if line.startswith("rbmle ")]


def matches(printed: str, expected: str) -> bool:
    """Whether the output is as expected. `...` stands for anything; spaces at line ends are
    ignored."""
    stripped = ["\n".join(line.rstrip() for line in each.strip().splitlines())
                for each in (printed, expected)]  # fmt: skip
    pattern = ".*".join(re.escape(part) for part in stripped[1].split("..."))
    return re.fullmatch(pattern, stripped[0], re.DOTALL) is not None
