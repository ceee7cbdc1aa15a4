"""What a policy remembers of each arm, live: it goes where the arm goes, and is saved with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from decider_cases import Tally
from evidence_cases import interpret, simulated

import rbmle
from rbmle import Decider, StateError


@pytest.fixture(autouse=True)
def in_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch)


def tally(**settings: Any) -> Decider[str]:
    return Decider(["a", "b", "c"], Tally(), rbmle.Bernoulli(), **settings)


def play(live: Decider[str], rounds: int) -> str:
    arms = ""
    for _ in range(rounds):
        arms += live.pull()
        live.update(arms[-1], 1.0)
    return arms


def test_numbers_of_an_arm_stay_with_it() -> None:
    live = tally()
    assert play(live, 4) == "abca"
    assert live._live.memory == [4.0, 2.0, 1.0, 1.0]
    live.disable("b")  # the number that belongs to no arm begins anew
    assert live._live.memory == [0.0, 2.0, 1.0, 1.0]
    assert play(live, 3) == "cac"
    live.add("d")  # whose number is 0
    assert live._live.memory == [0.0, 3.0, 1.0, 3.0, 0.0]
    assert play(live, 4) == "ddda"
    live.remove("a")
    assert live._live.memory == [0.0, 1.0, 3.0, 3.0]
    live.enable("b")
    assert play(live, 3) == "bbb"
    assert live._live.memory == [3.0, 4.0, 3.0, 3.0]


def test_a_saved_decider_contains_them(tmp_path: Path) -> None:
    live = tally()
    play(live, 5)
    live.disable("a")
    play(live, 2)
    live.save(tmp_path / "state.json")
    again = Decider.load(tmp_path / "state.json")
    assert again._live.memory == live._live.memory == [2.0, 2.0, 3.0, 2.0]
    again.enable("a")
    live.enable("a")
    assert play(again, 7) == play(live, 7)
    saved = json.loads((tmp_path / "state.json").read_text())
    (tmp_path / "state.json").write_text(json.dumps({**saved, "memory": [0.0, 1.0, 1.0]}))
    with pytest.raises(StateError, match="'memory' must be a list of 4 finite numbers"):
        Decider.load(tmp_path / "state.json")


def test_what_is_noted_of_an_arm_is_kept_while_rewards_are_pending() -> None:
    """The other number is not: what `choose` writes to it may rest on imputed rewards, and where
    arms wait for their first reward it sees only the others."""
    live = tally()
    assert "".join(live.pull(2)) == "ab"
    assert live._live.memory == [1.0, 1.0, 1.0, 0.0]  # "a" was chosen among all arms
    live.update(["a", "b"], [1.0, 0.0])
    assert "".join(live.pull(4)) == "caba"
    assert live._live.memory[1:] == [3.0, 2.0, 1.0]
    live.update("c", 1.0)


@pytest.mark.parametrize("delay", [None, rbmle.FixedDelay(3), rbmle.GeometricDelay(4)])
def test_arms_are_played_evenly_however_late_rewards_come(delay: Any) -> None:
    problem = rbmle.Problem("bernoulli", [0.2, 0.5, 0.6])
    chosen = simulated(Tally(), problem, 60, delay, rbmle.Counting())
    assert all(15 <= chosen.count(i) <= 25 for i in range(3))
    if delay is None:
        assert "".join("abc"[i] for i in chosen) == play(tally(), 60)


@rbmle.policy
class Hopeful(NamedTuple):
    """An index for arms without a reward too."""

    c: float = 1.0

    def index_of(self, family: Any, arms: Any, i: int, level: float) -> float:
        return float((arms.sums[i] + self.c) / (arms.pulls[i] + 1.0))

    def plays_each_first(self) -> bool:
        return False


def test_an_arm_without_a_reward_has_an_index() -> None:
    live = Decider(["a", "b", "c"], Hopeful(0.5), rbmle.Bernoulli(), ties="first")
    assert live.indices() == {"a": 0.5, "b": 0.5, "c": 0.5}
    assert play(live, 3) == "aaa"
    assert live.indices() == {"a": 3.5 / 4.0, "b": 0.5, "c": 0.5}
