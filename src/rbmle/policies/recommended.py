"""`recommended`: the form of RBMLE to use for a family."""

from __future__ import annotations

from typing import Any

from .alpha import ArmBias
from .fit import as_family
from .rbmle import RBMLE


def recommended(family: Any) -> RBMLE:
    """The form of RBMLE to use for a family."""
    as_family(family, "recommended")
    return RBMLE(ArmBias(), f="stable")
