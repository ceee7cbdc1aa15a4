"""What a decider refuses: one sentence, and nothing changed."""

from __future__ import annotations

import math
from typing import Any

import pytest
from decider_cases import red_and_blue

from rbmle.errors import ParameterError
from rbmle.families import Bernoulli, Exponential, Gaussian
from rbmle.live.decider import Decider
from rbmle.policies import (
    MOSS,
    UCB,
    KGMin,
    ThompsonSampling,
)

REFUSED_AT_ONCE = [
    ({"arms": ["red"]}, "'arms' must be a list of at least two names. Got ['red']."),
    ({"arms": 3}, "'arms' must be a list of at least two names. Got 3."),
    ({"arms": "red"}, "'arms' must be a list of at least two names. Got 'red'."),
    ({"arms": ["a", "b", "a"]}, "'arms' must be distinct names. Got 'a'."),
    ({"arms": ["a", 1.5]}, "'arms' must be named by strings or whole numbers. Got 1.5."),
    ({"arms": ["a", True]}, "'arms' must be named by strings or whole numbers. Got True."),
    ({"family": UCB()}, "'family' must be an instance of a family class, as in Bernoulli()."),
    ({"family": Bernoulli}, "'family' must be written with parentheses, Bernoulli()."),
    ({"policy": "UBC"}, "'policy' must be one of 'Recommended', "),
    ({"policy": 2.0}, "Decider: 'policy' must be an instance of a policy class"),
    ({"policy": KGMin(), "family": Gaussian()}, "KGMin: 'family' must be Bernoulli"),
    ({"policy": MOSS()}, "'horizon' must be given for MOSS, which needs it. Got None."),
    ({"policy": MOSS(), "horizon": 0}, "'horizon' must be a whole number in [1, "),
    ({"seed": -1}, "'seed' must be a whole number in [0, "),
    ({"ties": "firts"}, "Got 'firts'. Did you mean 'first'?"),
    ({"replication": 2**32}, "'replication' must be a whole number in"),
]


@pytest.mark.parametrize(("given", "sentence"), REFUSED_AT_ONCE)
def test_refused_at_once(given: dict[str, Any], sentence: str) -> None:
    settings: dict[str, Any] = {"arms": ["red", "blue"], "policy": UCB(), "family": Bernoulli()}
    with pytest.raises(ParameterError) as caught:
        Decider(**{**settings, **given})
    assert sentence in str(caught.value)


REFUSED_LATER = [
    (lambda d: d.update("red", 2), "'reward' must be a number in [0, 1] for Bernoulli. Got 2."),
    (lambda d: d.update("red", math.nan), "Got nan."),
    (lambda d: d.update("red", math.inf), "Got inf."),
    (lambda d: d.update("red", "1"), "Got '1'."),
    (lambda d: d.update("red", None), "Got None."),
    (lambda d: d.update("red", [1.0]), "Got [1.0]."),
    (lambda d: d.update(["red"], 1.0), "'reward' must be a list of 1 numbers"),
    (lambda d: d.update(["red", "blue"], [1.0]), "'reward' must be a list of 2 numbers"),
    (lambda d: d.update(["red", "blue"], [1.0, -1]), "[0, 1] for Bernoulli. Got -1."),
    (lambda d: d.update(["red", "bleu"], [1, 1]), "Got 'bleu'. Did you mean 'blue'?"),
    (
        lambda d: d.update("rde", 1.0),
        "must be one of 'red', 'blue'. Got 'rde'. Did you mean 'red'?",
    ),
    (lambda d: d.update(None, 1.0), "'arm' must be one of 'red', 'blue'. Got None."),
    (lambda d: d.update([["red"]], [1.0]), "Got ['red']."),
    (lambda d: d.pull(0), "'n' must be a whole number in [1, inf). Got 0."),
    (lambda d: d.pull(1.5), "Got 1.5."),
    (lambda d: d.forget("blue"), "'arm' must be one with a pending pull. Got 'blue'."),
    (lambda d: d.forget("red", 2), "'n' must be at most 1, the pending pulls of 'red'. Got 2."),
    (lambda d: d.forget("red", -1), "'n' must be a whole number in [1, inf). Got -1."),
    (lambda d: d.add("red"), "'arm' must be a name that is not in use. Got 'red'."),
    (lambda d: d.add(None), "'arm' must be named by strings or whole numbers. Got None."),
    (lambda d: d.remove("green"), "Got 'green'."),
    (lambda d: d.disable("rd"), "Did you mean 'red'?"),
    (lambda d: d.enable(0), "Got 0."),
]


@pytest.mark.parametrize(("act", "sentence"), REFUSED_LATER)
def test_refused_and_nothing_changed(act: Any, sentence: str) -> None:
    live = red_and_blue()
    live.update("blue", 0.5)
    live.pull()
    before = repr(live)
    with pytest.raises(ParameterError) as caught:
        act(live)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert repr(live) == before


def test_the_last_enabled_arm_stays() -> None:
    live = red_and_blue()
    live.disable("red")
    for act in (live.disable, live.remove):
        with pytest.raises(ParameterError, match=r"one that leaves another enabled\. Got 'blue'"):
            act("blue")
    live.remove("red")
    assert live.arms == ("blue",)
    assert live.pull() == "blue"


@pytest.mark.slow
def test_rewards_outside_other_supports() -> None:
    for family, reward in ((Exponential(), -0.5), (Gaussian(), math.inf), (Gaussian(), 1e200)):
        live = Decider(["a", "b"], UCB(), family)
        with pytest.raises(ParameterError, match="'reward' must be a number in"):
            live.update("a", reward)
        assert live.t == 1


def test_no_index_no_indices() -> None:
    live = Decider(["a", "b"], ThompsonSampling(), Bernoulli())
    with pytest.raises(ParameterError, match="'policy' must be one that ranks arms by an index"):
        live.indices()


def test_many_names_are_not_all_listed() -> None:
    live = Decider([f"arm {i}" for i in range(50)], UCB(), Bernoulli())
    with pytest.raises(ParameterError) as caught:
        live.update("Arm 49", 1.0)
    assert str(caught.value).endswith("and 42 more. Got 'Arm 49'. Did you mean 'arm 49'?")
