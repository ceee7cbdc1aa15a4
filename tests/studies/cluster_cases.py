"""A Dask cluster of real processes on this machine, and runs on it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import rbmle

ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(Path(rbmle.__file__).parents[1]),
    "PYTHONWARNINGS": "error",
}
WORKER = "from distributed.cli.dask_worker import main; main()"
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


class DaskCluster:
    """A scheduler and its workers, each with one thread and a nanny that starts it again."""

    def __init__(self, folder: Path, workers: int = 2) -> None:
        self.folder, self.processes = folder, list[subprocess.Popen[bytes]]()
        file = folder / "scheduler.json"
        self._start(
            "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
            "--no-dashboard", "--scheduler-file", str(file),
        )  # fmt: skip
        wait_until(file.exists)
        self.file = str(file)
        with self.client() as client:
            self.address = client.scheduler.address
            for _ in range(workers):
                self.start_worker()
            client.wait_for_workers(workers, timeout=60)

    def client(self) -> Any:
        from distributed import Client

        return Client(scheduler_file=self.file, set_as_default=False, timeout=30)

    def start_worker(self, before: str = "") -> subprocess.Popen[bytes]:
        """Start a worker; before: what its process does first."""
        nanny = ["--no-nanny"] if before else []
        return self._start(
            "-c", before + WORKER, self.address, "--nthreads", "1", "--no-dashboard",
            "--host", "127.0.0.1", "--local-directory", str(self.folder), *nanny,
        )  # fmt: skip

    def pids(self) -> dict[str, int]:
        """The process of each worker, by its address."""
        with self.client() as client:
            found: dict[str, int] = client.run(os.getpid)
            return found

    def kill_a_worker(self) -> None:
        os.kill(next(iter(self.pids().values())), signal.SIGKILL)

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        variables = {**os.environ, "PYTHONPATH": ENVIRONMENT["PYTHONPATH"]}
        process = subprocess.Popen([sys.executable, *arguments], env=variables, **QUIET)  # type: ignore[call-overload]
        self.processes.append(process)
        return process

    def close(self) -> None:
        """Kill all processes: a worker ends with its nanny."""
        for each in self.processes:
            each.kill()
            each.wait()


def wait_until(true: Any, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def rbmle_run(*arguments: object, cwd: Path) -> subprocess.Popen[str]:
    """The command `rbmle run`, begun."""
    line = [sys.executable, "-m", "rbmle", "run", *map(str, arguments)]
    return subprocess.Popen(
        line, cwd=cwd, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def shards(folder: Path) -> dict[Path, int]:
    """The shards of a run, and when they were written."""
    return {path: path.stat().st_mtime_ns for path in folder.glob("shards/*.shard")}
