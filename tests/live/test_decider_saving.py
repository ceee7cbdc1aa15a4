"""A decider is saved whole, and a failed or killed save leaves the old file."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from decider_cases import red_and_blue

from rbmle.families import Bernoulli
from rbmle.live.decider import Decider
from rbmle.policies import (
    UCB,
    ThompsonSampling,
)


def test_everything_is_saved(tmp_path: Path) -> None:
    live = Decider(["a", 2, "ü"], UCB(0.1), Bernoulli(0.3), 2**64 - 1, 99, "first", replication=5)
    live.update(["a", 2, 2], [0.1, 1 / 3, 1e-17])
    live.pull(4)
    live.forget("ü")
    live.disable("a")
    live.save(tmp_path / "s.json")
    again = Decider.load(str(tmp_path / "s.json"))
    for name in ("policy", "family", "seed", "horizon", "ties", "replication", "t", "arms"):
        assert getattr(again, name) == getattr(live, name)
    for name in ("enabled", "counts", "means", "pending"):
        assert str(getattr(again, name)) == str(getattr(live, name))
    assert repr(again) == repr(live)
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == (tmp_path / "s.json").read_text()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["again.json", "s.json"]


def test_load_with_another_policy(tmp_path: Path) -> None:
    live = red_and_blue()
    live.update(["red", "blue"], [1.0, 0.0])
    live.save(tmp_path / "s")
    other = Decider.load(tmp_path / "s", policy=ThompsonSampling(), family=Bernoulli(2.0))
    assert (other.policy, other.family) == (ThompsonSampling(), Bernoulli(2.0))
    assert other.counts == live.counts


SAVER = """
import sys
from rbmle.live.decider import Decider
from rbmle.families import Bernoulli
from rbmle.policies import UCB
decider = Decider(range(200), UCB(), Bernoulli())
while True:
    decider.update(range(200), [1.0] * 200)
    decider.save(sys.argv[1])
    print("ready", flush=True)
"""


@pytest.mark.slow
def test_a_kill_leaves_the_old_or_the_new_file(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    red_and_blue().save(path)
    clock = random.Random(5)
    seen = 0
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", SAVER, str(path)], stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            time.sleep(clock.uniform(0.0, 0.15))
            process.send_signal(signal.SIGKILL)
        counts = Decider.load(path).counts
        assert len(counts) == 2 or len(set(counts.values())) == 1
        seen = max(seen, *counts.values())
    assert seen > 0


def test_a_failed_save_keeps_the_old_file(tmp_path: Path, monkeypatch: Any) -> None:
    live = red_and_blue()
    live.save(tmp_path / "s")
    old = (tmp_path / "s").read_text()

    def fail(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    live.update("red", 1.0)
    with pytest.raises(OSError, match="disk full"):
        live.save(tmp_path / "s")
    assert (tmp_path / "s").read_text() == old
    assert [each.name for each in tmp_path.iterdir()] == ["s"]
