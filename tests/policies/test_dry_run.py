"""A user's policy that uses the horizon without saying so, or a generator of random numbers, is
refused wherever it would be played."""

from __future__ import annotations

import random
import re
from math import sqrt
from random import gauss
from typing import Annotated, Any, NamedTuple

import numba
import numpy as np
import pytest
from numpy.random import random as numpy_random

import rbmle
from rbmle import Arms, Bernoulli, Clock, Decider, Problem, Study, policy, simulate
from rbmle._numba.mistakes import generator_in
from rbmle.errors import DefinitionError, ParameterError
from rbmle.policies import fit
from rbmle.spec import from_spec, to_spec

COINS = Problem(Bernoulli(), [0.2, 0.5])
GENERATOR = np.random.default_rng(1)


@policy
class Reads(NamedTuple):
    """Uses the horizon and says so only if `says`."""

    says: bool = False

    def level(self, family: Any, arms: Arms, clock: Clock) -> float:
        return float(clock.horizon)

    def index_of(self, family: Any, arms: Arms, i: int, level: float) -> float:
        return arms.mean(i) + sqrt(level / arms.pulls[i])

    def needs_horizon(self) -> bool:
        return self.says


@policy
class Counts(NamedTuple):
    """Calls `left` in a method of its own, after 30 rounds, and never says so."""

    def choose(self, state: Any, family: Any, arms: Arms, clock: Clock, rng: Any) -> int:
        return self._late(arms, clock) if clock.t > 30 else clock.t % 2

    def _late(self, arms: Arms, clock: Clock) -> int:
        return int(clock.left()) % arms.n_arms()


@policy
class Noisy(NamedTuple):
    """Adds noise of NumPy's, rarely: in a branch that a dry run does not reach."""

    def index_of(self, family: Any, arms: Arms, i: int, level: float) -> float:
        if arms.pulls[i] < 1e6:
            return arms.mean(i)
        return arms.mean(i) + np.random.random()


@policy
class Silent(NamedTuple):
    """Forgets to return an arm after round `last`."""

    last: int = 3

    def choose(self, state: Any, family: Any, arms: Arms, clock: Clock, rng: Any) -> Any:
        if clock.t <= self.last:
            return clock.t % 2
        return None


@policy
class Unfounded(NamedTuple):
    """Reads the mean of an arm that has no reward."""

    def choose(self, state: Any, family: Any, arms: Arms, clock: Clock, rng: Any) -> int:
        return 0 if arms.mean(0) > arms.mean(1) else 1


def played() -> dict[str, Any]:
    return {
        "simulate": lambda policy: simulate(COINS, [policy], 50, 2),
        "Decider": lambda policy: Decider(["a", "b"], policy, Bernoulli()),
        "Study": lambda policy: Study(COINS, [policy], 50, 2),
        "Assuming": lambda policy: simulate(COINS, [rbmle.Assuming(policy, Bernoulli())], 50, 2),
    }


NO_ARM = "'choose' must return the place of an arm, a whole number, on every path."
CASES = [
    (Silent(), f"Silent: {NO_ARM} Got None.$", "return None", "choose"),
    (
        Unfounded(),
        "Unfounded: 'arms.mean' and 'arms.variance' must be of an arm",
        "arms.mean(0)",
        "choose",
    ),
    (Reads(), "Reads: 'needs_horizon' must return True", "clock.horizon", "level"),
    (Counts(), "Counts: 'needs_horizon' must return True", "clock.left()", "_late"),
    (Noisy(), "Noisy: random numbers must come from .*Got np.random", "np.random", "index_of"),
]


@pytest.mark.parametrize("place", played())
@pytest.mark.parametrize(("flawed", "sentence", "code", "method"), CASES)
def test_it_is_refused_with_its_line(
    place: str, flawed: Any, sentence: str, code: str, method: str
) -> None:
    with pytest.raises(DefinitionError) as caught:
        played()[place](flawed)
    first, where, line = str(caught.value).splitlines()
    assert re.search(f"^{sentence}", first)
    assert __file__ in where
    assert where.endswith(f"in {method}")
    assert code in line


@pytest.mark.slow
def test_what_says_that_it_needs_the_horizon_is_played() -> None:
    assert simulate(COINS, [Reads(says=True)], 50, 2).pulls.sum() == 100
    with pytest.raises(DefinitionError, match="needs_horizon"):  # its code is compiled by now
        simulate(COINS, [Reads(says=False)], 50, 2)


def test_the_package_s_own_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(fit, "rehearse", refuse)
    fit.dry_run(rbmle.MOSS(), Bernoulli())
    with pytest.raises(AssertionError):
        fit.dry_run(Reads(), Bernoulli())


def test_what_passed_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []
    monkeypatch.setattr(fit, "rehearse", lambda *args: tried.append(args))
    monkeypatch.setattr(fit, "_tried", set())
    for _ in range(2):
        fit.dry_run(Noisy(), Bernoulli())
        fit.dry_run(Counts(), Bernoulli())  # an equal tuple, and another policy
    assert len(tried) == 2


