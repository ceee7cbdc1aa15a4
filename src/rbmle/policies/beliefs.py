"""What the posteriors say jointly: which arm is best, and what each mean would be if it were.

IDS and VIDS need p_a = P(A* = a) and E[theta_j | A* = a] for independent conjugate posteriors. Such
a posterior with mean mu, worth nu rewards, has in the natural parameter eta of the mean x the
density f(x) = exp(-nu D(mu, x)) / Z, and D's derivative is known, so that its partial means are too
(Diaconis and Ylvisaker 1979): E[theta | theta < x] = mu - h(x) / nu, where h = f / F. Hence

    p_a = integral of h_a P d(eta),   P = prod_i F_i,
    p_a (E[theta_j | A* = a] - mu_j) = -G_aj / nu_j,   G_aj = integral of h_a h_j P d(eta),  j != a,

and the deviations of one arm add up to 0 over a, which gives those at j = a.

`Beliefs` computes the integrals by quadrature. Panels of 12 Gauss-Legendre nodes cover the interval
in which the largest mean can lie; each is at most 2.5 posterior standard deviations wide for every
arm whose posterior reaches into it, however narrow. For up to ten arms or so that leaves an error
of about 1e-12 in p_a; where there are more, P may be steeper than any F_i. The p_a must add up to
1, which nothing in their computation enforces: where they do not, to `CLOSE`, panels are halved
where P rises until they do. Panels have dyadic ends, so that they stay where they are while
posteriors move a little, and one more reward changes the table of one arm only.
"""

from __future__ import annotations

from math import exp, floor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._compile import Floats, njit, record
from .._record import Choice
from ..random import Draws
from .arms import Arms
from .panels import NOWHERE, Span, lay_panels, panel_width
from .posterior_shape import Shaped

Nodes = NDArray[np.float64]  # (panels, nodes)
Tables = NDArray[np.float64]  # (panels, arms, nodes)


class Method(Choice):
    """How the posteriors are integrated."""

    quadrature = 0
    monte_carlo = 1


NODES = 12  # a multiple of 4: sums run four nodes at a time
MAX_PANELS = 320  # up to 60 panels for one width, and some more for each of 30 doublings
CLOSE = 1e-9  # to 1: of 4,000 random histories, those of 5 arms were off by 1e-10 at most
LEAST = 1e-300  # for F where rounding leaves nothing of it: then h is finite still, and F h is f
_BLOCKS_A_DRAW = 256  # random blocks kept for one posterior draw

_x, _w = np.polynomial.legendre.leggauss(NODES)
X: Floats = 0.5 * (_x + 1.0)
W: Floats = 0.5 * _w
# UP_TO[m, k]: the integral over [0, X_k] of the polynomial that is 1 at X_m and 0 at other nodes.
_basis = np.linalg.inv(np.polynomial.legendre.legvander(_x, NODES - 1))
_integrals = np.polynomial.legendre.legint(_basis, lbnd=-1)
UP_TO: Floats = np.ascontiguousarray(0.5 * np.polynomial.legendre.legval(_x, _integrals))


@njit
def share_out(weight: Nodes, hazard: Tables, a: int, panels: int, share: Nodes) -> float:
    """h_a P d(eta) at every node of so many panels, and their sum, p_a."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    for p in range(panels):
        for k in range(NODES):
            share[p, k] = weight[p, k] * hazard[p, a, k]
        for k in range(0, NODES, 4):
            s0 += share[p, k]
            s1 += share[p, k + 1]
            s2 += share[p, k + 2]
            s3 += share[p, k + 3]
    return (s0 + s1) + (s2 + s3)


@njit
def common(share: Nodes, hazard: Tables, j: int, panels: int) -> float:
    """G_aj from the shares of arm a, in four sums: in one, each addition would await the last."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    for p in range(panels):
        for k in range(0, NODES, 4):
            s0 += share[p, k] * hazard[p, j, k]
            s1 += share[p, k + 1] * hazard[p, j, k + 1]
            s2 += share[p, k + 2] * hazard[p, j, k + 2]
            s3 += share[p, k + 3] * hazard[p, j, k + 3]
    return (s0 + s1) + (s2 + s3)


