"""`Decider.decide` chooses what `pull` chooses, and its probability is that of the choice."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evidence_cases import interpret

from rbmle import Decider, ParameterError

CASES = [
    ("ucb", "bernoulli", None, {}),
    ("ts", "bernoulli", None, {}),
    ("maillard-sampling", "bernoulli", None, {"patience": 3}),
    ("ts", "bernoulli", "discounted(0.9)", {}),
    ("ucb", "bernoulli", "window(9)", {}),
    ("ucb", "gaussian(0.5)", "linear(2)", {}),
]

SLOW = [pytest.param(each, marks=pytest.mark.slow) for each in CASES[3:]]


def play(decider: Any, choose: Any, late: int, rounds: int = 40) -> list[Any]:
    """What was chosen; the reward of each pull comes `late` rounds later, some are lost."""
    rng, pending, chosen = np.random.default_rng(1), [], []
    for t in range(rounds):
        reads = decider.evidence.reads()
        context = dict(zip(decider.arms, rng.normal(size=(4, 2)), strict=True)) if reads else None
        chosen.append(choose(decider, context))
        if rng.random() < 0.8:
            pending.append(chosen[-1])
        if len(pending) > late:
            arm = pending.pop(0)
            decider.update(arm, float(rng.random() < 0.2 + 0.1 * decider.arms.index(arm)))
        if t == 25:
            decider.disable("b")
    return chosen


@pytest.mark.parametrize("late", [0, 3])
@pytest.mark.parametrize("case", [*CASES[:3], *SLOW], ids=str)
def test_it_chooses_what_pull_does(case: Any, late: int, monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch)
    policy, family, evidence, more = case
    pulled = Decider(list("abcd"), policy, family, seed=5, evidence=evidence, **more)
    decided = Decider(list("abcd"), policy, family, seed=5, evidence=evidence, **more)

    def decide(decider: Any, context: Any) -> Any:
        known = decider.probabilities(context)
        assert sum(known.values()) == pytest.approx(1.0, abs=1e-9)
        assert set(known) == set(decider.enabled)
        made = decider.decide(context=context)
        assert made.probability == known[made.arm] > 0.0
        return made.arm

    expected = play(pulled, lambda decider, context: decider.pull(context=context), late)
    assert play(decided, decide, late) == expected
    assert decided._state() == pulled._state()


def test_arms_that_are_forced_have_probability_one(monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch)
    decider = Decider(["a", "b", "c"], "ts", "bernoulli", seed=1)
    assert decider.probabilities() == {"a": 1.0, "b": 0.0, "c": 0.0}
    assert [each.probability for each in decider.decide(3)] == [1.0, 1.0, 1.0]
    decider.update("a", 1.0)
    assert decider.probabilities() == {"a": 1.0, "b": 0.0, "c": 0.0}  # b and c are blind
    for _ in range(29):
        assert decider.decide().probability == 1.0
    assert decider.decide().arm == "b"  # it has waited for ten rounds an arm
    decider.disable("a")
    assert decider.probabilities() == {"b": 1.0, "c": 0.0} or decider.probabilities()["c"] == 1.0


def test_an_id_keeps_its_probability(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch)
    decider = Decider(["a", "b"], "ts", "bernoulli", seed=3)
    decider.update(["a", "b", "a", "b"], [1.0, 0.0, 0.0, 1.0])
    made = decider.decide(id="visit-7")
    assert (made.id, made.arm in "ab") == ("visit-7", True)
    assert made.probability == pytest.approx(0.5)
    decider.pull()
    assert decider.decide(id="visit-7") == made
    decider.save(tmp_path / "decider.json")
    loaded, copied = Decider.load(tmp_path / "decider.json"), pickle.loads(pickle.dumps(decider))
    assert loaded.decide(id="visit-7") == copied.decide(id="visit-7") == made
    assert loaded.decide() == copied.decide() == decider.decide()
    assert decider.pull(id="visit-8") == decider.decide(id="visit-8").arm
    assert decider.decide(id="visit-8").probability is None


def test_an_id_may_be_a_whole_number_of_numpy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interpret(monkeypatch)
    decider = Decider(["a", "b"], "ts", "bernoulli", seed=3)
    made = decider.decide(id=np.int64(7))
    assert type(made.id) is int
    decider.save(tmp_path / "decider.json")
    assert Decider.load(tmp_path / "decider.json").decide(id=7) == made


def test_what_has_no_probability_is_refused_and_nothing_is_pulled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    interpret(monkeypatch)
    decider = Decider(["a", "b"], "lints", "gaussian", evidence="linear(2)")
    context = {"a": [1.0, 0.0], "b": [0.0, 1.0]}
    with pytest.raises(ParameterError, match="does not draw the means of all arms together"):
        decider.decide(context=context)
    assert decider.t == 1
    with pytest.raises(ParameterError, match="'id' must be left out where 'n' is given"):
        Decider(["a", "b"], "ucb", "bernoulli").decide(2, id="x")  # type: ignore[call-overload]
