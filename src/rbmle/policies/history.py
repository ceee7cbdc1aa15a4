"""What a policy keeps of an arm's rewards one by one, up to a `capacity`.

The statistics of an arm are its number of rewards and their sum. A policy that wants more remembers
the sums of earlier rounds: any block of rewards has the difference of two of them. Or it remembers
the rewards themselves, to draw some of them. Those that come together count as their mean each.

An arm has `size_of(capacity)` numbers from the place `base` of the policy's state on: how many
rewards are known; then the sum after reward m, at place m modulo capacity + 1; or the sum so far
and the rewards.
"""

from __future__ import annotations

from typing import Annotated, Protocol, TypeAlias

from .._numba.compile import Floats, njit
from ..random import Cell
from .base import Policy

Capacity: TypeAlias = Annotated[int, "[2, 1e7]"]


class KeepsRewards(Policy, Protocol):
    """What policies have in common that keep rewards one by one.

    memory: how many of an arm's rewards are kept, 8 bytes each.
    """

    memory: int

    def remembers(self, n_arms: int) -> int:
        """The history of each arm, unless a policy remembers more."""
        return size_of(self.memory) * n_arms

    def keeps_rewards(self) -> bool:
        return True

    def takes_imputed(self) -> bool:
        return False


@njit
def size_of(capacity: int) -> int:
    """How many numbers of an arm are remembered."""
    return capacity + 2


@njit
def sum_after(state: Floats, base: int, capacity: int, m: int) -> float:
    """The sum of the arm's first m rewards, for the last `capacity` of the m that are known."""
    return float(state[base + 1 + m % (capacity + 1)])


@njit
def note(state: Floats, base: int, capacity: int, pulls: float, total: float) -> None:
    """Bring what is known of the arm up to date with its number of rewards and their sum."""
    n, known = int(pulls), int(state[base])
    if n < known:  # pulls were withdrawn, or forgotten
        known = max(n - 1, 0)
    before = sum_after(state, base, capacity, known)
    for m in range(max(known + 1, n - capacity), n + 1):
        share = (m - known) / (n - known)
        state[base + 1 + m % (capacity + 1)] = before + share * (total - before)
    state[base + 1 + n % (capacity + 1)] = total
    state[base] = float(n)


@njit
def block(state: Floats, base: int, capacity: int, start: int, size: int) -> float:
    """The sum of `size` rewards after the first `start`."""
    first = sum_after(state, base, capacity, start)
    return sum_after(state, base, capacity, start + size) - first


@njit
def note_each(state: Floats, base: int, capacity: int, pulls: float, total: float) -> None:
    """As `note`, but of the rewards themselves; beyond the capacity a new one replaces another."""
    n, known = int(pulls), int(state[base])
    if n > known:
        reward = (total - state[base + 1]) / (n - known)
        for m in range(max(known, n - capacity), n):
            state[base + 2 + m % capacity] = reward
    state[base], state[base + 1] = float(n), total


@njit
def draw_some(state: Floats, base: int, capacity: int, size: int, cell: Cell) -> float:
    """The sum of so many of the rewards, drawn without replacement.

    Those drawn are swapped to the front (Fisher and Yates): in which order rewards are kept does
    not matter. So it takes `size` steps.
    """
    held, first, total = min(int(state[base]), capacity), base + 2, 0.0
    for k in range(size):
        other = first + k + min(int(cell.uniform(2 + k) * (held - k)), held - k - 1)
        state[first + k], state[other] = state[other], state[first + k]
        total += state[first + k]
    return float(total)
