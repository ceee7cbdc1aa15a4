"""Arms that come and go, and what a decider says of them."""

from __future__ import annotations

import math

import pytest
from decider_cases import decider_for, play, red_and_blue, table

from rbmle.families import Bernoulli
from rbmle.live.decider import Decider
from rbmle.policies import (
    KG,
    UCB,
)


def test_disabled_arms_are_not_played_but_learn() -> None:
    live = Decider(list("abc"), UCB(), Bernoulli())
    live.update(list("abc"), [1.0, 0.0, 0.0])
    live.disable("a")
    assert live.enabled == ("b", "c")
    assert live.arms == ("a", "b", "c")
    assert "a" not in live.pull(20)
    live.update("a", 1.0)
    assert live.counts["a"] == 2
    live.enable("a")
    live.update(live.pull(50), [0.0] * 50)
    assert live.counts["a"] > 2


def test_what_is_disabled_might_as_well_not_be_there() -> None:
    rewards = table(Bernoulli())[0]
    three, two = Decider([9, 0, 1], UCB(), Bernoulli()), Decider([0, 1], UCB(), Bernoulli())
    three.disable(9)
    assert play(three, rewards, 0, 100) == play(two, rewards, 0, 100)


def test_a_new_arm_is_played_and_a_removed_one_is_gone() -> None:
    live = red_and_blue()
    live.update(["red", "blue"], [1.0, 1.0])
    live.add("green")
    assert live.pull() == "green"
    live.update("green", 0.0)
    live.remove("red")
    assert live.arms == ("blue", "green")
    assert live.t == 3
    live.disable("green")
    assert live.pull(3) == ["blue"] * 3
    live.add("red")
    assert live.counts["red"] == 0


def test_the_largest_index_is_played() -> None:
    rewards = table(Bernoulli())[0]
    live = decider_for((UCB(), Bernoulli()))
    assert set(live.indices().values()) == {math.inf}
    play(live, rewards, 0, 50)
    for t in range(50, 100):
        indices = live.indices()
        assert indices[live.pull()] == max(indices.values())
        live.update(max(indices, key=lambda arm: indices[arm]), rewards[t, 0])
    arms = live.counts
    i = 2
    width = math.sqrt(2 * math.log(live.t) / arms[i])
    assert live.indices()[i] == pytest.approx(live.means[i] + width)


def test_indices_before_a_reward() -> None:
    live = red_and_blue()
    live.pull()
    assert math.isnan(live.indices()["red"])
    assert live.indices()["blue"] == math.inf
    live.update("red", 1.0)
    assert live.indices()["red"] == pytest.approx(1.0 + math.sqrt(2 * math.log(2)))


def test_repr_is_a_small_table() -> None:
    live = red_and_blue()
    live.update("red", 0.25)
    live.pull()
    live.disable("red")
    assert repr(live).splitlines() == [
        "Decider: UCB(alpha=2.0), Bernoulli(prior_a=1.0, prior_b=1.0), round 3",
        "arm      pulls      mean   pending",
        "red          1      0.25         0  disabled",
        "blue         0       nan         1",
    ]


def test_past_the_horizon_the_rule_stays_in_its_last_round() -> None:
    live = Decider(["a", "b"], KG(), Bernoulli(), horizon=10)
    live.update(["a", "b"] * 20, [1.0, 0.0] * 20)
    assert live.pull(5) == ["a"] * 5
