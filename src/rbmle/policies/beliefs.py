"""What the posteriors say jointly: which arm is best, and what each mean would be if it were.

IDS and VIDS need, for independent posteriors with densities f_i and distribution functions F_i,

    p_a = P(A* = a) = integral of f_a(x) prod_{j != a} F_j(x) dx,
    E[theta_j | A* = a], of which the part of arm j is E[theta_j | theta_j < x] under the integral.

`Beliefs` computes them by quadrature. Panels of 16 Gauss-Legendre nodes cover the interval in
which the largest mean can lie; each is at most 2.5 posterior standard deviations wide for every arm
whose posterior reaches into it, however narrow. Panels have dyadic ends, so that they stay where
they are while posteriors move a little, and one more reward changes the table of one arm only.
"""

from __future__ import annotations

from math import floor, frexp, ldexp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._compile import njit, record
from .._record import Choice
from ..arms import Arms, Floats
from ..random import Draws


class Method(Choice):
    """How the posteriors are integrated."""

    quadrature = 0
    monte_carlo = 1


NODES = 16
MAX_PANELS = 320  # 2 x 16 / 1.25 panels for one width, and some more for each of 30 doublings
NEGLIGIBLE = 1e-32  # a share of probability that changes nothing, even times a mean of e^34
_BLOCKS_A_DRAW = 256  # random blocks kept for one posterior draw

_x, _w = np.polynomial.legendre.leggauss(NODES)
X: Floats = 0.5 * (_x + 1.0)
W: Floats = 0.5 * _w
# BELOW[j, k]: the integral over [0, X_j] of the polynomial that is 1 at X_k and 0 at other nodes.
BELOW: Floats = np.array(
    [
        np.polynomial.legendre.legval(
            x, np.polynomial.legendre.legint(np.linalg.inv(
                np.polynomial.legendre.legvander(_x, NODES - 1)
            ), lbnd=-1)
        )
        for x in _x
    ]
) * 0.5  # fmt: skip


@njit
def panel_width(sd: float) -> float:
    """The largest power of two that is at most 2.5 standard deviations."""
    _, exponent = frexp(2.5 * sd)
    return ldexp(1.0, exponent - 1)


@njit
def lay_panels(low: Floats, high: Floats, width: Floats, left: Floats, size: Floats) -> int:
    """Cover [max low, max high] with dyadic panels, none wider than the arms it meets ask for."""
    x, end, coarsest = low.max(), high.max(), width.max()
    count = 0
    while x < end and count < left.size:
        h = coarsest
        fits = False
        while not fits:
            fits = floor(x / h) == x / h
            for i in range(low.size):
                if width[i] < h and low[i] < x + h and high[i] > x:
                    fits = False
            if not fits:
                h *= 0.5
        left[count], size[count] = x, h
        x += h
        count += 1
    return count


