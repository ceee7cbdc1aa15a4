"""docs/service.md: its curl lines and its Python, in their order, against a running service."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from served import Service

DOC = (Path(__file__).parents[2] / "docs" / "service.md").read_text()
NEEDS_SERVICE = "<!-- not run: it needs the service above -->\n"
BLOCKS = re.findall(rf"{NEEDS_SERVICE}```(sh|python)\n(.*?)```", DOC, re.DOTALL)


@pytest.mark.slow
def test_what_it_shows_works(tmp_path: Path) -> None:
    """Each curl line succeeds, with the answer that stands beside it."""
    python = 0
    with Service(f"sqlite:///{tmp_path}/rbmle.db", workers=1) as service:
        for language, text in BLOCKS:
            lines = text.replace("http://127.0.0.1:8000", service.address)
            if language == "python":
                subprocess.run([sys.executable, "-c", lines], check=True, timeout=120)
                python += 1
                continue
            for line in filter(lambda each: each.startswith("curl "), lines.splitlines()):
                command, _, beside = line.partition("  # ")
                told = subprocess.run(
                    ["bash", "-c", command.replace("curl", "curl -sS --fail-with-body", 1)],
                    capture_output=True, text=True, timeout=120, check=False,
                )  # fmt: skip
                assert told.returncode == 0, (line, told.stdout, told.stderr)
                assert not beside.startswith("{") or told.stdout == beside, line
    assert python


def test_every_curl_line_is_among_them() -> None:
    found = [line for _, text in BLOCKS for line in text.splitlines() if "curl " in line]
    assert found == [line for line in DOC.splitlines() if line.startswith("curl ")]
    assert len(found) >= 8
