"""`Beliefs`: the probability that each arm is best, and the means given which arm is best.

IDS and VIDS need p_a = P(A* = a) and E[theta_j | A* = a] for independent conjugate posteriors. A
posterior with mean mu that is worth nu rewards has, in the natural parameter eta of the mean x, the
density f(x) = exp(-nu D(mu, x)) / Z, with distribution function F. As D's derivative is known, so
are partial means (Diaconis and Ylvisaker 1979): E[theta | theta < x] = mu - h(x) / nu, h = f / F.
Hence

    p_a = integral of h_a P d(eta),   P = prod_i F_i,
    p_a (E[theta_j | A* = a] - mu_j) = -G_aj / nu_j,   G_aj = integral of h_a h_j P d(eta),  j != a.

The case j = a follows, because the left sides for one j add up to 0 over a.

The integrals are computed by quadrature. Panels of 12 Gauss-Legendre nodes cover the interval in
which the largest mean can lie. A panel is at most 2.5 posterior standard deviations wide, for every
arm whose posterior reaches into it; for up to about ten arms the error of p_a is then about 1e-12.
For more, P, the distribution function of the largest mean, may be steeper than any F_i: up to K
times for K wide posteriors. Nothing in the computation forces the p_a to add up to 1, so their sum
shows the error: if it is off by more than `CLOSE`, P is treated as one more posterior, and panels
are halved where it rises until the sum is close. Panels have dyadic ends, so that they stay where
they are while posteriors move a little, and a new reward changes the table of one arm only.
"""

from __future__ import annotations

from math import exp, floor
from typing import NamedTuple

from .._numba.compile import Floats, record
from ..families import Shaped
from ..random import Draws
from .arms import Arms
from .quadrature_panels import (
    CLOSE,
    LEAST,
    NODES,
    NOWHERE,
    UP_TO,
    Stretch,
    W,
    X,
    largest_of,
    panel_width,
    sum_of_products,
)

_BLOCKS_A_DRAW = 256  # random blocks set aside for a posterior draw: two gamma draws of 128 each


