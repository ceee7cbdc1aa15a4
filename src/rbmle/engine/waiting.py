"""What becomes of a pull: its reward is learned at once, or later, when it comes.

`AtOnce` and `Counted` are the two ways. The second treats pulls whose rewards have not come as
`Decider` does; a test compares the two, choice by choice. `supposing.py` is for evidence that reads
features.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats, lean, record
from ..policies.arms import Arms, Clock
from ..rewards.delays import ROUNDS_BLIND
from ..rewards.streams import Bring


def _moved(arms: Arms, room: Bring) -> Arms:
    return Arms(*map(room, arms))


@lean
def clear(numbers: Floats) -> None:
    """Set all numbers to 0."""
    for k in range(numbers.size):
        numbers[k] = 0.0


BLIND, PENDING = 0, 1  # places in `Counted.totals`


@record
class AtOnce(NamedTuple):
    """Every reward is learned in its round. Nothing is remembered, and nothing of it costs time."""

    none: int = 0

    def late(self) -> bool:
        """Whether rewards may come late."""
        return False

    def on_device(self, bring: Bring, room: Bring) -> AtOnce:
        """The record on a device; `room` is for an array of each thread."""
        return self

    def restart(self) -> None:
        """Nothing to do."""

    def pick(
        self, evidence: Any, chooser: Any, policy: Any, state: Floats, family: Any, arms: Arms,
        clock: Clock, rng: Any, t: int,
    ) -> int:  # fmt: skip
        """The arm to play in round t: the chooser's."""
        i: int = chooser.pick(policy, state, family, arms, clock, rng)
        return i

    def pulled(
        self, evidence: Any, memory: Floats, arms: Arms, chooser: Any, source: Any,
        replication: int, t: int, i: int,
    ) -> None:  # fmt: skip
        """Arm i was pulled in round t: learn its reward."""
        reward = source.reward(replication, t, i)
        evidence.learn(arms, memory, source, source.moving(), i, reward)
        chooser.changed(i)


