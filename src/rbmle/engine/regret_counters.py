"""What is counted while rounds are played, for regret and for the pulls of each arm."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from .._numba.compile import Floats, record
from ..evidence import Evidence
from ..policies.arms import Arms
from ..rewards.problems import World


class Gapped(Protocol):
    """A source of rewards whose gaps may change from round to round."""

    def gap(self, replication: int, t: int, i: int) -> float: ...


@record
class ByPulls(NamedTuple):
    """Nothing is counted: regret follows from the arms' own numbers of pulls and the gaps.

    So rounding errors do not add up.
    """

    gaps: Floats

    def begin(self) -> None:
        """Nothing to do: a new replication restarts the arms."""

    def note(self, source: Gapped, replication: int, t: int, i: int) -> None:
        """Nothing to do."""

    def pulls(self, arms: Arms, j: int) -> float:
        """How often arm j was pulled."""
        return float(arms.pulls[j])

    def totals(self, arms: Arms) -> tuple[float, float]:
        """Regret so far, and how often a best arm was pulled."""
        total = best = 0.0
        for j in range(self.gaps.size):
            total += arms.pulls[j] * self.gaps[j]
            if self.gaps[j] == 0.0:
                best += arms.pulls[j]
        return total, best


@record
class ByCounts(NamedTuple):
    """Pulls are counted, where `arms.pulls` are something else; gaps stay the same."""

    gaps: Floats
    counts: Floats

    def begin(self) -> None:
        for j in range(self.counts.size):
            self.counts[j] = 0.0

    def note(self, source: Gapped, replication: int, t: int, i: int) -> None:
        self.counts[i] += 1.0

    def pulls(self, arms: Arms, j: int) -> float:
        return float(self.counts[j])

    def totals(self, arms: Arms) -> tuple[float, float]:
        total = best = 0.0
        for j in range(self.gaps.size):
            total += self.counts[j] * self.gaps[j]
            if self.gaps[j] == 0.0:
                best += self.counts[j]
        return total, best


@record
class ByRound(NamedTuple):
    """Pulls are counted, and gaps added up round by round, where they change: dynamic regret.

    sums: regret so far, and how often a best arm was pulled.
    replays: whether some rounds do not count; then regret is the mean of those that do, and they
    take the place of pulls of a best arm.
    """

    sums: Floats
    counts: Floats
    replays: bool

    def begin(self) -> None:
        self.sums[0] = self.sums[1] = 0.0
        for j in range(self.counts.size):
            self.counts[j] = 0.0

    def note(self, source: Gapped, replication: int, t: int, i: int) -> None:
        gap = source.gap(replication, t, i)
        self.sums[0] += gap
        if gap == 0.0 or self.replays:
            self.sums[1] += 1.0
        self.counts[i] += 1.0

    def pulls(self, arms: Arms, j: int) -> float:
        return float(self.counts[j])

    def totals(self, arms: Arms) -> tuple[float, float]:
        rounds = max(self.sums[1], 1.0) if self.replays else 1.0
        return float(self.sums[0]) / rounds, float(self.sums[1])


def counters_for(
    world: World, evidence: Evidence, late: bool, net_gaps: Floats | None = None
) -> ByPulls | ByCounts | ByRound:
    """The counters that a world and a kind of evidence need. late: whether rewards may be.
    net_gaps: where arms have costs, the gap of each and, last, that of a round without a pull."""
    if net_gaps is not None:
        return ByCounts(net_gaps, np.zeros(net_gaps.size))
    gaps, counts = world.fixed_gaps, np.zeros(world.n_arms)
    if gaps is None:
        return ByRound(np.zeros(2), counts, world.replays)
    return ByCounts(gaps, counts) if evidence.changes_all() or late else ByPulls(gaps)