@record
class Beliefs(NamedTuple):
    """Tables of the posteriors that were last seen, in arrays that the caller provides.

    Everything follows from the arms' statistics and is computed anew for arms that changed.
    Tables are flat, so that they can lie in any memory: node k of panel p is at 12 p + k.
    """

    pulls: Floats  # the statistics for which the tables were made
    sums: Floats
    low: Floats  # where each posterior begins and ends, and its panel width
    high: Floats
    width: Floats
    size: Floats  # nu
    panels: Floats  # (how many panels there are, whether they were halved)
    reach: Floats  # how many panels each posterior reaches
    left: Floats  # where each panel begins, and its width
    span: Floats
    slope_at: Floats  # for each node, d(eta) in units of the panel
    tilt_at: Floats  # eta at the first node minus eta here
    far_at: Floats  # D from the first node to here
    below: Floats  # for each arm and node, F_i and h_i
    hazard: Floats
    weight: Floats  # work space: P d(eta), and h_a P d(eta)
    share: Floats
    samples: Floats  # of one arm after the other: instead of the tables for Monte Carlo
    means: Floats  # posterior means
    best: Floats  # p_a
    given: Floats  # E[theta_j | A* = a] at n_arms a + j
    regret: Floats  # the expected regret of each arm, and what it is expected to tell
    information: Floats

    def place(self, i: int) -> int:
        """Where the tables of arm i begin in `below` and `hazard`."""
        return i * self.weight.size

    def place_end(self, i: int) -> int:
        """Where they end: after the nodes that its posterior reaches."""
        return self.place(i) + int(self.reach[i]) * NODES

    def mean_given(self, a: int, j: int) -> float:
        """E[theta_j | A* = a]."""
        return float(self.given[a * self.means.size + j])

    def solve(self, family: Shaped, arms: Arms) -> None:
        """Compute p_a and E[theta_j | A* = a] for the arms as they are now."""
        self.refresh(family, arms)
        for attempt in range(2):
            if attempt > 0:
                self.halve(family)
            if abs(self.integrate() - 1.0) <= CLOSE:
                return

    def refresh(self, family: Shaped, arms: Arms) -> None:
        """Update the tables of the arms that changed, or all tables if panels moved."""
        moved = False
        for i in range(arms.n_arms()):
            n, total = arms.pulls[i], arms.sums[i]
            if n != self.pulls[i] or total != self.sums[i]:
                moved = moved or self.panels[1] > 0.0  # which ones were halved depends on all arms
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
        before, largest, last = NOWHERE, self.rise(), False
        while True:
            fits = self.lay(family, largest)
            if fits or last:
                self.panels[1] = 1.0
                for i in range(self.low.size):
                    self.tabulate(family, i)
                if last or abs(self.mass() - 1.0) <= CLOSE:
                    return
                before, largest = largest, self.rise()
            else:  # no room for more: back to the panels before
                largest, last = before, True

    def weigh_nodes(self) -> None:
        """Fill `weight` with P d(eta) at every node."""
        for p in range(int(self.panels[0])):
            for k in range(NODES):
                self.weight[p * NODES + k] = W[k] * self.slope_at[p * NODES + k]
        for i in range(self.reach.size):
            below = self.below[self.place(i) : self.place_end(i)]
            for k in range(below.size):
                self.weight[k] *= below[k]

    def mass(self) -> float:
        """The sum of the p_a."""
        self.weigh_nodes()
        total = 0.0
        for a in range(self.reach.size):
            total += self.share_of(a)
        return total

    def share_of(self, a: int) -> float:
        """Fill `share` with h_a P d(eta) at the nodes of arm a; returns the sum, p_a."""
        hazard = self.hazard[self.place(a) : self.place_end(a)]
        for k in range(hazard.size):
            self.share[k] = self.weight[k] * hazard[k]
        return sum_of_products(self.weight, hazard)

    def rise(self) -> Stretch:
        """The interval in which P is neither 0 nor 1, and half the width of its widest panel."""
        low, high, width = self.left[0], self.left[0], 0.0
        for p in range(int(self.panels[0])):
            for k in range(NODES):
                y, P = self.left[p] + self.span[p] * X[k], 1.0
                for i in range(self.reach.size):
                    if p < self.reach[i]:
                        P *= self.below[self.place(i) + p * NODES + k]
                if P < 1e-18:
                    low = y
                if P < 1.0 - 1e-13:
                    high = self.left[p] + self.span[p]
        for p in range(int(self.panels[0])):
            if self.left[p] < high and self.left[p] + self.span[p] > low:
                width = max(width, self.span[p])
        return Stretch(low, high, 0.5 * width)

    def lay(self, family: Shaped, largest: Stretch) -> bool:
        """Lay panels for the present posteriors, fill the tables of nodes; False if out of room."""
        count = self.cover(largest)
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
                self.slope_at[p * NODES + k] = self.span[p] * slope
                self.tilt_at[p * NODES + k] = eta - family.natural(mean)
                self.far_at[p * NODES + k] = family.density_kl(origin, mean)
        return bool(self.left[count - 1] + self.span[count - 1] >= largest_of(self.high))

    def cover(self, largest: Stretch) -> int:
        """Cover [max low, max high] with panels whose ends are dyadic; returns how many there are.

        No panel is wider than a posterior that it meets allows, nor than P does (`largest`). If
        there is not enough room, the right end of the interval is not covered.
        """
        x, end, coarsest = largest_of(self.low), largest_of(self.high), largest_of(self.width)
        count = 0
        while x < end and count < self.left.size:
            h, fits = coarsest, False
            while not fits:
                fits = floor(x / h) == x / h
                if largest.width < h and largest.low < x + h and largest.high > x:
                    fits = False
                for i in range(self.low.size):
                    if self.width[i] < h and self.low[i] < x + h and self.high[i] > x:
                        fits = False
                if not fits:
                    h *= 0.5
            self.left[count], self.span[count] = x, h
            x += h
            count += 1
        return count

    def tabulate(self, family: Shaped, i: int) -> None:
        """Fill the tables of F_i and h_i at every node that arm i's posterior reaches.

        The density is integrated panel by panel up to a constant factor, which follows from F = 1
        at the end. D(mu, x) = D(mu, o) + D(o, x) + (mu - o) (eta_o - eta_x), where o is the first
        node; for a narrow posterior, whose nodes are all near o, this loses no digits.
        """
        size, mean = self.size[i], self.means[i]
        origin = family.chart(self.left[0] + self.span[0] * X[0])
        mass = self.mass_below(family, i)
        ahead, start = mean - origin, family.density_kl(mean, origin)
        below = self.below[self.place(i) : self.place_end(i)]
        hazard = self.hazard[self.place(i) : self.place_end(i)]
        for first in range(0, below.size, NODES):
            for k in range(first, first + NODES):
                away = start + (self.far_at[k] + ahead * self.tilt_at[k])
                hazard[k] = exp(-size * away)
            for k in range(NODES):
                total = mass
                for m in range(NODES):
                    total += UP_TO[m, k] * (hazard[first + m] * self.slope_at[first + m])
                below[first + k] = total
            for m in range(NODES):
                mass += W[m] * (hazard[first + m] * self.slope_at[first + m])
        share = 1.0 / mass
        for k in range(below.size):
            value = max(below[k], LEAST)
            hazard[k] /= value
            below[k] = value * share

    def mass_below(self, family: Shaped, i: int) -> float:
        """The integral of the same density from the begin of the posterior to the first panel."""
        mass, at, begin = 0.0, self.low[i], min(self.left[0], self.high[i])
        while at < begin:
            h = min(self.width[i], begin - at)
            for k in range(NODES):
                x = family.chart(at + h * X[k])
                slope = family.chart_slope(at + h * X[k]) / family.variance(x)
                density = exp(-self.size[i] * family.density_kl(self.means[i], x))
                mass += density * slope * (h * W[k])
            at += h
        return mass

    def integrate(self) -> float:
        """Compute p_a and E[theta_j | A* = a] from the tables.

        Returns the sum of the p_a before they are scaled to add up to 1: it shows their error.
        """
        n, total = self.reach.size, 0.0
        self.weigh_nodes()
        for a in range(n):
            self.best[a] = self.share_of(a)
            total += self.best[a]
            self.given[a * n + a] = 0.0
            for j in range(a):
                end = self.place(j) + int(min(self.reach[a], self.reach[j])) * NODES
                both = sum_of_products(self.share, self.hazard[self.place(j) : end])
                self.given[a * n + j], self.given[j * n + a] = -both, -both
                self.given[a * n + a] += both
                self.given[j * n + j] += both
        for a in range(n):
            for j in range(n):
                self.given[a * n + j] /= self.size[j]
        self.conclude()
        for a in range(n):
            self.best[a] /= total  # else the error of the sum would be added to small regrets
        return total

    def draw_jointly(self, family: Shaped, arms: Arms, rng: Draws) -> None:
        """Estimate p_a and E[theta_j | A* = a] from joint posterior samples (Russo and Van Roy
        2018, Algorithm 3). The samples of an arm stay the same until it is pulled again."""
        n = self.means.size
        samples = self.samples.size // n
        for i in range(n):
            pulls, total = arms.pulls[i], arms.sums[i]
            if pulls != self.pulls[i] or total != self.sums[i]:
                self.pulls[i], self.sums[i] = pulls, total
                self.means[i] = family.posterior_mean(pulls, total)
                cell = rng.sample_cell(i, pulls)
                for s in range(samples):
                    drawn = family.posterior_draw(pulls, total, cell, _BLOCKS_A_DRAW * s)
                    self.samples[i * samples + s] = drawn
        self.best[:] = 0.0
        self.given[:] = 0.0
        for s in range(samples):
            a = 0
            for i in range(1, n):
                if self.samples[i * samples + s] > self.samples[a * samples + s]:
                    a = i
            self.best[a] += 1.0 / samples
            for j in range(n):
                shift = self.samples[j * samples + s] - self.means[j]
                self.given[a * n + j] += shift / samples
        self.conclude()

    def conclude(self) -> None:
        """Turn sums of deviations over {A* = a} into conditional means, if arm a is ever best."""
        n = self.means.size
        for a in range(n):
            for j in range(n):
                shift = self.given[a * n + j] / self.best[a] if self.best[a] > 1e-300 else 0.0
                self.given[a * n + j] = self.means[j] + shift
