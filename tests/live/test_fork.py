"""A fork chooses on from a moment of a game, and the game does not notice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rbmle import Decider, Floor
from rbmle.live.fork import Fork, why_no_fork
from rbmle.live.live_game import LiveGame
from rbmle.live.state import plain_game


def played(policy: Any, evidence: str | None = None, pending: int = 0) -> LiveGame:
    """The game of a decider that has some rewards, and pulls that wait for theirs."""
    decider = Decider(["a", "b", "c"], policy, "bernoulli", seed=1, evidence=evidence)
    for number in range(40):
        decider.update(decider.pull(), float(number % 3 == 0))
    decider.pull(1 + pending)
    return decider._live


@pytest.mark.parametrize(
    ("policy", "evidence"),
    [("ucb", None), pytest.param("ts", None, marks=pytest.mark.slow),
     pytest.param("ucb", "discounted(gamma=0.9)", marks=pytest.mark.slow)],
)  # fmt: skip
def test_the_game_does_not_notice(policy: str, evidence: str | None) -> None:
    live = played(policy, evidence)
    before = plain_game(live)
    fork = Fork(live)
    first = [fork.choose(seed) for seed in range(30)]
    assert plain_game(live) == before
    assert [each.t for each in first] == list(range(live.rounds + 1, live.rounds + 31))
    again = Fork(live)
    for number in range(20):  # what the game does meanwhile changes nothing
        live.learn(live.pull(), float(number % 2))
    assert [again.choose(seed) for seed in range(30)] == first


def test_it_chooses_what_the_game_would() -> None:
    """An index policy without ties has no use for random numbers."""
    live = played("ucb", pending=2)
    fork = Fork(live)
    chosen = [fork.choose(seed).arm for seed in range(12)]
    assert chosen == [live.pull().place for _ in range(12)]


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["ts", "ucb", Floor("ucb", 0.1)])
def test_an_arm_is_chosen_as_often_as_its_probability_says(policy: Any) -> None:
    live, n = played(policy), 4_000
    choices = [Fork(live).choose(seed) for seed in range(n)]
    for arm in range(3):
        told = {each.probability for each in choices if each.arm == arm}
        share = np.mean([each.arm == arm for each in choices])
        p = told.pop() if told else 0.0
        assert not told
        assert abs(share - p) <= 4.0 * np.sqrt(p * (1.0 - p) / n)


@pytest.mark.slow
def test_who_has_no_fork() -> None:
    linear = Decider(["a", "b"], "ucb", "gaussian", evidence="linear(dimension=2)")
    assert "which reads features" in why_no_fork(linear._settings)
    assert why_no_fork(Decider(["a", "b"], "ucb", "bernoulli")._settings) == ""
