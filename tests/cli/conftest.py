"""Fixtures that run the command line as a process: on a pseudo-terminal, in a pipe, interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Start = Callable[..., "subprocess.Popen[bytes]"]


def heeds_interrupts() -> None:
    """Let the child process handle Ctrl-C, even if pytest was started with it ignored or
    blocked."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Start `python -m rbmle`, or a script, in a folder of its own."""

    def begin(*line: object, python: tuple[str, ...] = (), **options: Any) -> Any:
        variables = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        script = options.pop("script", "")
        started = ["-c", script] if script else ["-m", "rbmle"]
        variables |= options.pop("variables", {})
        plain = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
        return subprocess.Popen(
            [sys.executable, *python, *started, *map(str, line)],
            **{
                "cwd": tmp_path, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                "env": {**plain, **variables},
                "preexec_fn": heeds_interrupts if os.name == "posix" else None,
                **options,
            },
        )  # fmt: skip

    return begin
