"""Time per decision against the number of arms: ours and the paper's, as ratios to UCB."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import ParameterError, integer, one_of
from ..rewards.problems import Problem
from ..timing import Timing, decision_time, live_decision_time
from .published import PAPER_FAMILIES, published
from .reproduction import ACCURATE, QUICK_TABLES, seconds_per_decision

ARMS = (10, 30, 50, 70)  # as in the paper's scalability tables
_TABLES = dict(zip(PAPER_FAMILIES, QUICK_TABLES, strict=True))


def ucb_among(names: Iterable[str]) -> str:
    """The name of UCB in a table. Where UCB and KL-UCB are the same rule (Gaussian rewards), the
    tables call both KLUCB&UCB. "" if neither is there."""
    listed = list(names)
    return next((each for each in ("UCB", "KLUCB&UCB") if each in listed), "")


class Scaling(NamedTuple):
    """One family: seconds per decision of each policy for each number of arms."""

    family: str
    arms: tuple[int, ...]
    times: dict[str, tuple[Timing, ...]]

    @property
    def unit(self) -> str:
        """The name of UCB's column, by whose times the others are divided; "" if there is none."""
        return ucb_among(self.times)

    def ratios(self, policy: str) -> list[float]:
        """Our times divided by UCB's of the same measurement, for each number of arms."""
        pairs = zip(self.times[policy], self.times[self.unit], strict=True)
        return [mine.median / unit.median for mine, unit in pairs]

    def published_ratios(self, policy: str) -> list[float | None]:
        """The paper's ratios for each number of arms; None where its table has no such number."""
        printed = seconds_per_decision(self.family)["policies"]
        mine, unit = printed[policy], printed[self.unit]
        return [mine[c] / unit[c] if c in unit else None for c in (f"{n}_mean" for n in self.arms)]

    def data(self) -> dict[str, object]:
        """The record as plain data for files and scripts."""
        return {
            "family": self.family,
            "arms": list(self.arms),
            "seconds": {name: [list(each) for each in times] for name, times in self.times.items()},
            "ratio_to_ucb": {name: self.ratios(name) for name in self.times},
            "published_ratio_to_ucb": {name: self.published_ratios(name) for name in self.times},
        }

    @classmethod
    def of_data(cls, data: dict[str, Any]) -> Scaling:
        """The record from what `data` wrote."""
        times = {
            name: tuple(Timing(*each) for each in times) for name, times in data["seconds"].items()
        }
        return cls(data["family"], tuple(data["arms"]), times)


def measure(
    families: Sequence[str] = tuple(PAPER_FAMILIES),
    arms: Sequence[int] = ARMS,
    policies: Sequence[str] = (),
    horizon: int = 1_000,
    repeats: int = 3,
    live: bool = False,
) -> list[Scaling]:
    """Time the policies of the paper's tables on arms with evenly spaced means, for each family and
    each number of arms.

    policies: by the tables' names, by default all of the family's table; UCB is always included.
    horizon: rounds of a timed run. repeats: timed runs of each.
    live: time the `Decider` instead of the compiled loop.
    """
    counts = tuple(integer("scale", "arms", each, "[2, inf)") for each in arms)
    horizon = integer("scale", "horizon", horizon, "[1, inf)")
    repeats = integer("scale", "repeats", repeats, "[1, inf)")
    if not counts:
        raise ParameterError("scale", "arms", "whole numbers from 2 on", arms)
    records = []
    for family in families:
        one_of("scale", "families", family, PAPER_FAMILIES)
        printed = seconds_per_decision(family)["policies"]
        unit = ucb_among(printed)
        chosen = [unit, *(each for each in policies or printed if each != unit)]
        for each in chosen:
            one_of("scale", "policies", each, printed)
        times = {
            each: tuple(_time(family, each, n, horizon, repeats, live) for n in counts)
            for each in chosen
        }
        records.append(Scaling(family, counts, times))
    return records


def _time(family: str, policy: str, n_arms: int, horizon: int, repeats: int, live: bool) -> Timing:
    problem = Problem(PAPER_FAMILIES[family], np.linspace(0.3, 0.7, n_arms))
    rule = ACCURATE.get(policy, published(_TABLES[family], policy))
    timer = live_decision_time if live else decision_time
    return timer(rule, problem, horizon=max(horizon, 2 * n_arms), repeats=repeats)
