"""Every family and every law of rewards of the package obeys every law of its kind."""

from __future__ import annotations

from typing import Any

import pytest
from family_cases import OTHER_LAWS, OURS
from tiers import tiered

from rbmle import testing
from rbmle.families import FAMILIES, Bernoulli, Bounded, NegativeBinomial
from rbmle.rewards.laws import LAWS


def test_every_family_and_law_of_the_package_is_tested() -> None:
    known = {*FAMILIES.values(), *LAWS.values()}
    ours = {each for each in known if each.__module__.startswith("rbmle.")}
    assert {type(each) for each in OURS + OTHER_LAWS} == ours


def in_core(case: Any) -> bool:
    """The first of the two sets of parameters; checks that compile a lot for coins only."""
    family, name = case[0], case[1].__name__
    compiles = "compiled" in name or "draws" in name
    return is_first(family) and (not compiles or type(family) is Bernoulli)


def is_first(thing: Any) -> bool:
    return any(thing is each for each in OURS[::2] + OTHER_LAWS[::2])


CASES = [(family, check) for family in OURS for check in testing.checks("family")]
IDS = [f"{family}-{check.__name__}" for family, check in CASES]


@pytest.mark.parametrize(("family", "check"), tiered(CASES, in_core, "pairs"), ids=IDS)
def test_family(family: Any, check: testing.Check) -> None:
    check(family)


@pytest.mark.parametrize("family", [Bounded(0.0, 1e4), Bounded(-1e6, 1e6), NegativeBinomial(1e-3)])
def test_the_unit_of_rewards_breaks_no_law(family: Any) -> None:
    """Steps of 1e-5 in eta were as large as eta itself where rewards are counted in thousands."""
    ours = [each for each in testing.checks("family") if "log_partition" in each.__name__]
    assert len(ours) == 3
    for check in ours:
        check(family)


@pytest.mark.parametrize("law", tiered(OTHER_LAWS, is_first, "pairs"), ids=repr)
@pytest.mark.parametrize("check", testing.checks("law"), ids=lambda check: check.__name__)
def test_law(law: Any, check: testing.Check) -> None:
    check(law)
