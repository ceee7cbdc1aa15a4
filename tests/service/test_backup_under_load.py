"""`rbmle service backup` and `restore` as an operator types them, while callers ask."""

from __future__ import annotations

import threading
import time
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from served import Service
from service_cases import clean, fresh_postgres

from rbmle.cli.main import run
from rbmle.service.client import Client
from rbmle.service.rows import Kind
from rbmle.service.storage import open_storage

CALLERS = 4


class Caller(threading.Thread):
    """Asks for decisions and rewards them. counted: ids whose rewards were told to count."""

    def __init__(self, address: str, number: int, stopping: threading.Event) -> None:
        super().__init__()
        self.address, self.number, self.stopping = address, number, stopping
        self.counted: list[str] = []

    def run(self) -> None:
        with Client(self.address, timeout=120.0) as client:  # it sends again what is not answered
            while not self.stopping.is_set():
                id = f"visit-{self.number}-{len(self.counted)}"
                client.decide("x", id=id)
                client.reward(id, 1.0)
                self.counted.append(id)


@contextmanager
def database(kind: str, tmp_path: Path):
    if kind == "sqlite":
        yield f"sqlite:///{tmp_path}/rbmle.db"
    else:
        with fresh_postgres() as url:
            yield url


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_what_was_told_before_a_backup_is_in_it(kind: str, tmp_path: Path) -> None:
    stopping = threading.Event()
    body = {"arms": ["a", "b"], "policy": "ucb", "family": "bernoulli", "seed": 1}
    with database(kind, tmp_path) as url, Service(url) as service:
        with Client(service.address, timeout=120.0) as client:
            client.create("x", **body)
        callers = [Caller(service.address, k, stopping) for k in range(CALLERS)]
        for each in callers:
            each.start()
        told: list[set[str]] = []
        try:
            for turn in range(3):
                while sum(len(each.counted) for each in callers) < 40 * (turn + 1):
                    assert all(each.is_alive() for each in callers)
                    time.sleep(0.01)
                told.append({id for each in callers for id in [*each.counted]})
                assert run(["service", "backup", f"{tmp_path}/{turn}.db", "--database", url]) == 0
        finally:
            stopping.set()
            for each in callers:
                each.join()
        assert all(len(each.counted) > 0 for each in callers)
    for turn, before in enumerate(told):
        target = f"sqlite:///{tmp_path}/restored-{turn}.db"
        assert run(["service", "restore", f"{tmp_path}/{turn}.db", "--database", target]) == 0
        with closing(open_storage(target, read_only=True)) as storage:
            assert clean(storage)
            with storage.reading():
                rows = storage.rows(1, 0)
        rewarded = {row.of for row in rows if row.kind == Kind.REWARD}
        assert before <= {row.id for row in rows if row.seq in rewarded}
