"""Slates: k distinct arms in order, as k pulls, each among the arms that have no place yet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from evidence_cases import interpret, state_of

from rbmle import Decider, ParameterError

ARMS = list("abcde")
CASES = [
    ("ucb", "bernoulli", None),
    ("ts", "bernoulli", None),
    ("ucb", "bernoulli", "discounted(0.9)"),
    ("lints", "gaussian(0.5)", "linear(2)"),
    ("floor(ucb, 0.1)", "bernoulli", None),
]


@pytest.fixture(autouse=True)
def in_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_slate_is_pulls_among_those_that_are_left(case: Any) -> None:
    policy, family, evidence = case
    slates, pulls = (Decider(ARMS, policy, family, seed=2, evidence=evidence) for _ in range(2))
    rng = np.random.default_rng(1)
    for t in range(40):
        among = None if t % 2 else ["a", "b", "d", "e"]
        features = (
            dict(zip(ARMS, rng.normal(size=(5, 2)), strict=True))
            if slates.evidence.reads()
            else None
        )
        slate = slates.pull(k=3, id=t, among=among, context=features)
        assert len(set(slate)) == 3
        left = list(among or ARMS)
        for place, arm in enumerate(slate, 1):
            assert pulls.pull(id=f"{t}.{place}", among=left, context=features) == arm
            left.remove(arm)
        for place in (3, 1, 2)[: 1 + t % 3]:
            reward = float(rng.random() < 0.5)
            for each in (slates, pulls):
                each.update(id=f"{t}.{place}", reward=reward)
    assert state_of(slates) == state_of(pulls)


def test_an_index_policy_plays_its_top_k() -> None:
    decider = Decider(ARMS, "ucb", "bernoulli")
    decider.update(ARMS * 4, [0.1, 0.9, 0.5, 0.3, 0.7] * 4)
    ranked = sorted(decider.indices(), key=decider.indices().__getitem__, reverse=True)
    assert decider.pull(k=5) == ranked == ["b", "e", "c", "d", "a"]


def test_thompson_sampling_draws_without_replacement() -> None:
    """With two equal arms, and one that is worse, the order is by lot, place by place."""
    decider = Decider(["a", "b", "c"], "ts", "bernoulli", seed=5)
    decider.update(["a", "b", "c"] * 40, [1, 1, 0, 0, 0, 0] * 20)
    before = decider.probabilities()
    made = decider.decide(k=2)
    assert made[0].probability == before[made[0].arm]
    left = {arm: p for arm, p in before.items() if arm != made[0].arm}
    assert made[1].arm in left
    firsts = [decider.pull(k=2)[0] for _ in range(60)]
    assert {"a", "b"} <= set(firsts)


def test_a_slate_that_is_asked_for_again_is_the_same() -> None:
    decider = Decider(ARMS, "ts", "bernoulli", seed=1)
    made = decider.decide(k=3, id="v")
    assert [each.id for each in made] == ["v.1", "v.2", "v.3"]
    decider.disable(made[0].arm)
    assert decider.decide(k=3, id="v", among=["nothing of it"]) == made
    assert decider.pull(k=3, id="v") == [each.arm for each in made]
    assert decider.pull(k=2, id="v") == [each.arm for each in made[:2]]
    assert decider.t == 4
    longer = decider.pull(k=4, id="v")  # the places that are known stay
    assert longer[:3] == [each.arm for each in made]
    assert len(set(longer)) == 4


def test_places_that_nobody_saw_are_forgotten() -> None:
    decider = Decider(ARMS, "ucb", "bernoulli")
    first, second, third = decider.pull(k=3)
    decider.update(first, 0.0)
    decider.update(second, 1.0)
    decider.forget(third)
    assert sum(decider.pending.values()) == 0
    assert decider.t == 3


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"k": 0}, r"'k' must be a whole number in \[1, inf\)"),
        ({"k": 2.5}, "'k' must be a whole number"),
        ({"k": 6}, r"'k' must be a whole number in \[1, 5\], the number of candidates. Got 6"),
        ({"k": 3, "among": ["a", "b"]}, r"in \[1, 2\], the number of candidates. Got 3"),
        ({"k": 2, "among": ["z"]}, "'among'"),
        ({"k": 2, "n": 2}, "'n' must be left out where 'k' is given"),
        ({"k": 2, "id": 1.5}, "'id'"),
        ({"k": 2, "context": [1.0]}, "'context'"),
    ],
)
def test_what_is_refused_changes_nothing(asked: Any, said: str) -> None:
    decider = Decider(ARMS, "ucb", "bernoulli")
    before = state_of(decider)
    for ask in (decider.pull, decider.decide):
        with pytest.raises(ParameterError, match=said):
            ask(**asked)  # type: ignore[operator]
    assert state_of(decider) == before
    assert not decider._live.game.pending.hidden.any()