@record
class Counted(NamedTuple):
    """Late rewards. The policy sees a pending pull as if it had paid the arm's mean so far.

    queue: the pulls whose rewards have not come. counts: False if pending pulls are ignored.
    known: the statistics that the evidence makes of the rewards that have come.
    waits, lost, last: for each arm, the number of its pending pulls, of those that were given up,
    and the round of its last pull.
    seen, places: the statistics of arms that are not blind, side by side, and which arms they are.
    kept: what a policy remembers. totals: the numbers of blind arms and of pending pulls.

    An arm is blind if it was pulled but has no reward yet: `live/live_arms.py` says what is done.
    """

    queue: Any
    counts: bool
    known: Arms
    seen: Arms
    waits: Floats
    lost: Floats
    last: Floats
    places: NDArray[np.int64]
    kept: Floats
    totals: Floats

    def late(self) -> bool:
        return True

    def on_device(self, bring: Bring, room: Bring) -> Counted:
        """The record on a device, with room for each thread."""
        queue, counts, known, seen, *arrays = self
        queue = queue.on_device(bring, room)
        return Counted(queue, counts, _moved(known, room), _moved(seen, room), *map(room, arrays))

    @classmethod
    def of(cls, queue: Any, counts: bool, n_arms: int, remembered: int) -> Counted:
        known, seen, each = Arms.fresh(n_arms), Arms.fresh(n_arms), np.zeros((3, n_arms))
        return cls(
            queue, counts, known, seen, each[0], each[1], each[2], np.zeros(n_arms, np.int64),
            np.zeros(max(remembered, 1)), np.zeros(2),
        )  # fmt: skip

    def restart(self) -> None:
        """A new replication begins."""
        self.queue.restart()
        self.known.restart()
        self.totals[BLIND] = self.totals[PENDING] = 0.0
        for i in range(self.waits.size):
            self.waits[i] = self.lost[i] = self.last[i] = 0.0

    def pick(
        self, evidence: Any, chooser: Any, policy: Any, state: Floats, family: Any, arms: Arms,
        clock: Clock, rng: Any, t: int,
    ) -> int:  # fmt: skip
        """The arm to play in round t."""
        self.give_up(arms, chooser, t)
        blind, n_arms = int(self.totals[BLIND]), arms.n_arms()
        if blind > 0:
            oldest = self.oldest_blind(arms)
            if t - self.last[oldest] > ROUNDS_BLIND * n_arms:
                return oldest
            if blind == n_arms:
                return self.least_pulled()
        some = blind > 0 and not chooser.skips_absent()
        count = self.gather(arms) if some else n_arms
        if count == 1:
            return int(self.places[0])
        # A conclusion from rewards that are only supposed must not last, nor one from some arms.
        for k in range(policy.remembers()):
            self.kept[k] = state[k]
        if some:
            clear(state)
        shown = arms
        if some:
            pulls, sums, squares, origins = self.seen
            shown = Arms(pulls[:count], sums[:count], squares[:count], origins[:count])
        now = clock
        if evidence.changes_all() and self.counts:  # its round is made of the rewards that came
            now = clock.after(int(self.totals[PENDING]), t)
        i = chooser.pick(policy, state, family, shown, now, rng)
        if some:
            clear(state)
        if some or (self.counts and self.totals[PENDING] > 0.0):
            for k in range(policy.remembers()):
                state[k] = self.kept[k]
        return int(self.places[i]) if some else int(i)

    def pulled(
        self, evidence: Any, memory: Floats, arms: Arms, chooser: Any, source: Any,
        replication: int, t: int, i: int,
    ) -> None:  # fmt: skip
        """Arm i was pulled in round t; learn the rewards that come after this round."""
        self.queue.put(replication, t, i, source.reward(replication, t, i))
        self.waits[i] += 1.0
        self.last[i] = t
        self.totals[PENDING] += 1.0
        if self.counts:
            self.show(arms, chooser, i)
        pull = self.queue.take(t)
        while pull > 0:
            j = self.queue.arm(pull)
            if self.queue.too_late(pull, t):
                self.lost[j] -= 1.0
            else:
                self.waits[j] -= 1.0
                self.totals[PENDING] -= 1.0
                self.queue.answered(pull)
            evidence.learn(self.known, memory, source, False, j, self.queue.reward(pull))
            if evidence.changes_all():
                for k in range(arms.n_arms()):
                    self.show(arms, chooser, k)
            else:
                self.show(arms, chooser, j)
            pull = self.queue.take(t)

    def give_up(self, arms: Arms, chooser: Any, t: int) -> None:
        """Give up the pull that has waited too long: the policy no longer sees it."""
        i = self.queue.given_up(t)
        if i >= 0:
            self.waits[i] -= 1.0
            self.lost[i] += 1.0
            self.totals[PENDING] -= 1.0
            self.show(arms, chooser, i)

    def show(self, arms: Arms, chooser: Any, i: int) -> None:
        """Write the present statistics of arm i where the policy sees them."""
        rewards, waiting = self.known.pulls[i], self.waits[i] if self.counts else 0.0
        was_blind = arms.pulls[i] < 0.0
        if self.counts and rewards == 0.0 and waiting + self.lost[i] > 0.0:
            if not was_blind:
                arms.pulls[i] = -1.0
                self.totals[BLIND] += 1.0
                chooser.withdraw(i)
            return
        sums, squares = self.known.sums[i], self.known.squares[i]
        if waiting > 0.0:
            scale = waiting / rewards
            sums, squares = sums + scale * sums, squares + scale * squares
        arms.pulls[i], arms.sums[i], arms.squares[i] = rewards + waiting, sums, squares
        arms.origins[i] = self.known.origins[i]
        if was_blind:
            self.totals[BLIND] -= 1.0
            chooser.bring_back(i)
        else:
            chooser.changed(i)

    def gather(self, arms: Arms) -> int:
        """Put the arms that are not blind side by side; their number."""
        count = 0
        for i in range(arms.n_arms()):
            if arms.pulls[i] >= 0.0:
                self.places[count] = i
                self.seen.pulls[count], self.seen.sums[count] = arms.pulls[i], arms.sums[i]
                self.seen.squares[count] = arms.squares[i]
                self.seen.origins[count] = arms.origins[i]
                count += 1
        return count

    def oldest_blind(self, arms: Arms) -> int:
        """The blind arm whose last pull is the oldest."""
        found = -1
        for i in range(arms.n_arms()):
            if arms.pulls[i] < 0.0 and (found < 0 or self.last[i] < self.last[found]):
                found = i
        return found

    def least_pulled(self) -> int:
        """The arm with the fewest pulls, with or without a reward; the first of them."""
        found, fewest = 0, 0.0
        for i in range(self.waits.size):
            pulls = self.known.pulls[i] + self.waits[i] + self.lost[i]
            if i == 0 or pulls < fewest:
                found, fewest = i, pulls
        return found
