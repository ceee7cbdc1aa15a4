"""Stand-ins, which become a policy once the problem is known; and sources of rewards by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from rbmle import (
    UCB,
    Assuming,
    Bernoulli,
    Decider,
    Exponential,
    Gaussian,
    ParameterError,
    Problem,
    Recommended,
    Study,
    Uniform,
    recommended,
    run,
    simulate,
    simulate_many,
)
from rbmle.rewards.sources import SOURCES, RewardStream, source
from rbmle.spec import STAND_INS, stand_in
from rbmle.theory import Theoretical

PROBLEMS = {
    "two": Problem(Bernoulli(), [0.3, 0.6]),
    "three": Problem(Bernoulli(), [0.3, 0.6, 0.5]),
}


@stand_in
class WiderWithArms(NamedTuple):
    """UCB whose alpha is a multiple of the number of arms."""

    factor: float = 1.0

    def on(self, problem: Problem, family: Any = None) -> Any:
        policy = UCB(self.factor * problem.n_arms)
        return policy if family is None else Assuming(policy, family)


@pytest.fixture
def forgotten() -> Iterator[None]:
    """Remove what a test registers, so that other tests do not see it."""
    before = dict(SOURCES)
    yield
    SOURCES.clear()
    SOURCES.update(before)


@pytest.mark.slow
def test_anything_with_on_stands_for_a_policy() -> None:
    study = Study(PROBLEMS, [WiderWithArms(), Assuming(WiderWithArms(0.5), Gaussian())], 50, 2)
    assert Study.from_dict(study.to_dict()) == study
    results = run(study).results
    assert [each.policies for each in results.values()] == [
        (UCB(2.0), UCB(1.0)),
        (UCB(3.0), UCB(1.5)),
    ]
    assert list(study.policies) == [
        "WiderWithArms", "WiderWithArms(factor=0.5, family=Gaussian())"
    ]  # fmt: skip


def test_a_request_is_written_and_labelled_as_before() -> None:
    """Files, labels and digests keep the form that stored runs have."""
    study = Study(
        {"c": Problem(Bernoulli(), [0.3, 0.5, 0.45])},
        [Theoretical(2), Theoretical(2, 0.25, True)],
        2_000,
        30,
    )
    table = study.to_dict()["policy"][1]
    assert table == {
        "label": "RBMLE(alpha=Theoretical(proposition=2, epsilon=0.25, sharp=True))",
        "name": "RBMLE",
        "alpha": {"proposition": 2, "epsilon": 0.25, "sharp": True},
    }
    assert study.digest[:12] == "eff38441cd63"
    assert "Theoretical" in STAND_INS


@pytest.mark.slow
def test_recommended_is_a_name_wherever_a_policy_can_be_given() -> None:
    """It is the form for the family of each problem, or for the one that is assumed."""
    scales = Problem(Exponential(), [0.4, 0.5])
    coins, both = PROBLEMS["two"], [PROBLEMS["two"], scales]
    named = simulate_many(both, ["recommended", "ucb"], horizon=200, replications=3)
    for result, problem in zip(named, both, strict=True):
        form = recommended(problem.family)
        assert result.names == ("Recommended", "UCB")
        assert result.policies[0] == form
        assert (result.final_regret[0] == simulate(problem, [form], 200, 3).final_regret[0]).all()
    assumed = simulate(coins, [Assuming("recommended", Gaussian(0.5))], 50, 2)
    assert (assumed.policies, assumed.families) == ((recommended("gaussian"),), (Gaussian(0.5),))
    assert assumed.names == ("Recommended(family=Gaussian(sigma=0.5))",)
    deciders = [Decider(["a", "b"], policy, "bernoulli", horizon=60) for policy in
                ("recommended", Recommended(), recommended("bernoulli"))]  # fmt: skip
    assert len(set(map(repr, deciders))) == 1


@pytest.mark.slow
def test_a_study_keeps_which_edition_was_recommended() -> None:
    """Its constants follow from the file, and each problem has the form for its family."""
    problems = {**PROBLEMS, "scales": Problem(Exponential(), [0.4, 0.5])}
    study = Study(problems, ["recommended"], 50, 2)
    assert study.to_dict()["policy"] == [
        {"label": "Recommended", "name": "Recommended", "edition": 2, "risk": "tails"}
    ]
    assert Study.from_dict(study.to_dict()) == study
    found = {name: result.policies for name, result in run(study).results.items()}
    assert found["two"] == found["three"] == (recommended("bernoulli"),)
    assert found["scales"] == (recommended("exponential"),)


def test_stand_ins_are_refused_where_they_mean_nothing() -> None:
    fits = Problem(Uniform(0.2), [0.3, 0.5])
    for wrong, words in (
        (lambda: simulate(PROBLEMS["two"], [Theoretical(2)], 50, 2), "simulate: 'policies' must be"
         " known without the means of the arms. Got Theoretical."),
        (lambda: Decider(["a", "b"], Theoretical(2), "bernoulli"), "Decider: 'policy' must be known"
         " without the means of the arms. Got Theoretical."),
        (lambda: Study(fits, ["recommended"], 50, 2), "Recommended: 'family' must be given for"
         " rewards of Uniform. Got None."),
        (lambda: simulate(fits, ["recommended"], 50, 2), "simulate: 'family' must be given for"
         " rewards of law Uniform. Got None."),
        (lambda: Recommended(3), "Recommended: 'edition' must be a whole number in [1, 2]. Got 3."),
    ):  # fmt: skip
        with pytest.raises(ParameterError) as told:
            wrong()
        assert words in str(told.value)


@pytest.mark.usefixtures("forgotten")
def test_a_source_of_rewards_is_found_by_its_name() -> None:
    @source("shifted")
    class Shifted(RewardStream):
        """The stream of the next seed."""

        seeds = "[0, 100]"

        def __init__(self, seed: int = 0) -> None:
            super().__init__(seed)
            self.seed += 1

    mine, theirs = (
        Study(PROBLEMS["two"], [UCB()], 50, 3, seed=seed, rewards=name)
        for seed, name in ((4, "shifted"), (5, "stream"))
    )
    assert (run(mine).result.regret == run(theirs).result.regret).all()
    with pytest.raises(ParameterError, match=r"Study: 'seed' must be a whole number in \[0, 100\]"):
        Study(PROBLEMS["two"], [UCB()], 50, 3, seed=101, rewards="shifted")
    with pytest.raises(ParameterError, match="'stream', 'published', 'shifted'"):
        Study(PROBLEMS["two"], [UCB()], 50, 3, rewards="shift")
