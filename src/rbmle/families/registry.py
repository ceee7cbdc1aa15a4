"""`family`, the decorator that makes a class a reward family; numbers that families share."""

from __future__ import annotations

from math import inf, log
from typing import TypeVar

from .._numba.compile import defaults_of, record
from .._records.record import register
from .protocols import Law, Learns, Shaped

T = TypeVar("T")

FAMILIES: dict[str, type] = {}

# A margin for the rounding error of a deviance, x - 1 - log x or n log(n/m) - (n - m), which is
# some units in the last place (1e-16) of its largest term, 1 or m.
DEVIANCE_ERROR = 1e-13
TAIL = 34.538776394910684  # -log(1e-15); `posterior_span` leaves out 1e-15 at each end


def family(cls: type[T]) -> type[T]:
    """Make a NamedTuple class a reward family: its fields are checked, its methods compiled.

    It gets the defaults of `protocols`, and is known by its name from now on.

        @rbmle.family
        class Coin(NamedTuple):
            def natural(self, mean):
                return log(mean / (1.0 - mean))

            def log_partition(self, eta):
                return log(1.0 + exp(eta))

            def mean_range(self):
                return 0.0, 1.0

            def sample(self, mean, cell):
                return 1.0 if cell.uniform(0) < mean else 0.0

        rbmle.simulate(rbmle.Problem(Coin(), [0.4, 0.6]), ["ucb"], 1_000, 10)

    docs/howto/adding_a_policy.md has the other methods.
    """
    record(cls, defaults_of(Learns, Shaped))
    register(FAMILIES, cls)
    return cls


def mean_at(law: Law, place: float) -> float:
    """The mean at a place in (0, 1) of the range of means, whatever its ends are."""
    low, high = law.mean_range()
    if low > -inf and high < inf:
        return low + place * (high - low)
    if low > -inf:
        return low + place / (1.0 - place)
    if high < inf:
        return high - (1.0 - place) / place
    return 3.0 * log(place / (1.0 - place))
