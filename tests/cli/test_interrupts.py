"""Ctrl-C ends any command within two seconds: one line, exit code 130, whatever it was doing."""

from __future__ import annotations

import signal
import sys
import time
from typing import Any

import pytest
from tiers import tiered

from rbmle._io.interrupt import is_command

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send")

LINE = b"rbmle: interrupted"
# By commands that store their results.
KEPT = LINE + b"; what was finished is kept, and the same command continues"
SECONDS = 2.0
STUDY = """
horizon = 4_000_000_000
replications = 2
[[problem]]
law = "Bernoulli"
means = [0.3, 0.6]
[[policy]]
name = "UCB"
"""


def interrupted(process: Any, line: bytes = LINE) -> list[bytes]:
    """The error output of a command that is interrupted, which must end in time with this line."""
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    spent = time.monotonic() - begin
    assert process.returncode == 130, said
    assert b"Traceback" not in said
    assert spent < SECONDS
    lines: list[bytes] = said.splitlines()
    assert lines.count(line) == 1
    assert lines[-1] == line
    return lines


def read_until(stream: Any, word: bytes) -> None:
    """Read lines up to one that has the word."""
    for line in stream:
        if word in line:
            return
    raise AssertionError(f"it ended before it said {word!r}")


@pytest.mark.slow
@pytest.mark.parametrize("module", [b"rbmle.errors", b"numpy.linalg", b"numba.core", b"typer"])
def test_during_imports(start: Any, module: bytes) -> None:
    """Interrupt while modules are imported, which Python reports one by one; ours come before
    NumPy."""
    process = start("policies", python=("-X", "importtime"))
    read_until(process.stderr, module)
    interrupted(process)


def test_early(start: Any) -> None:
    """Interrupt as soon as the first line of the package has run."""
    process = start("policies", python=("-X", "importtime"))
    read_until(process.stderr, b"rbmle._io.interrupt")
    interrupted(process)


LONG = {
    "compare": ["compare", "bernoulli", "0.1", "0.2", "--policies", "ucb", "--horizon", 4 * 10**9],
    "run": ["run", "long.toml"],
    "scale": ["scale", "--arms", "3", "--policies", "UCB", "--horizon", 2 * 10**8],
    "reproduce": ["reproduce", "1a", "--policies", "UCB", "--replications", 2_000],
}


@pytest.mark.parametrize("command", tiered(LONG, lambda command: command == "compare"))
def test_during_compilation(start: Any, tmp_path: Any, command: str) -> None:
    (tmp_path / "long.toml").write_text(STUDY)
    process = start(*LONG[command], variables={"RBMLE_CACHE_DIR": str(tmp_path / "cache")})
    read_until(process.stderr, b"compiling")
    interrupted(process, KEPT if command in ("run", "reproduce") else LINE)


@pytest.mark.slow
def test_the_benchmarks_during_compilation(start: Any, tmp_path: Any) -> None:
    process = start(
        "--only", "threads",
        script="import runpy; runpy.run_module('benchmarks', run_name='__main__')",
        variables={"RBMLE_CACHE_DIR": str(tmp_path / "cache")},
    )  # fmt: skip
    read_until(process.stderr, b"compiling")
    interrupted(process)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["compare", "run", "scale"])
def test_during_long_kernels(start: Any, tmp_path: Any, command: str) -> None:
    (tmp_path / "long.toml").write_text(STUDY)
    process = start(*LONG[command])
    time.sleep(20.0)
    assert process.poll() is None
    interrupted(process, KEPT if command == "run" else LINE)


STUBBORN = """
import sys, time
from rbmle.cli.process import bounded
with bounded():
    try:
        print("ready", file=sys.stderr, flush=True)
        time.sleep(60.0)
    except KeyboardInterrupt:
        time.sleep(60.0)
"""


def test_what_does_not_end_by_itself_is_ended(start: Any) -> None:
    """Compiled code on the main thread cannot be interrupted, so the process is ended."""
    process = start(script=STUBBORN)
    read_until(process.stderr, b"ready")
    interrupted(process)


@pytest.mark.slow
def test_a_kernel_on_the_main_thread_is_left_too(start: Any, tmp_path: Any) -> None:
    """`scale` plays on the main thread, in compiled code that would go on for a minute."""
    line = ["scale", "--arms", "3", "--policies", "UCB", "--horizon"]
    warm = start(*line, 50)
    assert warm.communicate(timeout=300)[0].startswith(b"bernoulli")
    process = start(*line, 10**9)
    time.sleep(6.0)
    assert process.poll() is None
    interrupted(process)


def test_only_the_command_is_interrupted_so() -> None:
    """A user's program that imports the package handles Ctrl-C as before."""
    assert is_command("-m", ["python", "-X", "importtime", "-m", "rbmle", "run"])
    assert not is_command("my_program.py", ["python", "my_program.py"])
    assert not is_command("", ["python"])
    assert not is_command("-m", ["python", "-m", "pytest"])
    assert signal.getsignal(signal.SIGINT) is not None
