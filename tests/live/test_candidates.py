"""A call may name its candidates: every policy, evidence and chooser chooses among them alone."""

from __future__ import annotations

import random
from string import ascii_lowercase
from typing import Any

import numpy as np
import pytest
from decider_cases import Greedy, Tally
from evidence_cases import interpret, state_of
from tiers import tiered

import rbmle
from rbmle import POLICIES, Decider, ParameterError
from rbmle.choosers import CachedBounds, Scan, Tournament, facts_for
from rbmle.policies import families_of

ARMS = list("abcde")
OURS = [each() for each in POLICIES.values() if each.__module__.startswith("rbmle.")]
FITS = [families_of(type(each))[0].__name__.lower() for each in OURS]
RULES = [
    (policy, "gaussian(0.5)" if family == "gaussian" else family, None)
    for policy, family in zip(OURS, FITS, strict=True)
]
KINDS = [
    (policy, "gaussian(0.5)", evidence)
    for policy in (rbmle.UCB(), Greedy(), Tally())
    for evidence in ("discounted(0.9)", "window(7)", "linear(2)", "linear(2, shared=False)")
]
MORE = [
    (rbmle.Floor("ucb", 0.1), "bernoulli", None),
    (rbmle.LinTS(), "gaussian(0.5)", "linear(2)"),
    (rbmle.UCB(), "bernoulli", "logistic(2)"),
    (rbmle.SuccessiveRejects(), "gaussian", "linear(2)"),
    (Tally(), "bernoulli", None),
]


def quick(case: Any) -> bool:
    return isinstance(case[0], (rbmle.UCB, rbmle.ThompsonSampling, rbmle.LinTS, Tally, rbmle.Floor))


def rounds(deciders: list[Decider[str]], ask: Any, late: float, count: int = 60) -> Any:
    """Ask each decider in each round; rewards come at random times, some never."""
    rng, chance = np.random.default_rng(2), random.Random(2)
    pending: list[str] = []
    arms = deciders[0].arms
    for t in range(count):
        among = chance.sample(arms, chance.randint(1, len(arms)))
        context = dict(zip(arms, rng.normal(size=(len(arms), 2)), strict=True))
        reads = deciders[0].evidence.reads()
        chosen = {ask(each, among, context if reads else None) for each in deciders}
        assert len(chosen) == 1, (t, chosen)
        assert chosen <= set(among)
        pending += chosen
        while pending and rng.random() > late:
            arm, reward = pending.pop(rng.integers(len(pending))), float(rng.random() < 0.5)
            for each in deciders:
                each.update(arm, reward)


@pytest.mark.parametrize(
    ("policy", "family", "evidence"), tiered(RULES + KINDS + MORE, quick), ids=str
)
def test_it_chooses_as_if_the_other_arms_were_disabled(
    policy: Any, family: Any, evidence: Any, monkeypatch: Any
) -> None:
    """And so with their probabilities. The other arm may be given features or not."""
    interpret(monkeypatch)
    masked, disabling = (
        Decider(ARMS, policy, family, seed=3, horizon=200, evidence=evidence, patience=20)
        for _ in range(2)
    )

    def known(decider: Decider[str], context: Any, **more: Any) -> Any:
        try:
            return decider.probabilities(context, **more)
        except ParameterError as mistake:  # it has none
            return str(mistake)

    def ask(decider: Decider[str], among: list[str], context: Any) -> Any:
        if decider is masked:
            some = context and {arm: context[arm] for arm in among}
            p = known(decider, some, among=among)
            chosen = decider.pull(context=some, among=among)
        else:
            others = set(ARMS) - set(among)
            for arm in others:
                decider.disable(arm)
            p = known(decider, context)
            chosen = decider.pull(context=context)
            for arm in others:
                decider.enable(arm)
        if not isinstance(p, str):
            assert sum(p[arm] for arm in among) == pytest.approx(1.0, abs=1e-9)
            assert p[chosen] > 0.0
            p = tuple(round(p[arm], 12) for arm in sorted(among))
        asked.append(p)
        return chosen

    asked: list[Any] = []
    slow = isinstance(policy, (rbmle.IDS, rbmle.VIDS))
    rounds([masked, disabling], ask, late=0.2, count=15 if slow else 60)
    assert asked[::2] == asked[1::2]


