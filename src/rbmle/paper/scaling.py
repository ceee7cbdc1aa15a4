"""Time per decision against the number of arms: ours and the paper's, as ratios to UCB."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..cli.screen import show_table
from ..errors import ParameterError, one_of
from ..families import Bernoulli, Exponential, Gaussian
from ..names import split
from ..rewards.problems import Problem
from ..timing import Timing, decision_time, live_decision_time
from .published import published
from .reproduction import accurate_policies, seconds_per_decision

_FAMILIES = {"bernoulli": Bernoulli(), "gaussian": Gaussian(), "exponential": Exponential()}
_TABLES = {"bernoulli": "Bernoulli_ID=2", "gaussian": "Gaussian_ID=16",
           "exponential": "Exponential_ID=21"}  # fmt: skip


class Scaling(NamedTuple):
    """One family: seconds per decision of each policy for each number of arms."""

    family: str
    arms: tuple[int, ...]
    times: dict[str, tuple[Timing, ...]]

    @property
    def unit(self) -> str:
        """The column that ratios are taken to."""
        return next((each for each in ("UCB", "KLUCB&UCB") if each in self.times), "")

    def ratios(self, policy: str) -> list[float]:
        """Our times in units of UCB's, measured in the same run."""
        pairs = zip(self.times[policy], self.times[self.unit], strict=True)
        return [mine.median / unit.median for mine, unit in pairs]

    def published_ratios(self, policy: str) -> list[float | None]:
        """The paper's own ratios, where it has that number of arms."""
        printed = seconds_per_decision(self.family)["policies"]
        columns = [f"{n}_mean" for n in self.arms]
        return [
            printed[policy][c] / printed[self.unit][c] if c in printed[self.unit] else None
            for c in columns
        ]

    def data(self) -> dict[str, Any]:
        return {
            "family": self.family,
            "arms": list(self.arms),
            "seconds": {name: [list(each) for each in times] for name, times in self.times.items()},
            "ratio_to_ucb": {name: self.ratios(name) for name in self.times},
            "published_ratio_to_ucb": {name: self.published_ratios(name) for name in self.times},
        }


def measure(
    families: str, arms: str, policies: str, horizon: int, repeats: int, live: bool = False
) -> list[Scaling]:
    """Time the tables' policies; the arms' means are evenly spaced."""
    try:
        counts = tuple(int(each) for each in split(arms))
    except ValueError:
        counts = ()
    if not counts or min(counts) < 2:
        raise ParameterError.of("scale", "--arms", "whole numbers from 2 on, with commas", arms)
    records = []
    for family in split(families):
        one_of("scale", "--families", family, _FAMILIES)
        printed = seconds_per_decision(family)["policies"]
        chosen = split(policies) or list(printed)
        unit = "UCB" if "UCB" in printed else "KLUCB&UCB"
        chosen = [unit, *(each for each in chosen if each != unit)]
        for each in chosen:
            one_of("scale", "--policies", each, printed)
        times = {
            each: tuple(_time(family, each, n, horizon, repeats, live) for n in counts)
            for each in chosen
        }
        records.append(Scaling(family, counts, times))
    return records


def _time(family: str, policy: str, n_arms: int, horizon: int, repeats: int, live: bool) -> Timing:
    problem = Problem(_FAMILIES[family], np.linspace(0.3, 0.7, n_arms))
    rule = accurate_policies().get(policy, published(_TABLES[family], policy))
    timer = live_decision_time if live else decision_time
    return timer(rule, problem, horizon=max(horizon, 2 * n_arms), repeats=repeats)


def show_scaling(records: list[Scaling]) -> None:
    for record in records:
        rows = []
        for policy, times in record.times.items():
            cells = [policy]
            ratios, printed = record.ratios(policy), record.published_ratios(policy)
            for timing, ratio, paper in zip(times, ratios, printed, strict=True):
                spread = (timing.largest - timing.least) / 2
                shown = "" if paper is None else f" ({paper:.1f})"
                cells.append(f"{timing.median * 1e6:.3f} ±{spread * 1e6:.3f}")
                cells.append(f"{ratio:.1f}{shown}")
            rows.append(cells)
        heads = [head for n in record.arms for head in (f"{n} arms, us", "x UCB (paper)")]
        show_table(f"{record.family}: time per decision", ["policy", *heads], rows)
