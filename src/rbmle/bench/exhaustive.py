"""The rules that solve equations, without their shortcuts: every arm is solved in every round."""

from __future__ import annotations

from typing import Any, NamedTuple, get_type_hints

from ..errors import one_of
from ..policies import KLUCB, POLICIES, BayesUCB, policy


def _twin(kind: Any) -> Any:
    """The class with the same fields and index, and none of what spares solving an arm."""
    hints = get_type_hints(kind, include_extras=True)
    fields = [(name, hints[name]) for name in kind._fields]
    twin: Any = NamedTuple(f"Exhaustive{kind.__name__}", fields)  # type: ignore[misc]
    # Compiled code is kept on disk by the name of the class, which has to be found in this module.
    twin.__module__ = __name__
    for name in ("level", "index_of", "needs_horizon"):
        setattr(twin, name, vars(kind)[name])
    policy(twin)
    del POLICIES[twin.__name__]  # a yardstick, not one of the policies that are offered by name
    return twin


ExhaustiveKLUCB = _twin(KLUCB)
ExhaustiveBayesUCB = _twin(BayesUCB)
_TWINS = {"KLUCB": ExhaustiveKLUCB, "BayesUCB": ExhaustiveBayesUCB}


def exhaustive(rule: Any) -> Any:
    """The same rule, every arm of which is solved to full precision in every round.

    >>> exhaustive(KLUCB(c=3.0))
    ExhaustiveKLUCB(c=3.0, search='exact')
    """
    return _TWINS[one_of("exhaustive", "rule", type(rule).__name__, _TWINS)](*rule)