@record
class Beliefs(NamedTuple):
    """The workspace of one replication: tables for the posteriors that were last seen.

    Everything but `memory` is derived from the arms: it is rebuilt where they have changed.
    """

    pulls: Floats  # the statistics that the tables were made for
    sums: Floats
    low: Floats  # where each posterior begins and ends, and its panel width
    high: Floats
    width: Floats
    panels: NDArray[np.int64]  # how many there are
    left: Floats
    size: Floats
    mean_at: Floats  # the nodes: the mean there, and d(mean)/dx in units of the panel
    scale_at: Floats
    below: NDArray[np.float64]  # (nodes, arms): F_i, f_i / F_i in those units, E[theta_i | < x]
    hazard: NDArray[np.float64]
    inside: NDArray[np.float64]
    panel: Floats  # scratch: the density in one panel
    samples: NDArray[np.float64]  # (arms, samples): in place of the tables, for Monte Carlo
    means: Floats  # posterior means
    best: Floats  # p_a
    given: NDArray[np.float64]  # E[theta_j | A* = a]
    regret: Floats  # what each arm costs and tells
    information: Floats
    memory: Floats  # (the arm that is played for good, or -1)

    def refresh(self, family: Any, arms: Arms) -> None:
        """Bring the tables up to date: those of the arms that changed, or all if panels moved."""
        moved = False
        for i in range(arms.n_arms()):
            n, total = arms.pulls[i], arms.sums[i]
            if n != self.pulls[i] or total != self.sums[i]:
                low, high, sd = family.posterior_span(n, total)
                width = panel_width(sd)
                low, high = floor(low / width) * width, -floor(-high / width) * width
                if low != self.low[i] or high != self.high[i] or width != self.width[i]:
                    self.low[i], self.high[i], self.width[i] = low, high, width
                    moved = True
        if moved:
            self.lay(family)
        for i in range(arms.n_arms()):
            n, total = arms.pulls[i], arms.sums[i]
            if moved or n != self.pulls[i] or total != self.sums[i]:
                self.pulls[i], self.sums[i] = n, total
                self.tabulate(family, i)

    def lay(self, family: Any) -> None:
        """Lay panels for the present spans and place the nodes."""
        count = lay_panels(self.low, self.high, self.width, self.left, self.size)
        self.panels[0] = count
        for k in range(count):
            for j in range(NODES):
                y = self.left[k] + self.size[k] * X[j]
                self.mean_at[k * NODES + j] = family.chart(y)
                self.scale_at[k * NODES + j] = self.size[k] * family.chart_slope(y)

    def tabulate(self, family: Any, i: int) -> None:
        """f_i, F_i and the partial mean at every node: the density integrated panel by panel."""
        n, total = self.pulls[i], self.sums[i]
        mass, moment = 0.0, 0.0
        at, begin = self.low[i], self.low.max()
        while at < begin:  # below the first panel only the sums matter
            h = min(self.width[i], begin - at)
            for j in range(NODES):
                y = at + h * X[j]
                mean = family.chart(y)
                f = family.posterior_density(n, total, mean) * family.chart_slope(y) * (h * W[j])
                mass += f
                moment += f * mean
            at += h
        nodes = self.panels[0] * NODES
        for first in range(0, nodes, NODES):
            if self.left[first // NODES] >= self.high[i]:
                for x in range(first, first + NODES):
                    self.below[x, i], self.hazard[x, i], self.inside[x, i] = mass, 0.0, moment
                continue
            for j in range(NODES):
                x = first + j
                f = family.posterior_density(n, total, self.mean_at[x])
                self.panel[j] = f * self.scale_at[x]
            for j in range(NODES):
                part, part_moment = 0.0, 0.0
                for m in range(NODES):
                    f = BELOW[j, m] * self.panel[m]
                    part += f
                    part_moment += f * self.mean_at[first + m]
                self.below[first + j, i] = mass + part
                self.inside[first + j, i] = moment + part_moment
            for j in range(NODES):
                self.hazard[first + j, i] = self.panel[j]
                f = W[j] * self.panel[j]
                mass += f
                moment += f * self.mean_at[first + j]
        for x in range(nodes):
            below = self.below[x, i]
            self.hazard[x, i] /= below
            self.inside[x, i] /= below
            self.below[x, i] = below / mass
        self.means[i] = family.posterior_mean(n, total)

    def integrate(self) -> None:
        """p_a and E[theta_j | A* = a] from the tables."""
        n_arms = self.means.size
        self.best[:] = 0.0
        self.given[:, :] = 0.0
        for x in range(self.panels[0] * NODES):
            all_below = W[x % NODES]
            for i in range(n_arms):
                all_below *= self.below[x, i]
            for a in range(n_arms):
                share = all_below * self.hazard[x, a]
                if share > NEGLIGIBLE:
                    self.best[a] += share
                    for j in range(n_arms):
                        self.given[a, j] += share * self.inside[x, j]
                    self.given[a, a] += share * (self.mean_at[x] - self.inside[x, a])
        self.conclude()

    def draw_jointly(self, family: Any, arms: Arms, rng: Draws) -> None:
        """The same from joint posterior samples (Russo and Van Roy 2018, Algorithm 3); those of an
        arm stay until it is pulled again."""
        n_arms, samples = self.samples.shape
        for i in range(n_arms):
            n, total = arms.pulls[i], arms.sums[i]
            if n != self.pulls[i] or total != self.sums[i]:
                self.pulls[i], self.sums[i] = n, total
                self.means[i] = family.posterior_mean(n, total)
                cell = rng.sample_cell(i, n)
                for s in range(samples):
                    self.samples[i, s] = family.posterior_draw(n, total, cell, _BLOCKS_A_DRAW * s)
        self.best[:] = 0.0
        self.given[:, :] = 0.0
        for s in range(samples):
            a = 0
            for i in range(1, n_arms):
                if self.samples[i, s] > self.samples[a, s]:
                    a = i
            self.best[a] += 1.0 / samples
            for j in range(n_arms):
                self.given[a, j] += self.samples[j, s] / samples
        self.conclude()

    def conclude(self) -> None:
        """From sums over {A* = a} to conditional means; to the plain mean where a is never best."""
        for a in range(self.means.size):
            for j in range(self.means.size):
                possible = self.best[a] > 1e-300
                self.given[a, j] = self.given[a, j] / self.best[a] if possible else self.means[j]


def beliefs(self: Any, family: Any, n_arms: int) -> Beliefs:
    """The `start` of IDS and VIDS: a fresh workspace for quadrature or for samples."""
    sampled = self.method == Method.monte_carlo
    panels, samples = (0, self.samples) if sampled else (MAX_PANELS, 0)
    nodes = panels * NODES
    return Beliefs(
        np.zeros(n_arms), np.zeros(n_arms),
        np.zeros(n_arms), np.zeros(n_arms), np.zeros(n_arms), np.zeros(1, np.int64),
        np.zeros(panels), np.zeros(panels), np.zeros(nodes), np.zeros(nodes),
        np.zeros((nodes, n_arms)), np.zeros((nodes, n_arms)), np.zeros((nodes, n_arms)),
        np.zeros(NODES),
        np.zeros((n_arms, samples)),
        np.zeros(n_arms), np.zeros(n_arms), np.zeros((n_arms, n_arms)),
        np.zeros(n_arms), np.zeros(n_arms), np.full(1, -1.0),
    )  # fmt: skip
