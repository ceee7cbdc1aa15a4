"""Arms that come and go: what evidence remembers goes where its arms go."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from rbmle import Arms, ParameterError
from rbmle.evidence import Discounted, Features, Linear, Logistic, Window, evidence

RNG = np.random.default_rng(11)
X = RNG.normal(size=(5, 2))
PLAIN = [Discounted(0.9), Discounted(1.0), Window(7), Window(100)]
WITH_FEATURES = [Linear(2), Linear(2, shared=False), Logistic(2)]


class Case:
    """Statistics and memory of some of the arms 0, ..., 4."""

    def __init__(self, kind: Any, names: list[int]) -> None:
        self.kind, self.names = kind, names
        self.arms, self.memory = Arms.fresh(len(names)), np.zeros(kind.memory_size(len(names)))
        kind.begin(self.arms, self.memory)

    def learn(self, told: list[tuple[int, float]]) -> Case:
        features = Features(X[self.names])
        for name, reward in told:
            place = self.names.index(name)
            self.kind.learn(self.arms, self.memory, features, True, place, reward)
        return self

    def relayout(self, names: list[int]) -> Case:
        """The same after arms came and went."""
        new = Case(self.kind, names)
        places = [self.names.index(each) if each in self.names else -1 for each in names]
        for place, old in enumerate(places):
            if old >= 0:
                for after, before in zip(new.arms, self.arms, strict=True):
                    after[place] = before[old]
        self.kind.relayout(self.arms, self.memory, places, new.arms, new.memory)
        return new

    def seen(self) -> Any:
        """What a policy sees of each arm, and the round that it sees."""
        self.kind.look(self.arms, self.memory, Features(X[self.names]), True)
        shown = np.array([*self.arms[:3]]).T
        return shown, self.kind.clock(self.memory, 1_000, 0).t


def told_of(names: list[int], count: int) -> list[tuple[int, float]]:
    return [(int(RNG.choice(names)), float(RNG.integers(0, 2))) for _ in range(count)]


def same(one: Case, other: Case) -> None:
    (statistics, now), (expected, then) = one.seen(), other.seen()
    assert statistics == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert now == then


def law_of_arms_that_come(kind: Any) -> None:
    """Learn, then add: as if the new arm had been there from the start, unpulled."""
    before, after = told_of([0, 1, 2], 20), told_of([0, 1, 2, 3], 20)
    added = Case(kind, [0, 1, 2]).learn(before).relayout([0, 1, 2, 3])
    same(added, Case(kind, [0, 1, 2, 3]).learn(before))
    same(added.learn(after), Case(kind, [0, 1, 2, 3]).learn(before + after))


@pytest.mark.parametrize("kind", PLAIN, ids=str)
def test_an_arm_that_comes_was_there_from_the_start(kind: Any) -> None:
    law_of_arms_that_come(kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", WITH_FEATURES, ids=str)
def test_an_arm_with_features_that_comes_was_there_from_the_start(kind: Any) -> None:
    law_of_arms_that_come(kind)


def law_of_arms_that_go(kind: Any) -> None:
    """Learn, then remove: as if the arm had never been there, where arms share nothing."""
    told, rest = told_of([0, 1, 2, 3], 40), told_of([3, 0, 2], 30)
    left = Case(kind, [0, 1, 2, 3]).learn(told).relayout([3, 0, 2])
    never = Case(kind, [3, 0, 2]).learn([each for each in told if each[0] != 1])
    same(left, never)
    same(left.learn(rest), never.learn(rest))


@pytest.mark.parametrize("kind", [Discounted(1.0), Window(100)], ids=str)
def test_an_arm_that_goes_was_never_there(kind: Any) -> None:
    law_of_arms_that_go(kind)


@pytest.mark.slow
def test_a_theta_of_its_own_goes_with_its_arm() -> None:
    law_of_arms_that_go(Linear(2, shared=False))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Linear(2), Logistic(2)], ids=str)
def test_a_theta_that_arms_share_stays(kind: Any) -> None:
    """What the arm that goes has taught of theta is still true."""
    one = Case(kind, [0, 1, 2]).learn(told_of([0, 1, 2], 30))
    statistics, _ = one.seen()
    assert one.relayout([2, 0]).seen()[0] == pytest.approx(statistics[[2, 0]], rel=1e-12)


def test_what_is_left_of_the_rounds_is_that_of_the_arms_that_stay() -> None:
    one = Case(Discounted(0.9), [0, 1, 2]).learn(told_of([0, 1, 2], 30))
    left = one.relayout([0, 2])
    assert left.memory[0] == pytest.approx(left.arms.pulls.sum())
    assert left.arms.pulls == pytest.approx(one.arms.pulls[[0, 2]])


def test_a_window_forgets_the_rounds_of_an_arm_that_goes() -> None:
    told = [(0, 1.0), (1, 1.0), (0, 0.0), (1, 0.0), (2, 1.0)]
    left = Case(Window(3), [0, 1, 2]).learn(told).relayout([0, 2])
    assert left.arms.pulls.tolist() == [1.0, 1.0]
    left.learn([(2, 1.0), (2, 1.0)])  # now the window has three rounds, and is full
    assert left.arms.pulls.tolist() == [0.0, 3.0]


@evidence
class Halves(NamedTuple):
    """A user's own: it remembers a number for each arm, and does not say how they move."""

    def memory_size(self, n_arms: int) -> int:
        return n_arms


@evidence
class Single(NamedTuple):
    """A user's own: it remembers one number."""

    def memory_size(self, n_arms: int) -> int:
        return 1


def test_evidence_of_a_user_moves_if_its_memory_is_the_same_for_all_arms() -> None:
    one = Case(Single(), [0, 1])
    one.memory[0] = 3.0
    assert one.relayout([0, 1, 2]).memory.tolist() == [3.0]
    with pytest.raises(
        ParameterError, match=r"Decider: 'arm' must be one of .* Halves cannot add or remove arms"
    ):
        Case(Halves(), [0, 1]).relayout([0, 1, 2])
