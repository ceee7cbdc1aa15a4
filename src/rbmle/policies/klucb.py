"""KL-UCB: the index is the largest mean that the data do not rule out."""

from __future__ import annotations

from collections.abc import Mapping
from math import log, log1p, sqrt
from typing import Annotated, NamedTuple

from .._records.record import Choice
from ..errors import ParameterError
from ..families import Family
from ..families.divergences import log_ratio
from ..families.protocols import by_sums
from .arms import Arms, Clock
from .base import index_is_worth, policy


class Level(Choice):
    """What n D(p, theta) may be at most; see `KLUCB`."""

    t = 0
    plus = 1
    plus_plus = 2
    moss = 3
    left = 4


class Search(Choice):
    """How the index is computed: to full precision, or as the code behind the tables does."""

    exact = 0
    published = 1


@policy(worth=index_is_worth)
class KLUCB(NamedTuple):
    """KL-UCB (Cappe et al. 2013): max {theta : N_i D(p_i, theta) <= log t + c log log t}.

    c: in [0, inf); 0 in the paper ("following the suggestion in the original papers"), 3 in the
    theory. For the levels "t" and "plus" alone.
    search: "exact" solves to full precision; "published" bisects as the code behind the tables
    does.
    upto, or `level` when it is made: what N_i D(p_i, theta) may be at most. K is the number of
    arms, T the horizon, and log+ the logarithm, but at least 0.
    "t": as above. "plus", KL-UCB+: log(t / N_i) in place of log t (Garivier and Cappe 2011, in
    their experiments; asymptotically optimal with c = 0: Honda 2019, and with a larger rate
    log(t (log t)^c / N_i), which is this one with c > 0: Kaufmann 2018). "plus_plus", KL-UCB++:
    log+(x (log+(x)^2 + 1)) with x = T / (K N_i) (Menard and Garivier 2017). "moss", KL-MOSS:
    log+(T / (K N_i)), the level of `MOSS`. "left": log+((T - t + 1) / (K N_i)), so that exploration
    ends with the rounds; t where no horizon is known.
    `plus=True` and `plus_plus=True` are short for these two levels.

    >>> import numpy as np
    >>> from rbmle import Arms, Bernoulli
    >>> arms = Arms(np.array([10.0]), np.array([5.0]), np.array([5.0]))
    >>> round(KLUCB().index_of(Bernoulli(), arms, 0, 2.0), 6)
    0.787089
    >>> KLUCB(level="moss").upto, KLUCB(plus=True).upto
    ('moss', 'plus')
    """

    c: Annotated[float, "[0, inf)"] = 0.0
    search: Search | str = "exact"
    upto: Level | str = "t"

    def level(self, family: Family, arms: Arms, clock: Clock) -> float:
        """What `allowed` is computed from: a number of rounds, or log t or more for "t", and for
        "plus" with c > 0."""
        if self.upto == Level.plus and self.c == 0.0:
            return float(clock.t)
        if self.upto == Level.left and clock.horizon > 0:
            return (clock.left() + 1.0) / arms.n_arms()
        if self.uses_horizon():
            return (clock.t if self.upto == Level.left else clock.horizon) / arms.n_arms()
        log_t = clock.log_t()
        return log_t + self.c * log(log_t) if self.c > 0.0 and log_t > 1.0 else log_t

    def allowed(self, n: float, level: float) -> float:
        """What n D(p, theta) may be at most. For KL-UCB+ it is at least 0: t is larger than n, but
        a chooser also asks for lower levels. log(t / n) is computed from t - n, because
        log t - log n would lose its digits where n is close to t."""
        if self.upto == Level.t:
            return level
        if self.upto == Level.plus and self.c > 0.0:
            return max(level - log(n), 0.0)
        above = max(log_ratio(level, n, level - n), 0.0)
        if self.upto == Level.plus_plus and above > 0.0:
            return above + log1p(above * above)
        return above

    def needs_horizon(self) -> bool:
        return bool(self.upto == Level.plus_plus or self.upto == Level.moss)

    def uses_horizon(self) -> bool:
        return self.needs_horizon() or bool(self.upto == Level.left)

    def check_family(self, family: Family) -> None:
        """Refuse a c that the level does not read, and a search where D depends on the arm."""
        if self.search == Search.published and not by_sums(family):
            allowed = f"'exact' for {type(family).__name__}"
            raise ParameterError("KLUCB", "search", allowed, self.search)
        if self.c > 0.0 and self.uses_horizon():
            raise ParameterError("KLUCB", "c", f"0 with the level {self.upto!r}", self.c)

    def index_of(self, family: Family, arms: Arms, i: int, level: float) -> float:
        n, mean = float(arms.pulls[i]), family.mean_of(float(arms.pulls[i]), float(arms.sums[i]))
        bound = self.allowed(n, level) / n
        if self.search == Search.published:
            return self.bisected(family, mean, bound)
        return family.given(arms, i).kl_upper(mean, bound)

    def bisected(self, family: Family, mean: float, bound: float) -> float:
        """The index of the code behind the tables: the bracket [p, p + sqrt(2 bound)] is halved
        until it is 1e-6 wide, at most 100 times; the index is its lower end.

        The bracket is not clipped to the range of the mean. Where it does not contain the root, as
        with exponential rewards it may not, it is doubled first until it does.
        """
        low, high = mean, mean + sqrt(2.0 * bound)
        _, end = family.mean_range()
        while high < end and family.clipped_kl(mean, high) <= bound:
            step = high - mean if high > mean else 1e-15 * abs(mean)  # 0 if it was lost to rounding
            high = mean + 2.0 * step
        for _ in range(100):
            if high - low <= 1e-6:
                break
            middle = 0.5 * (low + high)
            if family.clipped_kl(mean, middle) > bound:
                high = middle
            else:
                low = middle
        return low

    @staticmethod
    def spelled(given: Mapping[str, object]) -> dict[str, object]:
        """The parameters by the names of the fields. `level` is the name of a method, so its field
        is `upto`; plus=True is short for level="plus"."""
        words = {("upto" if name == "level" else name): value for name, value in given.items()}
        for name in ("plus", "plus_plus"):
            if isinstance(words.get(name), bool) and "upto" not in words:
                words.update({"upto": name} if words.pop(name) else {})
        return words
