"""Every family and every law of rewards of the package obeys every law of its kind."""

from __future__ import annotations

from typing import Any

import pytest
from family_cases import OTHER_LAWS, OURS

from rbmle import testing
from rbmle.families import FAMILIES
from rbmle.rewards.laws import LAWS


def test_every_family_and_law_of_the_package_is_tested() -> None:
    known = {*FAMILIES.values(), *LAWS.values()}
    ours = {each for each in known if each.__module__.startswith("rbmle.")}
    assert {type(each) for each in OURS + OTHER_LAWS} == ours


@pytest.mark.parametrize("family", OURS, ids=repr)
@pytest.mark.parametrize("check", testing.checks("family"), ids=lambda check: check.__name__)
def test_family(family: Any, check: testing.Check) -> None:
    check(family)


@pytest.mark.parametrize("law", OTHER_LAWS, ids=repr)
@pytest.mark.parametrize("check", testing.checks("law"), ids=lambda check: check.__name__)
def test_law(law: Any, check: testing.Check) -> None:
    check(law)