@pytest.mark.parametrize("place", [simulate, Decider])
def test_a_rare_path_without_an_arm_is_refused_by_the_compiler(place: Any) -> None:
    with pytest.raises(DefinitionError) as caught:
        played()[place.__name__](Silent(last=1_000_000))
    assert str(caught.value) == f"Silent: {NO_ARM}"


@policy
class Weighted(NamedTuple):
    weights: tuple[float, ...] = (1.0, 2.0)
    more: Any = 0.0

    def index_of(self, family: Any, arms: Arms, i: int, level: float) -> float:
        return self.weights[i] * arms.mean(i)


@pytest.mark.parametrize("place", played())
@pytest.mark.parametrize("value", [[0.1, 0.2], np.zeros(2), {"a": 1.0}, ([0.1],)])
def test_a_field_that_can_change_is_refused(place: str, value: Any) -> None:
    with pytest.raises(ParameterError, match="Weighted: 'more' must be a number, True or False, "):
        played()[place](Weighted(more=value))


def test_a_tuple_is_a_field_that_is_saved() -> None:
    given = Weighted([0.3, 0.4])  # as it is read from JSON
    assert given.weights == (0.3, 0.4)
    assert from_spec(to_spec(given)) == given
    fit.dry_run(given, Bernoulli())


@pytest.mark.parametrize("stated", ["0 to 1", "(0, 1", "(1, 0)", "(0, one)", 3])
@pytest.mark.parametrize("kind", [float, int])
def test_a_range_that_is_no_interval_is_refused_with_the_class(kind: Any, stated: Any) -> None:
    ranged: Any = NamedTuple("Ranged", [("c", Annotated[kind, stated])])  # type: ignore[misc]
    ranged.index_of = Weighted.index_of
    with pytest.raises(DefinitionError, match=r"^Ranged: 'c' must be annotated with an interval"):
        policy(ranged)


@policy
class Remembers(NamedTuple):
    """Remembers so many numbers of no arm, of each arm, and of each pair of arms."""

    a: int = 0
    b: int = 0
    pairs: int = 0

    def choose(self, state: Any, family: Any, arms: Arms, clock: Clock, rng: Any) -> int:
        return clock.t % 2

    def remembers(self, n_arms: int) -> int:
        return self.a + self.b * n_arms + self.pairs * n_arms * n_arms


@pytest.mark.parametrize("flawed", [Remembers(pairs=1), Remembers(-1, 1), Remembers(3, -1)])
def test_a_memory_is_of_no_arm_or_of_each(flawed: Any) -> None:
    fit.dry_run(Remembers(2, 3), Bernoulli())
    with pytest.raises(DefinitionError, match=r"^Remembers: 'remembers' must return a \+ b n_arms"):
        fit.dry_run(flawed, Bernoulli())


@policy
class Hopeless(NamedTuple):
    """Has an index for arms with a reward only, and claims that this will do."""

    def index_of(self, family: Any, arms: Arms, i: int, level: float) -> float:
        return float(arms.sums[i] / arms.pulls[i])

    def plays_each_first(self) -> bool:
        return False


def test_an_index_of_arms_without_a_reward_is_needed_where_they_are_not_first() -> None:
    with pytest.raises(DefinitionError, match="'index_of' must return a number for an arm without"):
        fit.dry_run(Hopeless(), Bernoulli())


@rbmle.law
class Wild(NamedTuple):
    """A law that draws from the standard library."""

    def mean_range(self) -> tuple[float, float]:
        return 0.0, 1.0

    def sample(self, mean: float, cell: Any) -> float:
        return 1.0 if random.random() < mean else 0.0


def test_a_law_is_refused_too() -> None:
    with pytest.raises(DefinitionError, match=r"^Wild: random numbers .*Got random\."):
        simulate(Problem(Wild(), [0.2, 0.5]), [rbmle.UCB()], 50, 2, family=Bernoulli())


def helper() -> float:
    return float(np.random.random())


compiled_helper = numba.njit(helper)


def uses_numpy() -> Any:
    return np.random.default_rng(1)


def uses_a_function() -> float:
    return gauss(0.0, 1.0)


def uses_a_function_of_numpy() -> float:
    return float(numpy_random())


def uses_an_object() -> float:
    return float(GENERATOR.random())


def uses_a_helper() -> float:
    return 1.0 + helper()


def uses_a_compiled_helper() -> float:
    return float(compiled_helper())


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (uses_numpy, "np.random"),
        (uses_a_function, "gauss"),
        (uses_a_function_of_numpy, "numpy_random"),
        (uses_an_object, "GENERATOR"),
        (uses_a_helper, "np.random in helper"),
        (uses_a_compiled_helper, "np.random in compiled_helper"),
    ],
)
def test_a_generator_is_found_however_it_is_named(function: Any, name: str) -> None:
    assert generator_in(function) == (name, function.__code__.co_firstlineno + 1)


def test_a_generator_in_a_closure_is_found() -> None:
    inner = np.random.default_rng(2)

    def body() -> float:
        return float(inner.random())

    found = generator_in(body)
    assert found is not None
    assert found[0] == "inner"


def test_other_code_has_none() -> None:
    def again(n: int) -> float:
        return np.sqrt(n) + (again(n - 1) if n else Arms.fresh(1).n_arms())

    assert generator_in(again) is None
    assert generator_in(rbmle.ThompsonSampling.choose) is None
