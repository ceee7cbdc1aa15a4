"""`Summary`: what may be concluded about the arms now, as a table and in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import isfinite, nan
from typing import NamedTuple

import numpy as np

from .._io.text import html_table, number_text, text_table, with_error
from .._numba.compile import Floats
from ..errors import ParameterError, number
from ..evidence import Counting, Evidence
from ..policies.arms import Name
from ..policies.posteriors import best_and_loss
from .intervals import beats, interval
from .mixtures import mixture_of

_MOST_COEFFICIENTS = 20  # that are shown: a screen
HEAD = "pulls", "mean", "low", "high", "P(best)", "loss"


class Arm(NamedTuple):
    """What is known of an arm.

    low, high: its confidence sequence. They hold for all arms and at all looks at once with the
    probability that the summary's level says, for data of any policy; NaN without rewards.
    probability_best, expected_loss: under the family's prior, as of now: the probability that the
    arm's mean is the largest of the enabled arms, and what playing it from now on loses a round.
    """

    pulls: int
    mean: float
    low: float
    high: float
    probability_best: float
    expected_loss: float


@dataclass(frozen=True)
class Summary:
    """What may be concluded about the arms now.

    arms: a record for each. leader: the enabled arm with the largest mean; None before any reward.
    safe_to_stop: whether the leader's mean is above that of every other enabled arm. Whoever stops
    as soon as this is true is wrong with probability at most 1 - level, at whatever time.
    since: how many decisions had been made at the first of the summaries of this level that all
    found this leader safe, up to now. Between two summaries nothing is checked. None where it is
    not so, or where summaries are not remembered.
    note: what the summary lacks and why, if anything.
    coefficients: with features that have names, those of theta and their standard deviations: under
    a prior that shrinks them towards 0, as of now, and not for all looks at once.
    disabled: the arms that guardrails have disabled, and why.
    """

    arms: Mapping[Name, Arm]
    level: float
    leader: Name | None
    safe_to_stop: bool
    rivals: tuple[Name, ...] = ()
    since: int | None = None
    note: str = ""
    coefficients: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    disabled: Mapping[Name, str] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """Whether to stop, in a sentence."""
        if self.leader is None:
            none = "every arm is disabled" if self.disabled else "there are no rewards yet"
            return f"not safe to stop: {none}"
        if not self.rivals:
            return f"nothing to compare: {self.leader} is the only arm"
        others = self.rivals
        named = f"all {len(others)} others" if len(others) > 3 else " and ".join(map(str, others))
        if not self.safe_to_stop:
            why = f": {self.note}" if self.note else f" ahead of {named} at level {self.level:g}"
            return f"not safe to stop: {self.leader} leads, but is not known to be{why}"
        words = f"safe to stop: {self.leader} beats {named} at level {self.level:g}"
        if self.since is None:
            return words
        return f"{words}, has done so in every summary since decision {self.since:,}"

    def rows(self) -> list[tuple[str, list[str]]]:
        """The rows of the table. Integrals are right to 1e-6: a smaller one is shown as ~0."""
        unit = max((abs(arm.mean) for arm in self.arms.values() if arm.pulls), default=1.0)
        return [(str(name), _cells(arm, unit)) for name, arm in self.arms.items()]

    def data(self) -> dict[str, object]:
        """The same as data that JSON can hold."""
        arms = {
            str(name): {key: finite(x) for key, x in arm._asdict().items()}
            for name, arm in self.arms.items()
        }
        head = {"level": self.level, "leader": self.leader, "safe_to_stop": self.safe_to_stop}
        more: dict[str, object] = {}
        if self.coefficients:
            more["coefficients"] = dict(self.coefficients)
        if self.disabled:
            more["disabled"] = {str(name): why for name, why in self.disabled.items()}
        return {**head, "since": self.since, "verdict": self.verdict, "arms": arms, **more}

    def disabled_lines(self) -> list[str]:
        """The arms that guardrails have disabled, a line for each."""
        return [f"{name} is disabled: {why}" for name, why in self.disabled.items()]

    def coefficient_lines(self) -> list[str]:
        """The coefficients in lines, "device=mobile: +0.031 +- 0.008": those that are farthest from
        0 in standard deviations come first, and at most 20 are shown."""
        used = {name: pair for name, pair in self.coefficients.items() if pair[0] != 0.0}
        order = sorted(used, key=lambda name: -abs(used[name][0]) / max(used[name][1], 1e-300))
        pairs = {name: with_error(*used[name]) for name in order[:_MOST_COEFFICIENTS]}
        lines = [f"{n}: {'+' * (used[n][0] > 0)}{x} +- {e}" for n, (x, e) in pairs.items()]
        left = len(self.coefficients) - len(lines)
        return [*lines, *([f"and {left} more in `coefficients`"] if lines and left else [])]

    def __str__(self) -> str:
        more = [*self.disabled_lines(), *self.coefficient_lines()]
        return "\n".join([text_table(HEAD, self.rows()), self.verdict, *more])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(self.verdict, HEAD, self.rows())


def finite(value: float) -> float | None:
    """The number, or None where JSON has none."""
    return float(value) if isfinite(value) else None


def _cells(arm: Arm, unit: float) -> list[str]:
    best = "<1e-6" if arm.probability_best < 1e-6 else _shown(arm.probability_best)
    loss = "~0" if arm.expected_loss < 1e-6 * unit else _shown(arm.expected_loss)
    return [f"{arm.pulls:,}", *map(_shown, arm[1:4]), best, loss]


def _shown(value: float) -> str:
    return f"{value:.4f}" if 1e-4 <= abs(value) < 1.0 else number_text(value)


def why_no_intervals(evidence: Evidence) -> str:
    """Why arms have no intervals with this evidence; "" if they have."""
    if isinstance(evidence, Counting):
        return ""
    means_change = "old rewards fade, as means may change"
    why = "means depend on features" if evidence.reads() else means_change
    return f"{type(evidence).__name__} has no intervals, because {why}"


def summarise(
    names: Sequence[Name],
    family: object,
    pulls: Floats,
    totals: Floats,
    level: float = 0.95,
    enabled: Floats | None = None,
    note: str = "",
    posterior: bool = True,
) -> Summary:
    """The summary of arms with these names, numbers of pulls and sums of rewards.

    enabled: which arms may be played, by default all. note: why intervals are not known, if they
    are not. posterior: whether to tell what the posterior says, which takes the most time.
    """
    alpha = 1.0 - number("summary", "level", level, "(0, 1)")
    able = np.ones(len(names), bool) if enabled is None else np.asarray(enabled, bool)
    if not note and mixture_of(family) is None:
        note = f"{type(family).__name__} has no confidence sequence"
    with np.errstate(all="ignore"):  # 0 / 0 for an arm without rewards
        means = totals / pulls
    # Of arms with equal pulls and totals all is equal: each pair is looked at once.
    pairs, which = np.unique(pulls + 1j * totals, return_inverse=True)
    times = np.bincount(which[able], minlength=pairs.size).astype(float)
    low = high = best = loss = np.full(pairs.size, nan)
    if not note:
        low, high = interval(family, pairs.real, pairs.imag, 1.0 - alpha / len(names))
    with suppress(ParameterError):  # no posterior, or an improper one
        if posterior and able.any():
            on, best, loss = times > 0.0, best.copy(), loss.copy()
            best[on], loss[on] = best_and_loss(family, pairs.real[on], pairs.imag[on], times[on])
    low, high = low[which], high[which]
    best, loss = (np.where(able, each[which], nan) for each in (best, loss))
    columns = (each.tolist() for each in (pulls.astype(int), means, low, high, best, loss))
    arms = {name: Arm(*row) for name, *row in zip(names, *columns, strict=True)}
    played = np.flatnonzero(able & (pulls > 0))
    if not played.size:
        return Summary(arms, level, None, False, note=note)
    lead = int(played[np.argmax(means[played])])
    others = able.copy()
    others[lead] = False
    rivals = tuple(name for name, other in zip(names, others, strict=True) if other)
    safe = bool(rivals and not note and pulls[others].min() > 0)
    if safe:
        share = alpha / (len(names) - 1)  # the best arm is one, and any other may wrongly lead
        known = float(pulls[lead]), float(totals[lead])
        safe = beats(family, known, (pulls[others], totals[others]), share)
    return Summary(arms, level, names[lead], safe, rivals, note=note)
