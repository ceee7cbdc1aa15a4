"""The pages on the service and on routing: their curl lines and their Python, in their order,
against a running service."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from served import Service

DOCS = Path(__file__).parents[2] / "docs"
NEEDS_SERVICE = "<!-- not run: it needs the service above -->\n"


def blocks_of(name: str) -> list[tuple[str, str]]:
    text = (DOCS / name).read_text()
    found = re.findall(rf"{NEEDS_SERVICE}```(sh|python)\n(.*?)```", text, re.DOTALL)
    # a command that goes on in the next line, indented, is one command
    return [
        (kind, re.sub(r"( \\)?\n {5,}", " ", code) if kind == "sh" else code)
        for kind, code in found
    ]


def run(command: list[str], folder: Path) -> str:
    told = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, cwd=folder
    )
    assert told.returncode == 0, (command, told.stdout, told.stderr)
    return told.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kinds"),
    [("reference/service.md", {"curl", "rbmle", "python"}), ("howto/routing.md", {"curl"})],
)
def test_what_it_shows_works(name: str, kinds: set[str], tmp_path: Path) -> None:
    """Each line succeeds, with the answer that stands beside it; but for those about keys, after
    which all others would need one."""
    ran = set()
    with Service(f"sqlite:///{tmp_path}/rbmle.db", workers=1) as service:
        for language, text in blocks_of(name):
            lines = text.replace("http://127.0.0.1:8000", service.address)
            if language == "python":
                run([sys.executable, "-c", lines], tmp_path)
                ran.add("python")
                continue
            for line in lines.splitlines():
                command, _, beside = line.partition("  # ")
                if line.startswith("curl "):
                    quiet = command.replace("curl", "curl -sS --fail-with-body", 1)
                    told = run(["bash", "-c", quiet], tmp_path)
                    assert not beside.startswith("{") or told == beside, line
                elif line.startswith("rbmle service ") and " key " not in line:
                    run([sys.executable, "-m", *shlex.split(command, comments=True)], tmp_path)
                ran.add(line.split()[0])
    assert ran == kinds


@pytest.mark.parametrize(("name", "least"), [("reference/service.md", 8), ("howto/routing.md", 3)])
def test_every_curl_line_is_among_them(name: str, least: int) -> None:
    found = [line for _, text in blocks_of(name) for line in text.splitlines() if "curl " in line]
    lines = (DOCS / name).read_text().splitlines()
    assert len(found) == sum(line.startswith("curl ") for line in lines)
    assert len(found) >= least
