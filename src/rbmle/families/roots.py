"""Equations in the mean, solved for any family: KL-UCB's bound, and the paper's xi and K*."""

from __future__ import annotations

from abc import abstractmethod
from math import inf
from typing import Protocol

from .._numba.compile import apart_method

_RULE = (  # places and half the weights of the ten-point Gauss-Legendre rule on [-1, 1]
    (0.14887433898163122, 0.14776211235737646),
    (0.4333953941292472, 0.13463335965499817),
    (0.6794095682990244, 0.10954318125799104),
    (0.8650633666889845, 0.07472567457529030),
    (0.9739065285171717, 0.03333567215434407),
)


_NARROWER = 2.0**-32


class Equations(Protocol):
    """What the equations need of a family, and their solutions."""

    @abstractmethod
    def mean_range(self) -> tuple[float, float]: ...

    @abstractmethod
    def natural(self, mean: float) -> float:
        """The natural parameter eta as a function of the mean."""

    @abstractmethod
    def conjugate(self, mean: float) -> float: ...

    @abstractmethod
    def kl(self, mean: float, other: float) -> float: ...

    @apart_method
    def kl_upper(self, mean: float, bound: float) -> float:
        """The largest theta with D(mean, theta) <= bound: KL-UCB's index.

        It is accurate to eight units in its last place if `kl` is accurate, as in this package up
        to 1e12 pulls (`test_kl_upper_is_right_to_some_units`); for Exponential and Gamma, whose
        theta grows as e^bound, to as many units in the bound's last place.

        A bracket [mean, mean + step] is widened until it contains the root, or narrowed until the
        root is at least 2^-32 of the step away from the mean, so that the search is relative to
        that distance, however small. Then it is shrunk by Chandrupatla's method (1997): inverse
        quadratic interpolation where that is safe, bisection elsewhere.
        """
        _, high = self.mean_range()
        if not bound > 0.0 or mean >= high:
            return mean
        step = max(1.0, abs(mean))
        while self.kl(mean, min(mean + _NARROWER * step, high)) > bound:
            step *= _NARROWER
        outer = min(mean + step, high)
        reached = self.kl(mean, outer)
        while outer < high and reached <= bound:
            # A divergence that stays below the bound as theta grows rules no theta out. Steps end
            # at 1e300, because a longer one could overflow.
            if step > 1e100 * max(1.0, abs(mean)) or step > 1e300:
                return inf
            step *= 2.0
            outer = min(mean + step, high)
            reached = self.kl(mean, outer)
        a, f_a = outer, reached - bound
        b, f_b = mean, -bound
        if f_a <= 0.0:
            return high
        t = 0.5
        for _ in range(200):
            x = max(a + t * (b - a), mean)
            f_x = self.kl(mean, x) - bound
            if (f_x > 0.0) == (f_a > 0.0):
                c, f_c = a, f_a
            else:
                c, f_c, b, f_b = b, f_b, a, f_a
            a, f_a = x, f_x
            best = a if abs(f_a) < abs(f_b) else b
            tolerance = 4.440892098500626e-16 * abs(best) + 1e-307  # two units in the last place
            width = abs(b - a)
            if f_x == 0.0 or width <= 2.0 * tolerance:
                return best
            least = tolerance / width
            t = 0.5
            if max(f_a, f_b, f_c) < inf and f_b != f_c:
                xi = (a - b) / (c - b)
                phi = (f_a - f_b) / (f_c - f_b)
                if phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
                    t = f_a / (f_b - f_a) * f_c / (f_b - f_c) + (
                        (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_c - f_b)
                    )
            t = min(max(t, least), 1.0 - least)
        return best

    def xi(self, k: float, nu: float) -> float:
        """xi(k; nu) = k (F*(nu + 1/k) - F*(nu)) of Section 3.2: I(nu, k alpha, alpha) / alpha.

        For large k the difference cancels. But xi is also the average of `natural` over
        [nu, nu + 1/k]. If that interval is no longer than its distance from the ends of the range,
        it is computed by the ten-point Gauss-Legendre rule, whose relative error is of the order of
        (3 + sqrt 8)^-20 = 5e-16.
        """
        width = 1.0 / k
        low, high = self.mean_range()
        if nu + width >= high:
            return inf
        if nu - width > low and nu + 2.0 * width < high:
            middle, half = nu + 0.5 * width, 0.5 * width
            total = 0.0
            for place, weight in _RULE:
                away = half * place
                total += weight * (self.natural(middle - away) + self.natural(middle + away))
            return total
        return k * (self.conjugate(nu + width) - self.conjugate(nu))

    def k_star(self, mean: float, other: float) -> float:
        """K*(theta', theta'') = inf {k : natural(theta') > xi(k; theta'')}, to full precision.

        As k grows from 0, xi falls strictly to natural(theta''). So K* is infinite unless
        theta' > theta''. It is 0 if xi is below natural(theta') for every k, which happens where F*
        is infinite at theta'', as for exponential rewards at theta'' = 0.
        """
        if not mean > other:
            return inf
        target = self.natural(mean)
        high = 1.0
        while self.xi(high, other) >= target:
            high *= 2.0
            if high > 1e300:
                return inf
        low = 0.5 * high
        while self.xi(low, other) < target:
            high = low
            low *= 0.5
            if low < 1e-300:
                return 0.0
        while True:
            middle = 0.5 * (low + high)
            if middle <= low or middle >= high:
                return high
            if self.xi(middle, other) < target:
                high = middle
            else:
                low = middle
