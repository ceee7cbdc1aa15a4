"""The parts of checks: what they raise, what they require, and the means that they try.

A check is a function that returns if its law holds, raises `BrokenLawError` if not, and raises
`NotApplicable` with the reason if the law says nothing about what is checked; pytest shows that as
a skipped test. Checks use no bare `assert`, so they work under `python -O`.
"""

from __future__ import annotations

import functools
import unittest
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .._numba.compile import Floats, Kernel
from ..errors import RbmleError
from ..families import Law
from ..families.registry import mean_at

T = TypeVar("T")
Check = Callable[..., None]
Decorator = Callable[[Check], Check]
SEED = 7  # of every check, so that a check always gives the same answer
ERRORS = 5.0  # standard errors; a correct sampler is farther off for one seed in 1.7 million


class BrokenLawError(RbmleError, AssertionError):
    """A policy, family or law of rewards breaks a law. The message says which law, and by how much.
    It is also an AssertionError, for scripts that expect one."""


class NotApplicable(unittest.SkipTest):
    """The law says nothing about this policy, family or law of rewards. The message says why."""


class Outcome(NamedTuple):
    """The outcome of one check: "holds", or "does not apply: ..." with the reason."""

    check: str
    outcome: str


class Checks(list[Check]):
    """The checks of one kind of thing. As a decorator it adds a check."""

    def __call__(self, function: Check) -> Check:
        self.append(function)
        return function

    def at(self, points: Callable[[T], Iterable[Sequence[float]]], *methods: str) -> Decorator:
        """A decorator that adds a check of a thing at each of its points, such as its means. It
        applies only to a thing with these methods."""

        def decorator(function: Check) -> Check:
            @functools.wraps(function)
            def check(thing: T) -> None:
                require_method(thing, *methods)
                for point in points(thing):
                    function(thing, *point)

            return self(check)

        return decorator

    def run(self, *things: object) -> list[Outcome]:
        """Run every check in turn; the first broken law raises BrokenLawError."""
        outcomes = []
        for function in self:
            outcome = "holds"
            try:
                function(*things)
            except NotApplicable as reason:
                outcome = f"does not apply: {reason}"
            except BrokenLawError as broken:
                owner = ", ".join(map(repr, things))
                raise BrokenLawError(f"{function.__name__}: {broken} ({owner})") from None
            outcomes.append(Outcome(function.__name__, outcome))
        return outcomes


def require(condition: object, sentence: str) -> None:
    """Raise BrokenLawError with the sentence unless the condition holds."""
    if not condition:
        raise BrokenLawError(sentence)


def require_equal(found: ArrayLike, expected: ArrayLike, what: str) -> None:
    """Raise BrokenLawError unless two arrays are equal, bit for bit; NaN equals NaN."""
    one, two = np.asarray(found, float), np.asarray(expected, float)
    require(one.shape == two.shape, f"{what} must have one shape. Got {one.shape}, {two.shape}.")
    differ = ~((one == two) | (np.isnan(one) & np.isnan(two)))
    if differ.any():
        x, y = float(one[differ][0]), float(two[differ][0])
        raise BrokenLawError(
            f"{what} must be equal. Got {x:.17g} and {y:.17g}, and {differ.sum() - 1} more pairs."
        )


def require_close(found: float, expected: float, what: str, rel: float, scale: float = 1.0) -> None:
    """Raise BrokenLawError unless |found - expected| <= rel max(|expected|, scale). Equal
    infinities are close, and so are two NaNs."""
    near = abs(found - expected) <= rel * max(abs(expected), scale)
    same = found == expected or (found != found and expected != expected)
    require(near or same, f"{what} must be {expected:.9g}. Got {found:.9g}.")


def require_mean(values: Floats, expected: float, what: str, rel: float = 1e-12) -> None:
    """Raise BrokenLawError unless the mean of independent values is within five standard errors of
    the expected one, or within `rel` of it."""
    found, error = float(values.mean()), float(values.std()) / values.size**0.5
    require(
        abs(found - expected) <= ERRORS * error + rel * abs(expected),
        f"{what} must be {expected:.6g}. Got {found:.6g} in {values.size} samples, "
        f"with standard error {error:.2g}.",
    )


def require_equal_interpreted(function: Kernel[None], size: int, *arguments: object) -> None:
    """Raise BrokenLawError unless a kernel fills an array with the same numbers, bit for bit."""
    compiled, interpreted = np.empty(size), np.empty(size)
    function(*arguments, compiled)
    function.interpreted(*arguments, interpreted)
    what = f"compiled and interpreted {function.__name__} of {arguments[1:]}"
    require_equal(compiled, interpreted, what)


def require_method(thing: object, *names: str) -> None:
    """Raise NotApplicable unless the thing has all these methods."""
    missing = [name for name in names if not hasattr(thing, name)]
    if missing:
        raise NotApplicable(f"{type(thing).__name__} has no {missing[0]}")


def each_mean(law: Law) -> Iterator[tuple[float]]:
    """Five means, from near one end of the range to near the other."""
    return ((mean_at(law, place),) for place in (0.05, 0.2, 0.5, 0.8, 0.95))


def each_pair_of_means(law: Law) -> Iterator[tuple[float, float]]:
    """All pairs of the five means."""
    return ((mean, other) for (mean,), (other,) in product(each_mean(law), repeat=2))
