"""A service in processes of its own, as `rbmle serve` starts it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Any

import httpx


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Service:
    """`rbmle serve` in a process group of its own, so that all of it can be killed at once."""

    def __init__(self, url: str, workers: int = 2, port: int | None = None) -> None:
        self.url, self.workers = url, workers
        self.port = port or free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[str] | None = None
        self.program = "import runpy; runpy.run_module('rbmle', run_name='__main__')"

    def options(self) -> list[str]:
        return ["--database", self.url]

    def start(self, stderr: IO[str] | None = None) -> None:
        options = ["--port", str(self.port), "--workers", str(self.workers), *self.options()]
        self.process = subprocess.Popen(
            [sys.executable, "-c", self.program, "serve", *options],
            start_new_session=True, stdout=subprocess.PIPE, stderr=stderr, text=True,
        )  # fmt: skip

    def children(self) -> list[int]:
        """The numbers of the worker processes that run."""
        assert self.process is not None
        number = self.process.pid
        return [*map(int, Path(f"/proc/{number}/task/{number}/children").read_text().split())]

    def ready(self, seconds: float = 60.0) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if httpx.get(f"{self.address}/readyz", timeout=5.0).status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.05)
        raise TimeoutError("The service did not become ready.")

    def kill(self) -> None:
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def stop(self) -> int:
        assert self.process is not None
        self.process.terminate()
        code = self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def __enter__(self) -> Service:
        self.start()
        self.ready()
        return self

    def __exit__(self, *_: Any) -> None:
        if self.process is not None and self.process.poll() is None:
            self.stop()
