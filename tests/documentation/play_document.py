"""Run the blocks of one document in this folder: `python play_document.py DOCUMENT`.

Prints JSON: for each Python block that was run its line and what it printed, and the traceback of
the first that failed, with the document's own line numbers. It runs in a process of its own, so
that classes which a document defines are not registered elsewhere.
"""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import sys
import traceback
from pathlib import Path
from types import ModuleType

from blocks import blocks_of, commands_of


def main(document: Path) -> dict[str, object]:
    namespace: dict[str, object] = {"__name__": "__main__"}
    printed: list[tuple[int, str]] = []
    for block in blocks_of(document):
        if block.name is not None:
            Path(block.name).write_text(block.code, "utf-8")
        output = io.StringIO()
        for name in [name for name, value in namespace.items() if isinstance(value, ModuleType)]:
            del namespace[name]  # each block imports the modules that it uses
        try:
            with contextlib.redirect_stdout(output):
                if block.kind == "python":
                    source = "\n" * block.line + block.code
                    code = compile(source, document.name, "exec", dont_inherit=True)
                    exec(code, namespace)
                for command in commands_of(block):
                    run_command(command)
        except BaseException:
            told = f"{output.getvalue()}\n{traceback.format_exc()}"
            return {"printed": printed, "failed": told}
        printed.append((block.line, output.getvalue()))
    return {"printed": printed, "failed": None}


def run_command(command: str) -> None:
    from rbmle.cli import main

    sys.argv = shlex.split(command)
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"{command!r} ended with code {end.code}") from end


if __name__ == "__main__":
    result = main(Path(sys.argv[1]))
    print(json.dumps(result))