@record
class Beliefs(NamedTuple):
    """Tables for the posteriors that were last seen, in arrays that the caller provides.

    All of it is derived from the arms, and rebuilt where they have changed.
    """

    pulls: Floats  # the statistics that the tables were made for
    sums: Floats
    low: Floats  # where each posterior begins and ends, and its panel width
    high: Floats
    width: Floats
    size: Floats  # nu
    panels: Floats  # how many there are, and whether they were halved; up to which each reaches
    reach: Floats
    left: Floats
    span: Floats
    slope_at: Nodes  # d(eta) in units of the panel,
    tilt_at: Nodes  # eta from here to the first node,
    far_at: Nodes  # D from the first node to here
    below: Tables  # F_i and h_i
    hazard: Tables
    weight: Nodes  # scratch: P d(eta), and h_a P d(eta)
    share: Nodes
    samples: NDArray[np.float64]  # (arms, samples): in place of the tables, for Monte Carlo
    means: Floats  # posterior means
    best: Floats  # p_a
    given: NDArray[np.float64]  # E[theta_j | A* = a]
    regret: Floats  # what each arm costs and tells
    information: Floats

    def solve(self, family: Shaped, arms: Arms) -> None:
        """p_a and E[theta_j | A* = a] of the arms as they are now."""
        self.refresh(family, arms)
        if abs(self.integrate() - 1.0) > CLOSE:
            self.halve(family)
            self.integrate()

    def refresh(self, family: Shaped, arms: Arms) -> None:
        """Bring the tables up to date: those of the arms that changed, or all if panels moved."""
        moved = False
        for i in range(arms.n_arms()):
            n, total = arms.pulls[i], arms.sums[i]
            if n != self.pulls[i] or total != self.sums[i]:
                moved = moved or self.panels[1] > 0.0  # what was halved depends on all arms
                low, high, sd = family.posterior_span(n, total)
                width = panel_width(sd)
                low, high = floor(low / width) * width, -floor(-high / width) * width
                if low != self.low[i] or high != self.high[i] or width != self.width[i]:
                    self.low[i], self.high[i], self.width[i] = low, high, width
                    moved = True
        if moved:
            self.panels[1] = 0.0
            self.lay(family, NOWHERE)
        for i in range(arms.n_arms()):
            n, total = arms.pulls[i], arms.sums[i]
            if moved or n != self.pulls[i] or total != self.sums[i]:
                self.pulls[i], self.sums[i] = n, total
                self.means[i] = family.posterior_mean(n, total)
                self.size[i] = family.posterior_size(n)
                self.tabulate(family, i)

    def halve(self, family: Shaped) -> None:
        """Halve panels where P rises until the p_a add up to 1, or there is no room for more."""
        before, largest = NOWHERE, self.rise()
        while self.lay(family, largest):
            self.tabulate_all(family)
            if abs(self.mass() - 1.0) <= CLOSE:
                return
            before, largest = largest, self.rise()
        self.lay(family, before)
        self.tabulate_all(family)

    def tabulate_all(self, family: Shaped) -> None:
        self.panels[1] = 1.0
        for i in range(self.low.size):
            self.tabulate(family, i)

    def weigh_nodes(self) -> None:
        """P d(eta) at every node."""
        for p in range(int(self.panels[0])):
            for k in range(NODES):
                self.weight[p, k] = W[k] * self.slope_at[p, k]
            for i in range(self.reach.size):
                if p < self.reach[i]:
                    for k in range(NODES):
                        self.weight[p, k] *= self.below[p, i, k]

    def mass(self) -> float:
        """The sum of the p_a."""
        self.weigh_nodes()
        total = 0.0
        for a in range(self.reach.size):
            total += share_out(self.weight, self.hazard, a, int(self.reach[a]), self.share)
        return total

    def rise(self) -> Span:
        """Where P, at the nodes, is neither 0 nor 1, and half the widest panel there."""
        low, high, width = self.left[0], self.left[0], 0.0
        for p in range(int(self.panels[0])):
            for k in range(NODES):
                y, P = self.left[p] + self.span[p] * X[k], 1.0
                for i in range(self.reach.size):
                    if p < self.reach[i]:
                        P *= self.below[p, i, k]
                if P < 1e-18:
                    low = y
                if P < 1.0 - 1e-13:
                    high = self.left[p] + self.span[p]
        for p in range(int(self.panels[0])):
            if self.left[p] < high and self.left[p] + self.span[p] > low:
                width = max(width, self.span[p])
        return Span(low, high, 0.5 * width)

    def lay(self, family: Shaped, largest: Span) -> bool:
        """Lay panels for the present spans and describe the nodes; False if there were too many."""
        count = lay_panels(self.low, self.high, self.width, largest, self.left, self.span)
        self.panels[0] = count
        for i in range(self.low.size):
            reach = 0
            while reach < count and self.left[reach] < self.high[i]:
                reach += 1
            self.reach[i] = reach
        origin = family.chart(self.left[0] + self.span[0] * X[0])
        eta = family.natural(origin)
        for p in range(count):
            for k in range(NODES):
                y = self.left[p] + self.span[p] * X[k]
                mean = family.chart(y)
                slope = family.chart_slope(y) / family.variance(mean)
                self.slope_at[p, k] = self.span[p] * slope
                self.tilt_at[p, k] = eta - family.natural(mean)
                self.far_at[p, k] = family.density_kl(origin, mean)
        return bool(self.left[count - 1] + self.span[count - 1] >= self.high.max())

    def tabulate(self, family: Shaped, i: int) -> None:
        """F_i and h_i at every node that the posterior reaches: its density integrated panel by
        panel, up to a constant, which F at the end then gives.

        D(mu, x) = D(mu, o) + D(o, x) + (mu - o) (eta_o - eta_x), where o, the origin, is the first
        node: for a narrow posterior, all of whose nodes are near it, this loses no digits.
        """
        size, mean = self.size[i], self.means[i]
        origin = family.chart(self.left[0] + self.span[0] * X[0])
        mass = self.mass_below(family, i)
        ahead, start = mean - origin, family.density_kl(mean, origin)
        for p in range(int(self.reach[i])):
            for k in range(NODES):
                away = start + (self.far_at[p, k] + ahead * self.tilt_at[p, k])
                self.hazard[p, i, k] = exp(-size * away)
                self.below[p, i, k] = mass
            for m in range(NODES):
                f = self.hazard[p, i, m] * self.slope_at[p, m]
                mass += W[m] * f
                for k in range(NODES):
                    self.below[p, i, k] += UP_TO[m, k] * f
        share = 1.0 / mass
        for p in range(int(self.reach[i])):
            for k in range(NODES):
                below = max(self.below[p, i, k], LEAST)
                self.hazard[p, i, k] /= below
                self.below[p, i, k] = below * share

    def mass_below(self, family: Shaped, i: int) -> float:
        """The integral of the same density from where the posterior begins to the first panel."""
        mass, at, begin = 0.0, self.low[i], min(self.left[0], self.high[i])
        while at < begin:
            h = min(self.width[i], begin - at)
            for k in range(NODES):
                x = family.chart(at + h * X[k])
                slope = family.chart_slope(at + h * X[k]) / family.variance(x)
                mass += (
                    exp(-self.size[i] * family.density_kl(self.means[i], x)) * slope * (h * W[k])
                )
            at += h
        return mass

    def integrate(self) -> float:
        """p_a and E[theta_j | A* = a] from the tables; and the sum of the p_a before it is made 1,
        which says how accurate they are."""
        n_arms = self.reach.size
        self.weigh_nodes()
        total = 0.0
        for a in range(n_arms):
            self.best[a] = share_out(self.weight, self.hazard, a, int(self.reach[a]), self.share)
            total += self.best[a]
            self.given[a, a] = 0.0
            for j in range(a):
                reached = int(min(self.reach[a], self.reach[j]))
                both = common(self.share, self.hazard, j, reached)
                self.given[a, j], self.given[j, a] = -both, -both
                self.given[a, a] += both
                self.given[j, j] += both
        for j in range(n_arms):
            for a in range(n_arms):
                self.given[a, j] /= self.size[j]
        self.conclude()
        for a in range(n_arms):
            self.best[a] /= total  # exactly 1 in all: an error would be one of the small regrets
        return total

    def draw_jointly(self, family: Shaped, arms: Arms, rng: Draws) -> None:
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
                self.given[a, j] += (self.samples[j, s] - self.means[j]) / samples
        self.conclude()

    def conclude(self) -> None:
        """From sums of deviations over {A* = a} to means; to the plain mean if a is never best."""
        for a in range(self.means.size):
            for j in range(self.means.size):
                shift = self.given[a, j] / self.best[a] if self.best[a] > 1e-300 else 0.0
                self.given[a, j] = self.means[j] + shift