@pytest.mark.parametrize("late", [0.1, 0.6])
@pytest.mark.parametrize("policy", ["ucb", "rbmle", "moss", "klucb"])
def test_no_chooser_changes_a_choice(policy: str, late: float, monkeypatch: Any) -> None:
    """Some calls name no candidates: what a chooser caches must survive those that do."""
    interpret(monkeypatch)
    arms = list(ascii_lowercase[:21])
    deciders = [Decider(arms, policy, "bernoulli", seed=3, horizon=999) for _ in range(3)]
    live = deciders[0]
    facts: Any = facts_for(live.policy, live.family)
    choosers = Scan(21), CachedBounds.of(facts, 21), Tournament.of(facts, 21)
    for each, chooser in zip(deciders, choosers, strict=True):
        game: Any = each._live
        game.rules = game.rules._replace(chooser=chooser)
        game._one = game.rules, game.game  # what learns one reward tells this chooser

    def ask(decider: Decider[str], among: list[str], context: Any) -> Any:
        free = decider.pull(2)
        chosen = decider.pull(among=among)
        for arm in free:
            decider.update(arm, float(arm in "ace"))
        return chosen

    rounds(deciders, ask, late, 120)
    assert len({state_of(each) for each in deciders}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("case", [("ts", None), ("klucb", None), ("ucb", "linear(2)")], ids=str)
def test_compiled_choices_are_the_interpreters(case: Any, monkeypatch: Any) -> None:
    policy, evidence = case
    compiled = Decider(ARMS, policy, "gaussian(0.5)", seed=3, evidence=evidence)
    compiled.pull(among=ARMS, context={arm: [1.0, 0.0] for arm in ARMS} if evidence else None)
    with monkeypatch.context() as interpreting:
        interpret(interpreting)
        live = Decider(ARMS, policy, "gaussian(0.5)", seed=3, evidence=evidence)
        live.pull(among=ARMS, context={arm: [1.0, 0.0] for arm in ARMS} if evidence else None)

        def ask(decider: Decider[str], among: list[str], context: Any) -> Any:
            return decider.pull(among=among, context=context)

        rounds([compiled, live], ask, 0.3)


def test_a_blind_arm_that_is_no_candidate_is_left_alone(monkeypatch: Any) -> None:
    """Neither an arm whose reward is overdue nor the one pulled least is played in spite of it."""
    interpret(monkeypatch)
    decider = Decider(["a", "b", "c"], "ucb", "bernoulli", seed=1)
    assert [decider.pull(among=["a", "b"]) for _ in range(4)] == ["a", "b", "a", "b"]
    decider.update("a", 1.0)
    assert [decider.pull(among=["a"]) for _ in range(80)] == ["a"] * 80
    assert decider.pull(among=["a", "c"]) == "c"  # it was never pulled
    assert decider.pull(among=["a", "b"]) == "b"  # it is overdue


def test_an_id_keeps_its_arm_whatever_the_candidates(monkeypatch: Any) -> None:
    interpret(monkeypatch)
    decider = Decider(["a", "b", "c"], "ucb", "bernoulli")
    assert decider.pull(id="x", among=["b"]) == decider.pull(id="x", among=["c"]) == "b"
    made = decider.decide(id="y", among=["c"])
    assert made == ("c", "y", 1.0)
    decider.disable("c")
    assert decider.decide(id="y", among=["c"]) == decider.decide(id="y", among=[]) == made
    assert decider.pull(2, among=["a"]) == ["a", "a"]
    assert [each.arm for each in decider.decide(2, among={"b"})] == ["b", "b"]
    assert decider.t == 7


@pytest.mark.parametrize(
    ("among", "said"),
    [
        ([], "at least one enabled arm, one of 'a', 'b'. Got []"),
        (["a", "d"], "one of 'a', 'b'. Got 'd'"),
        (["c"], "one of 'a', 'b'. Got 'c'"),
        (["a", ["b"]], r"Got ['b']"),
        ("a", "must be a list of enabled arms. Got 'a'"),
        (7, "must be a list of enabled arms. Got 7"),
        (iter(()), "at least one enabled arm"),
    ],
)
def test_what_is_refused_changes_nothing(among: Any, said: str, monkeypatch: Any) -> None:
    interpret(monkeypatch)
    decider = Decider(["a", "b", "c"], "ts", "bernoulli")
    decider.disable("c")
    before = state_of(decider)
    for ask in (decider.pull, decider.decide, decider.probabilities):
        with pytest.raises(ParameterError) as raised:
            ask(among=among)  # type: ignore[operator]
        assert str(raised.value).startswith("Decider: 'among' must be ")
        assert said in str(raised.value)
    assert state_of(decider) == before
    assert not decider._live.game.pending.hidden.any()
    with pytest.raises(ParameterError, match="'among'"):
        decider.pull(id="x", among=["d"])
    assert decider.pull(id="x") == "a"


def test_a_refused_choice_leaves_no_arm_hidden(monkeypatch: Any) -> None:
    interpret(monkeypatch)
    decider = Decider(ARMS, "lints", "gaussian", evidence="linear(2)")
    context = {arm: [1e100, 1e100] for arm in ARMS}
    for ask in (decider.pull, decider.decide):
        with pytest.raises(ParameterError, match=r"'context'|'policy'"):
            ask(context=context, among=["b"])  # type: ignore[operator]
    with pytest.raises(ParameterError, match="every enabled arm, 'b' too"):
        decider.pull(context={"a": [1.0, 0.0]}, among=["a", "b"])
    assert not decider._live.game.pending.hidden.any()
    assert decider.pull(context={"a": [1.0, 0.0]}, among=["a"]) == "a"
