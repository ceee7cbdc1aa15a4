"""Arms that come and go: what evidence remembers, laid out for other arms.

`Decider.add` and `Decider.remove` need it. The statistics of the arms that stay have been copied to
their new places already; `moved` does the same for `memory`. The simulator never calls it.
"""

from __future__ import annotations

from collections.abc import Sequence

from .._numba.compile import Floats, extend
from ..policies.arms import Arms
from .discounted import Discounted
from .linear import Linear
from .logistic import Logistic
from .window import Window


@extend(Discounted, name="moved")
def moved_discounted(
    self: Discounted, arms: Arms, memory: Floats, places: Sequence[int], new: Arms, after: Floats
) -> None:
    """What is left of all rounds, less the rounds of arms that go."""
    gone = set(range(arms.n_arms())).difference(places)
    after[0] = max(memory[0] - sum(arms.pulls[sorted(gone)].tolist()), 0.0)


@extend(Window, name="moved")
def moved_window(
    self: Window, arms: Arms, memory: Floats, places: Sequence[int], new: Arms, after: Floats
) -> None:
    """The rounds of the window, oldest first, are learned anew, without those of arms that go.

    >>> import numpy as np
    >>> window, arms, new = Window(3), Arms.fresh(3), Arms.fresh(2)
    >>> memory, after = (np.zeros(window.memory_size(n)) for n in (3, 2))
    >>> for i in (0, 1, 2, 2):
    ...     window.learn(arms, memory, 0, False, i, 1.0)
    >>> window.moved(arms, memory, [2, 0], new, after)  # arm 1 goes, arm 2 comes first
    >>> new.pulls.tolist()
    [2.0, 0.0]
    """
    place_of = {old: place for place, old in enumerate(places) if old >= 0}
    new.restart()
    learned = int(memory[0])
    for number in range(max(learned - self.size, 0), learned):
        slot = 1 + 4 * (number % self.size)
        i = int(memory[slot])
        if i in place_of:
            self.learn(new, after, 0, False, place_of[i], float(memory[slot + 1]))


@extend(Window, name="holds")
def holds_rounds(self: Window, n_arms: int, memory: Floats) -> bool:
    """Whether the rounds of the window name arms that there are."""
    arms = memory[1 : 1 + 4 * self.size : 4]
    whole = memory[0] >= 0.0 and memory[0] % 1.0 == 0.0
    return bool(whole and (arms >= 0.0).all() and (arms < n_arms).all())


@extend(Linear, name="moved")
def moved_linear(
    self: Linear, arms: Arms, memory: Floats, places: Sequence[int], new: Arms, after: Floats
) -> None:
    """The theta that arms share stays as it is, or each arm's own goes where the arm goes."""
    size = self.block()
    if self.shared:
        after[:size] = memory[:size]
        return
    for place, old in enumerate(places):
        if old >= 0:
            after[place * size : (place + 1) * size] = memory[old * size : (old + 1) * size]


@extend(Logistic, name="moved")
def moved_logistic(
    self: Logistic, arms: Arms, memory: Floats, places: Sequence[int], new: Arms, after: Floats
) -> None:
    """theta^ and H stay as they are; the counts of rewards go where their arms go."""
    counts = 2 * self.dimension * self.dimension + 3 * self.dimension + 1
    after[:counts] = memory[:counts]
    for place, old in enumerate(places):
        if old >= 0:
            after[counts + 2 * place : counts + 2 * place + 2] = memory[
                counts + 2 * old : counts + 2 * old + 2
            ]