_PER_ARM = 11  # arrays of one number an arm in `beliefs_in`
_PER_PANEL = 2 + 5 * NODES  # numbers for each panel, whatever the number of arms


def beliefs_size(n_arms: int, panels: int, samples: int) -> int:
    """How many numbers `beliefs_in` lays out."""
    tables = panels * (_PER_PANEL + 2 * NODES * n_arms)
    return 2 + _PER_ARM * n_arms + n_arms * n_arms + n_arms * samples + tables


@njit
def beliefs_in(space: Floats, n_arms: int, panels: int, samples: int) -> Beliefs:
    """The arrays of `Beliefs`, one after the other in a given space; all 0 means nothing seen."""
    n, nodes = n_arms, panels * NODES
    arm = space[: _PER_ARM * n].reshape((_PER_ARM, n))
    rest = space[_PER_ARM * n :]
    ends = rest[: 2 * panels].reshape((2, panels))
    at = rest[2 * panels : 2 * panels + 5 * nodes].reshape((5, panels, NODES))
    rest = rest[2 * panels + 5 * nodes :]
    tables = rest[: 2 * n * nodes].reshape((2, panels, n, NODES))
    rest = rest[2 * n * nodes :]
    given, rest = rest[: n * n].reshape((n, n)), rest[n * n :]
    drawn, count = rest[: n * samples].reshape((n, samples)), rest[n * samples :]
    return Beliefs(
        arm[0], arm[1], arm[2], arm[3], arm[4], arm[5], count, arm[6], ends[0], ends[1],
        at[0], at[1], at[2], tables[0], tables[1], at[3], at[4], drawn,
        arm[7], arm[8], given, arm[9], arm[10],
    )  # fmt: skip
