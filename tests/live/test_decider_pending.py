"""Batches, late and lost rewards, and many threads: no pull and no reward is miscounted."""

from __future__ import annotations

import random
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from decider_cases import red_and_blue

from rbmle.families import Bernoulli
from rbmle.live.decider import Decider
from rbmle.policies import (
    UCB,
    ThompsonSampling,
)


def test_rewards_in_any_order_give_the_same_state() -> None:
    first, second = red_and_blue(), red_and_blue()
    arms = first.pull(40)
    assert second.pull(40) == arms
    rewards = [float(i % 2) for i in range(40)]
    assert first.t == 41
    assert first.counts == {"red": 0, "blue": 0}
    for arm, reward in zip(arms, rewards, strict=True):
        first.update(arm, reward)
    order = random.Random(1).sample(range(40), 40)
    second.update([arms[i] for i in order], np.array(rewards)[order])
    assert repr(first) == repr(second)
    assert first.t == second.t == 41
    assert first.pending == {"red": 0, "blue": 0}
    assert first.counts == Counter(arms)
    assert [first.pull() for _ in range(9)] == [second.pull() for _ in range(9)]


def test_a_batch_spreads_over_the_arms() -> None:
    live = Decider(list("abcd"), UCB(), Bernoulli())
    assert live.pull(4) == list("abcd")  # each once, without a reward
    assert live.pull(4) == list("abcd")  # then the fewest pending
    live.update("c", 1.0)
    assert live.pull(3) == list("ccc")  # the only one that can have an index
    live.update(list("abd"), [0.5, 0.5, 0.5])
    assert set(live.pull(40)) == set("abcd")


def test_pending_pulls_pay_the_mean() -> None:
    """A policy sees pending pulls as if each had paid the arm's mean."""
    live, fed = red_and_blue(), red_and_blue()
    for each in (live, fed):
        each.update(["red"] * 4 + ["blue"] * 2, [1.0, 0.0, 1.0, 0.0, 0.25, 0.25])
    for _ in range(30):
        arm = live.pull()
        assert fed.pull() == arm
        fed.update(arm, fed.means[arm])
    assert live.indices() == pytest.approx(fed.indices())


def test_rewards_of_pulls_made_elsewhere_count() -> None:
    live = red_and_blue()
    live.update("red", 1)
    live.update("blue", np.float64(0.5))
    assert live.t == 3
    assert live.counts == {"red": 1, "blue": 1}
    assert live.means == {"red": 1.0, "blue": 0.5}
    live.update([], [])
    assert live.t == 3


def test_forget_withdraws_a_pull() -> None:
    live = red_and_blue()
    assert live.pull(3) == ["red", "blue", "red"]
    live.forget("red", 2)
    assert live.pending == {"red": 0, "blue": 1}
    assert live.t == 2
    assert live.pull() == "red"


@pytest.mark.slow
def test_lost_rewards_do_not_freeze_the_draws() -> None:
    live = Decider(["red", "blue"], ThompsonSampling(), Bernoulli())
    live.update(["red", "blue"], [1.0, 1.0])
    seen = set()
    for _ in range(40):
        arm = live.pull()
        seen.add(arm)
        live.forget(arm)
    assert seen == {"red", "blue"}
    assert live.t == 3


def test_many_threads_keep_the_totals(tmp_path: Path) -> None:
    live = Decider(range(5), UCB(), Bernoulli())
    pulled: list[Counter[Any]] = []

    def work(number: int) -> None:
        mine: Counter[Any] = Counter()
        for i in range(300):
            arms = live.pull(3) if i % 5 == 0 else [live.pull()]
            live.update(arms, [1.0] * len(arms))
            mine.update(arms)
            if i % 100 == 0:
                live.save(tmp_path / "s")
                live.disable(number)
                live.enable(number)
        pulled.append(mine)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    total = sum(pulled, Counter())
    assert live.counts == total
    assert sum(total.values()) == 4 * (240 + 60 * 3)
    assert live.t == sum(total.values()) + 1
    assert set(live.pending.values()) == {0}
    assert set(live.means.values()) == {1.0}
    assert Decider.load(tmp_path / "s").arms == live.arms
