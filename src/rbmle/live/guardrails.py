"""Guardrails: a second metric with a limit. An arm that is proven to be beyond it is disabled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log
from numbers import Real

import numpy as np

from ..errors import ParameterError, did_you_mean, number
from ..inference.mixtures import COIN, SIZE, log_wealth
from .input_checks import listed
from .live_arm import LiveArm

Measured = tuple[LiveArm, tuple[float, ...]]  # an arm, and its metrics as shares of their ranges
_LARGEST = "[-1e100, 1e100]"  # as of rewards


@dataclass(frozen=True)
class Guardrail:
    """A metric beside the reward that must stay within a limit, such as a rate of errors.

    metric: its name. It is given with each reward, `update(arm, reward, metrics={"errors": 1})`.
    at_most, at_least: the limit of its mean; one of the two.
    delta: the probability with which an arm that keeps to the limit is ever disabled, for all arms
    together: each of K arms is judged at delta / K (Bonferroni).
    low, high: the range of the metric.

    An arm is disabled as soon as the confidence sequence of its metric lies beyond the limit: the
    beta-binomial mixture of Howard, Ramdas, McAuliffe and Sekhon (2021), which holds for metrics of
    any law in [low, high], at all times at once, whatever policy chose the pulls. The arm stays so
    until it is enabled by hand; then its metric is counted anew.

    >>> Guardrail("errors", at_most=0.02).proven(100, 12, 0.05)
    True
    """

    metric: str
    at_most: float | None = None
    at_least: float | None = None
    delta: float = 0.05
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.metric, str) or not self.metric.isprintable() or not self.metric:
            raise ParameterError("Guardrail", "metric", "a name", self.metric)
        low, high = (number("Guardrail", x, vars(self)[x], _LARGEST) for x in ("low", "high"))
        if not low < high:
            raise ParameterError("Guardrail", "high", f"above {low:g}, 'low'", high)
        if (self.at_most is None) == (self.at_least is None):
            allowed = "given, or else 'at_most'; not both"
            raise ParameterError("Guardrail", "at_least", allowed, self.at_least)
        side = "at_least" if self.at_most is None else "at_most"
        limit = number("Guardrail", side, vars(self)[side], f"[{low}, {high}]")
        delta = number("Guardrail", "delta", self.delta, "(0, 1)")
        vars(self).update({"low": low, "high": high, "delta": delta, side: limit})

    @property
    def limit(self) -> float:
        """The limit, on whichever side."""
        return float((self.at_most if self.at_most is not None else self.at_least) or 0.0)

    def share(self, value: float) -> float:
        """Where the value lies in the range, from 0 to 1."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    def checked(self, metrics: Mapping[str, object]) -> float:
        """The metric's value, as its `share` of the range."""
        value, metric = metrics.get(self.metric), self.metric
        value = bool(value) if isinstance(value, np.bool_) else value
        if not isinstance(value, Real) or not self.low <= float(value) <= self.high:
            allowed = f"given with {metric!r}, a number in [{self.low:g}, {self.high:g}]"
            raise ParameterError("Decider", "metrics", allowed, dict(metrics))
        return self.share(float(value))

    def proven(self, n: float, total: float, alpha: float) -> bool:
        """Whether n values, whose shares of the range add up to `total`, prove that the mean is
        beyond the limit: of an arm that keeps to it, this is ever true with probability alpha."""
        limit, mean = self.share(self.limit), total / n
        if not (mean > limit if self.at_most is not None else mean < limit):
            return False
        return bool(log_wealth(COIN, SIZE, float(n), float(total), limit) >= log(1.0 / alpha))

    def reason(self, n: float, total: float) -> str:
        """Why an arm is disabled, in a few words."""
        side = "above" if self.at_most is not None else "below"
        mean = self.low + (self.high - self.low) * total / n
        mean_text = f"its mean in {n:.0f} rewards is {mean:.3g}"
        return f"{self.metric} is {side} {self.limit:g}: {mean_text}"


def as_guardrails(given: Iterable[object]) -> tuple[Guardrail, ...]:
    """The guardrails of a decider, given as a list of them or of their fields."""
    try:
        found = [Guardrail(**each) if isinstance(each, Mapping) else each for each in given]
    except TypeError:
        found = [None]
    rails = tuple(each for each in found if isinstance(each, Guardrail))
    if len(rails) < len(found):
        raise ParameterError("Decider", "guardrails", "a list of Guardrail", given)
    return rails


def the_metrics(given: object, rails: tuple[Guardrail, ...]) -> tuple[float, ...]:
    """The metrics given with a reward, checked, as shares of their ranges."""
    if not rails:
        if given is None:
            return ()
        allowed = "left out by a decider without guardrails"
        raise ParameterError("Decider", "metrics", allowed, given)
    given = {} if given is None else given
    if not isinstance(given, Mapping):
        raise ParameterError("Decider", "metrics", "a mapping of metrics to numbers", given)
    known = {rail.metric: None for rail in rails}
    unknown = next((name for name in given if name not in known), None)
    if unknown is not None:
        allowed, hint = f"of {', '.join(map(repr, known))}", did_you_mean(unknown, known)
        raise ParameterError("Decider", "metrics", allowed, unknown, hint)
    return tuple(rail.checked(given) for rail in rails)


def metrics_of(arms: list[LiveArm], given: object, rails: tuple[Guardrail, ...]) -> list[Measured]:
    """The metrics of several rewards of these arms, given as a list for each metric."""
    if not isinstance(given, Mapping):
        return [(arm, the_metrics(given, rails)) for arm in arms]
    columns = {name: listed("metrics", each, len(arms)) for name, each in given.items()}
    rows = [{name: each[k] for name, each in columns.items()} for k in range(len(arms))]
    return [(arm, the_metrics(row, rails)) for arm, row in zip(arms, rows, strict=True)]
