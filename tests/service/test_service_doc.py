"""docs/service.md: its curl lines and its Python, in their order, against a running service."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from served import Service

DOC = (Path(__file__).parents[2] / "docs" / "service.md").read_text()
NEEDS_SERVICE = "<!-- not run: it needs the service above -->\n"
BLOCKS = re.findall(rf"{NEEDS_SERVICE}```(sh|python)\n(.*?)```", DOC, re.DOTALL)


def run(command: list[str], folder: Path) -> str:
    told = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, cwd=folder
    )
    assert told.returncode == 0, (command, told.stdout, told.stderr)
    return told.stdout


@pytest.mark.slow
def test_what_it_shows_works(tmp_path: Path) -> None:
    """Each line succeeds, with the answer that stands beside it; but for those about keys, after
    which all others would need one."""
    ran = dict.fromkeys(("curl", "rbmle", "python"), 0)
    with Service(f"sqlite:///{tmp_path}/rbmle.db", workers=1) as service:
        for language, text in BLOCKS:
            lines = text.replace("http://127.0.0.1:8000", service.address)
            if language == "python":
                run([sys.executable, "-c", lines], tmp_path)
                ran["python"] += 1
                continue
            for line in lines.splitlines():
                command, _, beside = line.partition("  # ")
                if line.startswith("curl "):
                    quiet = command.replace("curl", "curl -sS --fail-with-body", 1)
                    told = run(["bash", "-c", quiet], tmp_path)
                    assert not beside.startswith("{") or told == beside, line
                elif line.startswith("rbmle service ") and " key " not in line:
                    run([sys.executable, "-m", *shlex.split(command, comments=True)], tmp_path)
                ran[line.split()[0]] += 1
    assert min(ran.values()) > 0


def test_every_curl_line_is_among_them() -> None:
    found = [line for _, text in BLOCKS for line in text.splitlines() if "curl " in line]
    assert found == [line for line in DOC.splitlines() if line.startswith("curl ")]
    assert len(found) >= 8
