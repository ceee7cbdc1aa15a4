"""Every check finds the flaw that breaks its law, and passes classes without flaws."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from flawed import (
    FAMILY_FLAWS,
    FIRST_ARM,
    GREEDY,
    LAW_FLAWS,
    NONE,
    POLICY_FLAWS,
    Explorer,
    FlawedNoise,
    FlawedPoisson,
    FlawedUCB,
    Hasty,
)

import rbmle
from rbmle.testing import (
    BrokenLawError,
    NotApplicable,
    check_family,
    check_law,
    check_policy,
    checks,
)

# Found before anything is compiled, and the one that needs only `sample`.
QUICK = (*range(1, 9), 10)


def cases(flaws: dict[str, tuple[int, ...]]) -> list[Any]:
    return [
        pytest.param(check, flaw, marks=[] if flaw in QUICK else pytest.mark.slow)
        for check, numbers in flaws.items()
        for flaw in numbers
    ]


@pytest.mark.slow
def test_what_is_right_passes() -> None:
    for outcomes in (
        check_family(FlawedPoisson(NONE)),
        check_law(FlawedNoise(NONE)),
        check_policy(FlawedUCB(NONE), rbmle.Bernoulli()),
    ):
        skipped = [each for each in outcomes if each.outcome != "holds"]
        assert all(each.outcome.startswith("does not apply: ") for each in skipped)
        assert len(skipped) <= 1
        assert len(outcomes) >= 5


@pytest.mark.parametrize(("check", "flaw"), cases(FAMILY_FLAWS))
def test_a_flawed_family_is_found_out(check: str, flaw: int) -> None:
    with pytest.raises(
        BrokenLawError, match=rf"^{check}: .*FlawedPoisson\(flaw={flaw}, prior=1.0\)\)$"
    ):
        check_family(FlawedPoisson(flaw))


@pytest.mark.slow
@pytest.mark.parametrize(("check", "flaw"), cases(LAW_FLAWS))
def test_a_flawed_law_is_found_out(check: str, flaw: int) -> None:
    with pytest.raises(BrokenLawError, match=f"^{check}: "):
        check_law(FlawedNoise(flaw))


@pytest.mark.slow
@pytest.mark.parametrize(("check", "flaw"), cases(POLICY_FLAWS))
def test_a_flawed_policy_is_found_out(check: str, flaw: int) -> None:
    with pytest.raises(BrokenLawError, match=f"^{check}: "):
        check_policy(FlawedUCB(flaw), rbmle.Bernoulli())


@pytest.mark.slow
def test_a_policy_that_skips_an_arm_is_found_out() -> None:
    with pytest.raises(BrokenLawError, match=r"^each_arm_is_played_once_first: pulls"):
        check_policy(Hasty(), rbmle.Bernoulli())


def named(name: str, kind: str = "policy") -> Any:
    return next(each for each in checks(kind) if each.__name__ == name)


@pytest.mark.slow
@pytest.mark.parametrize(
    "family",
    [rbmle.Bernoulli(), pytest.param(rbmle.Gaussian(5.0), marks=pytest.mark.slow)],
    ids=repr,
)
@pytest.mark.parametrize(
    "policy",
    [Explorer(0.05), Explorer(0.24), Explorer(1.0), FlawedUCB(FIRST_ARM), FlawedUCB(GREEDY)],
    ids=repr,
)
def test_linear_regret_is_found_out(policy: Any, family: Any) -> None:
    """Uniform play in a share of the rounds and UCB in the others; always one arm; the greedy
    rule."""
    with pytest.raises(BrokenLawError, match="regret must grow ever more slowly"):
        named("regret_is_sublinear")(policy, family)


@pytest.mark.slow
def test_a_slow_policy_is_not_taken_for_a_linear_one() -> None:
    """UCB with seven times its usual constant has much regret in late rounds, but at a falling
    rate."""
    named("regret_is_sublinear")(rbmle.UCB(14.0), rbmle.Bernoulli())


@pytest.mark.slow
def test_the_outcome_of_every_check_is_told() -> None:
    said = dict(check_policy(rbmle.KGMin(), rbmle.Bernoulli()))
    assert said["regret_is_sublinear"].startswith("does not apply: KGMin says")
    assert said["live_equals_simulated"] == "holds"


def test_what_does_not_apply_says_so() -> None:
    with pytest.raises(NotApplicable, match="KGMin says that it does not settle"):
        named("regret_is_sublinear")(rbmle.KGMin(), rbmle.Bernoulli())
    with pytest.raises(NotApplicable, match="has no posterior_density"):
        named("the_density_is_the_slope_of_the_tail", "family")(rbmle.Poisson())
    with pytest.raises(rbmle.ParameterError, match="'kind' must be one of"):
        checks("polcy")


def test_a_broken_law_is_an_assertion_error_of_the_package() -> None:
    assert issubclass(BrokenLawError, AssertionError)
    assert issubclass(BrokenLawError, rbmle.RbmleError)


def test_checks_work_without_assertions() -> None:
    """`python -O` removes `assert`; a check must not be one."""
    code = "from flawed import FlawedPoisson; from rbmle.testing import check_family\n" \
           "try: check_family(FlawedPoisson(2))\n" \
           "except ValueError as broken: print(broken)"  # fmt: skip
    told = subprocess.run(
        [sys.executable, "-O", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent,
    ).stdout
    assert told.startswith("the_mean_is_the_slope_of_the_log_partition: the slope of 'log_part")
