"""What a call may not say: one sentence each, nothing is lost, and the decider goes on."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from evidence_cases import interpret

from rbmle import Decider, Guardrail, ParameterError

Call = Callable[[Decider[str]], object]


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> Decider[str]:
    """Arms cost something, one is asleep by hand, a decision waits, and little is left."""
    interpret(monkeypatch)
    made = Decider(
        ["a", "b", "c"], "ucb", "bernoulli", seed=1, cost={"a": 1, "b": 2, "c": 3}, price=0.1,
        budget=8, guardrails=[Guardrail("errors", at_most=0.1)],
    )  # fmt: skip
    made.disable("c")
    made.pull(id="v")
    made.pull(4)
    return made


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda d: d.update("z", 1.0, metrics={"errors": 0}), "'arm' must be one of 'a', 'b', 'c'"),
        (lambda d: d.pull(among=["z"]), "at least one enabled arm, one of 'a', 'b'. Got 'z'"),
        (lambda d: d.pull(among=["c"]), "at least one enabled arm, one of 'a', 'b'. Got 'c'"),
        (lambda d: d.pull(among=[]), "'among' must be a list of at least one enabled arm"),
        (lambda d: d.pull(k=3), "'k' must be a whole number in [1, 2], the number of candidates"),
        (lambda d: d.pull(among=["b"]), "'budget' must be enough for a candidate. Got 1 left of"),
        (lambda d: d.update("a", 1.0, cost=-1, metrics={"errors": 0}), "'cost' must be left out"),
        (lambda d: d.update("a", 1.0), "'metrics' must be given with 'errors', a number in [0, 1]"),
        (lambda d: d.update("a", 2.0, metrics={"errors": 0}), "'reward' must be a number in [0"),
        (lambda d: d.update(id="v", reward=1, metrics={"errors": -1}), "a number in [0, 1]. Got "),
        (lambda d: d.forget(id="w"), "'id' must be that of a pending pull, and given alone. Got"),
        (lambda d: d.forget("a", id="v"), "'id' must be that of a pending pull, and given alone."),
        (lambda d: d.forget("a", 9), "'n' must be at most 3, the pending pulls of 'a'. Got 9"),
        (lambda d: d.disable("z"), "'arm' must be one of 'a', 'b', 'c'. Got 'z'"),
    ],
)  # fmt: skip
def test_one_sentence_and_nothing_is_lost(live: Decider[str], call: Call, told: str) -> None:
    assert live.spend.left == 1.0
    before: Any = copy.deepcopy(live._state())
    with pytest.raises(ParameterError) as refused:
        call(live)
    assert told in str(refused.value)
    assert str(refused.value).count(". ") <= 1  # what must be, and what was given
    assert live._state() == before
    live.update(id="v", reward=1.0, metrics={"errors": 0})
    assert live.pull(among=["a"]) == "a"


@pytest.mark.parametrize("cost", [{"a": 1, "b": -2}, -1.0])
def test_a_negative_cost_is_refused(cost: Any) -> None:
    with pytest.raises(ParameterError, match=r"'cost' must be a number in \[0, inf\)\. Got -"):
        Decider(["a", "b"], "ucb", "bernoulli", cost=cost, price=1)


def test_a_decision_is_forgotten_by_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is as if its place had not been filled: the same as `forget(arm)`, and the id is free."""
    interpret(monkeypatch)
    made = [Decider(["a", "b", "c"], "ts", "bernoulli", seed=5) for _ in range(2)]
    slates = [each.pull(k=3, id="v") for each in made]
    made[0].forget(id="v.3")
    made[1].forget(slates[1][2])
    for each in made:
        each.update(id="v.1", reward=1.0)
        each.update(id="v.2", reward=0.0)
    assert made[0].pending == made[1].pending
    assert [made[0].pull() for _ in range(9)] == [made[1].pull() for _ in range(9)]
    with pytest.raises(ParameterError, match="'id' must be that of a pending pull"):
        made[0].forget(id="v.1")
    assert made[0].pull(id="v.3", among=["b"]) == "b"
