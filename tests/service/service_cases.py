"""Databases, definitions and requests for the tests of the service."""

from __future__ import annotations

import atexit
import functools
import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from rbmle.errors import ParameterError
from rbmle.service.definition import Definition
from rbmle.service.keys import ANYONE
from rbmle.service.ledger import Ledger
from rbmle.service.messages import Decide, NewExperiment, Reward
from rbmle.service.requests import AddArm, Create, End, SetState
from rbmle.service.storage import Storage
from rbmle.service.transaction import Keyed
from rbmle.service.verify import verify

_numbers = itertools.count(1)


def definition(**changes: Any) -> Definition:
    body: dict[str, Any] = {
        "arms": ["a", "b", "c"],
        "policy": {"name": "UCB"},
        "family": {"name": "Bernoulli"},
        "seed": 1,
    }
    return Definition.of(msgspec.convert({**body, **changes}, type=NewExperiment))


def create(name: str = "x", **changes: Any) -> Keyed:
    return ANYONE, Create(name, definition(**changes))


def decide(name: str = "x", id: str | None = None, context: Any = None) -> Keyed:
    return ANYONE, Decide(experiment=name, id=id, context=context)


def reward(id: str, value: float = 1.0, name: str | None = None, **more: Any) -> Keyed:
    return ANYONE, Reward(id=id, value=value, experiment=name, **more)


def add_arm(name: str, of: str = "x") -> Keyed:
    return ANYONE, AddArm(of, name)


def set_state(arm: str, state: str, of: str = "x") -> Keyed:
    return ANYONE, SetState(of, arm, state)


def end(name: str = "x") -> Keyed:
    return ANYONE, End(name)


def said(answer: Any) -> Any:
    return msgspec.json.decode(answer.body)


def one(ledger: Ledger, request: Keyed) -> tuple[int, Any]:
    """The status and the body of the answer to a request alone."""
    (answer,) = ledger.run([request])
    return answer.status, said(answer)


def clean(storage: Storage) -> bool:
    return [each.wrong for each in verify(storage) if each.wrong] == []


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Postgres:
    """A PostgreSQL that runs until the process ends; it listens on a socket in its folder."""

    def __init__(self) -> None:
        self.binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        self.folder = tempfile.mkdtemp(prefix="rbmle-pg-")
        self.owner = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self.owner:
            shutil.chown(self.folder, "postgres")
        self._run("initdb", "-A", "trust", "-U", "rbmle")
        self.start()
        atexit.register(self._end)

    def _run(self, program: str, *options: str) -> None:
        command = [*self.owner, f"{self.binaries}/{program}", "-D", f"{self.folder}/data", *options]
        subprocess.run(
            command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            cwd=self.folder,
        )  # fmt: skip

    def start(self) -> None:
        options = f"-c listen_addresses='' -c unix_socket_directories='{self.folder}'"
        for turn in range(20):
            try:
                self._run("pg_ctl", "-s", "-w", "-l", f"{self.folder}/log", "-o", options, "start")
                return
            except subprocess.CalledProcessError:  # what was killed is not quite dead
                if turn == 19:
                    raise
                time.sleep(0.25)

    def kill(self) -> None:
        """End it without a word, as a loss of power would: it recovers from its log."""
        self._run("pg_ctl", "-w", "-m", "immediate", "stop")

    def kill_hard(self) -> None:
        """SIGKILL: its other processes notice, and end when they do."""
        with open(f"{self.folder}/data/postmaster.pid") as file:
            os.kill(int(file.readline()), signal.SIGKILL)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """SIGSTOP for all of its processes: connections stay, and nothing answers."""
        with open(f"{self.folder}/data/postmaster.pid") as file:
            first = int(file.readline())
        told = subprocess.run(["pgrep", "-P", str(first)], capture_output=True, text=True)
        everyone = [first, *map(int, told.stdout.split())]
        for each in everyone:
            os.kill(each, signal.SIGSTOP)
        try:
            yield
        finally:
            for each in everyone:
                os.kill(each, signal.SIGCONT)

    def _end(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


@functools.cache
def postgres() -> Postgres:
    return Postgres()


@contextmanager
def fresh_postgres() -> Iterator[str]:
    """The address of an empty database."""
    import psycopg

    folder = postgres().folder
    name = f"test{os.getpid()}_{next(_numbers)}"
    place = f"postgresql://rbmle@/postgres?host={folder}"
    with psycopg.connect(place, autocommit=True) as base:
        base.execute(f"CREATE DATABASE {name}")
    yield f"postgresql://rbmle@/{name}?host={folder}"
    with psycopg.connect(place, autocommit=True) as base:
        base.execute(f"DROP DATABASE {name} WITH (FORCE)")


def decided(live: Any, id: str, context: Any = None) -> dict[str, Any]:
    """What the service must answer if this decider decides; without what it does not know."""
    t, probability = live.t, None
    try:
        arm, _, probability = live.decide(id=id, context=context)
    except ParameterError:  # a class of ours that does not tell, or LinTS
        arm = live.pull(id=id, context=context)
    return {"id": id, "arm": arm, "t": t, "probability": probability}
