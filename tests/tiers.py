"""Tiers of parametrised tests: a few cases are in the core, the others in a slower tier."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def tiered(cases: Iterable[Any], core: Callable[[Any], bool], tier: str = "slow") -> list[Any]:
    """The cases for `parametrize`, marked with the tier unless they are in the core.

    A case with several parameters is a plain tuple.
    """
    mark = getattr(pytest.mark, tier)
    return [
        each if core(each) else pytest.param(*(each if type(each) is tuple else [each]), marks=mark)
        for each in cases
    ]
