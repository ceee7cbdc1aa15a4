"""Every family and every law of rewards of the package obeys every law of its kind."""

from __future__ import annotations

from typing import Any

import pytest
from family_cases import OTHER_LAWS, OURS

from rbmle import testing
from rbmle.families import FAMILIES, Bernoulli
from rbmle.rewards.laws import LAWS


def test_every_family_and_law_of_the_package_is_tested() -> None:
    known = {*FAMILIES.values(), *LAWS.values()}
    ours = {each for each in known if each.__module__.startswith("rbmle.")}
    assert {type(each) for each in OURS + OTHER_LAWS} == ours


def cases() -> list[Any]:
    """Checks and families of the core: checks that compile a lot run for coins only."""
    found = []
    for family in OURS:
        for check in testing.checks("family"):
            compiles = "compiled" in check.__name__ or "draws" in check.__name__
            slow = compiles and type(family) is not Bernoulli
            marks = [pytest.mark.slow] if slow else []
            found.append(pytest.param(family, check, marks=marks, id=f"{family}-{check.__name__}"))
    return found


@pytest.mark.parametrize(("family", "check"), cases())
def test_family(family: Any, check: testing.Check) -> None:
    check(family)


@pytest.mark.parametrize("law", OTHER_LAWS, ids=repr)
@pytest.mark.parametrize("check", testing.checks("law"), ids=lambda check: check.__name__)
def test_law(law: Any, check: testing.Check) -> None:
    check(law)
