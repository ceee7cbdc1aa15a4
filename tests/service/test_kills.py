"""The service, or PostgreSQL, is killed under load: what clients were told is kept, counted once.

RBMLE_KILLS sets how often; CI kills a few times, a release is tested with 20.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest
from served import Service
from service_cases import fresh_postgres, postgres

from rbmle.service.client import Client
from rbmle.service.rows import Kind
from rbmle.service.storage import open_storage
from rbmle.service.verify import verify

# One experiment counts, one decides from snapshots, and one reads features, which come with each
# decision.
X = {"a": [1.0, 0.0], "b": [0.6, 0.8], "c": [0.0, -1.0]}
KILLS = int(os.environ.get("RBMLE_KILLS", "2"))


class Caller(threading.Thread):
    """Asks and tells all the time, and notes what it was told."""

    def __init__(self, number: int, address: str) -> None:
        super().__init__(daemon=True)
        self.number, self.client = number, Client(address, timeout=5.0, patience=120.0)
        self.arms: dict[str, str] = {}
        self.rewards: dict[str, float] = {}
        self.stopping = False
        self.changed: list[str] = []

    def run(self) -> None:
        count = 0
        while not self.stopping:
            count += 1
            id = f"c{self.number}-{count}"
            name = ("features", "x", "snapshot")[count % 3]
            context = X if name == "features" else None
            self.arms[id] = self.client.decide(name, id, context).arm
            if count % 5 == 0 and self.client.decide(name, id, context).arm != self.arms[id]:
                self.changed.append(id)
            if count % 7:
                value = float(count % 2)
                self.client.reward(id, value)
                self.rewards[id] = value
        self.client.close()


@pytest.mark.slow
def test_the_service_is_killed(url: str) -> None:
    def kill(service: Service) -> None:
        service.kill()
        service.start()
        service.ready()

    nothing_is_lost(url, kill)


@pytest.mark.postgres
def test_postgres_is_killed() -> None:
    """The service goes on by itself when the database is back; nobody starts it again."""

    def kill(service: Service) -> None:
        postgres().kill_hard()
        time.sleep(0.3)
        assert service.process is not None
        assert service.process.poll() is None
        postgres().start()
        service.ready()

    with fresh_postgres() as url:
        nothing_is_lost(url, kill)


def nothing_is_lost(url: str, kill: Callable[[Service], None]) -> None:
    service = Service(url)
    with service, Client(service.address) as client:
        client.create("x", ["a", "b", "c"], "ucb", seed=1)
        client.create("features", "abc", "ucb", "gaussian", evidence="linear(dimension=2)")
        client.create("snapshot", ["a", "b", "c"], "ucb", seed=1, consistency="snapshot")
        callers = [Caller(number, service.address) for number in range(8)]
        for each in callers:
            each.start()
        for _ in range(KILLS):
            time.sleep(0.7)
            kill(service)
        time.sleep(0.5)
        for each in callers:
            each.stopping = True
        for each in callers:
            each.join(60)
            assert not each.is_alive()
        assert service.stop() == 0
    arms = {id: arm for each in callers for id, arm in each.arms.items()}
    rewards = {id: value for each in callers for id, value in each.rewards.items()}
    assert len(arms) > 20 * KILLS
    assert not [each.changed for each in callers if each.changed]
    storage = open_storage(url)
    with storage.reading():
        rows = [row for number in (1, 2, 3) for row in storage.rows(number, 1)]
    decided = {row.id: "abc"[row.arm or 0] for row in rows if row.kind == Kind.DECISION}
    place = {row[:2]: row.id for row in rows if row.kind == Kind.DECISION}
    paid = {
        place[row.experiment, row.of or 0]: row.value for row in rows if row.kind == Kind.REWARD
    }
    assert {row.context for row in rows if row.experiment == 2 and row.kind == Kind.DECISION} == {
        "[[1.0,0.0],[0.6,0.8],[0.0,-1.0]]"
    }
    assert {id: decided.get(id) for id in arms} == arms
    assert {id: paid.get(id) for id in rewards} == rewards
    assert len(decided) == len(place)  # no id twice, and none without
    assert None not in decided
    assert len(paid) == sum(row.kind == Kind.REWARD for row in rows)
    assert [each.wrong for each in verify(storage)] == ["", "", ""]
    storage.close()
    told = subprocess.run(
        [sys.executable, "-m", "rbmle", "service", "verify", "--database", url],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told
    print(f"{KILLS} kills, {len(arms)} decisions and {len(rewards)} rewards told")
