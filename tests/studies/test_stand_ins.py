"""Stand-ins, which become a policy once the problem is known; and sources of rewards by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from rbmle import UCB, Assuming, Bernoulli, Gaussian, ParameterError, Problem, Study, run
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


def test_anything_with_on_stands_for_a_policy() -> None:
    study = Study(PROBLEMS, [WiderWithArms(), Assuming(WiderWithArms(0.5), Gaussian())], 50, 2)
    assert Study.from_dict(study.to_dict()) == study
    results = run(study).results
    assert [each.policies for each in results.values()] == [
        (UCB(2.0), UCB(1.0)),
        (UCB(3.0), UCB(1.5)),
    ]
    assert all(label.startswith("WiderWithArms(factor=") for label in study.policies)


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
