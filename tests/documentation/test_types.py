"""Type checkers accept the examples, and the README's code as a user would copy it."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from blocks import ROOT, blocks_of

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
MYPY = ("mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml"))
PYRIGHT = ("pyright", "--pythonpath", sys.executable)


@pytest.fixture
def copied(tmp_path: Path) -> list[Path]:
    """The README's Python blocks as files, and the examples."""
    files = []
    for block in blocks_of(ROOT / "README.md"):
        if block.kind == "python":
            files.append(tmp_path / f"readme_line_{block.line}.py")
            files[-1].write_text(block.code, "utf-8")
    assert len(files) > 1
    return [*files, *EXAMPLES]


def checked(command: tuple[str, ...], files: list[Path], folder: Path) -> str:
    """The checker's complaints about the files; empty if there are none."""
    name, *options = command
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed")
    environment = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-m", name, *options, *map(str, files)],
        capture_output=True, text=True, cwd=folder, env=environment,
    )  # fmt: skip
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", [MYPY, PYRIGHT], ids=["mypy", "pyright"])
def test_what_a_user_writes_is_accepted(
    command: tuple[str, ...], copied: list[Path], tmp_path: Path
) -> None:
    assert checked(command, copied, tmp_path) == ""


LIVE = """
import rbmle

decider = rbmle.Decider(["red", "green"], rbmle.RBMLE(), rbmle.Bernoulli())
{}
"""


@pytest.mark.slow
@pytest.mark.parametrize("command", [MYPY, PYRIGHT], ids=["mypy", "pyright"])
@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("word: str = decider.pull()", True),
        ("decider.update(decider.pull(), True)", True),
        ("decider.update(decider.pull(3), [0.0, 1.0, 1.0])", True),
        (
            "rbmle.write_report(decider, 'page.html'); print(decider.summary().arms['red'].low)",
            True,
        ),
        ("number: int = decider.pull()", False),
        ("decider.update(7, 1.0)", False),
    ],
)
def test_the_names_of_arms_have_their_type(
    command: tuple[str, ...], line: str, right: bool, tmp_path: Path
) -> None:
    file = tmp_path / "live.py"
    file.write_text(LIVE.format(line), "utf-8")
    assert (checked(command, [file], tmp_path) == "") == right
