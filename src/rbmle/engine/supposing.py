"""Late rewards for evidence that reads features: a pull counts at once, its reward when it comes.

Until then the reward is supposed to be the mean so far. So the evidence becomes more certain where
an arm was pulled, and its means stay as they are (Desautels, Krause and Burdick 2014).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .._numba.compile import Floats, record
from ..errors import ParameterError, Words
from ..policies.arms import Arms, Clock
from ..random import key
from ..rewards.delays import Pending
from ..rewards.streams import Bring
from .queue import Queue
from .waiting import AtOnce, Counted


@record
class Supposing(NamedTuple):
    """Late rewards. The evidence supposes that a pending pull has paid the mean so far.

    queue: the pulls whose rewards have not come. counts: False if pending pulls are ignored; then a
    reward is learned when it comes. A lost reward stays what was supposed: nothing is given up.
    """

    queue: Any
    counts: bool

    def late(self) -> bool:
        return True

    def on_device(self, bring: Bring, room: Bring) -> Supposing:
        """The record on a device, with room for each thread."""
        return Supposing(self.queue.on_device(bring, room), self.counts)

    def restart(self) -> None:
        """A new replication begins."""
        self.queue.restart()

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
        """Arm i was pulled in round t; learn the rewards that come after this round."""
        moving = source.moving()
        late = self.queue.put(replication, t, i, source.reward(replication, t, i))
        if self.counts and late != 0:
            self.queue.suppose(t, evidence.expect(arms, memory, source, moving, i))
        pull = self.queue.take(t)
        while pull > 0:
            j, reward = self.queue.arm(pull), self.queue.reward(pull)
            if moving:
                source.meet(replication, pull)  # what its features were
            if self.counts and pull < t:
                supposed = self.queue.supposition(pull)
                evidence.correct(arms, memory, source, moving, j, supposed, reward)
            else:
                evidence.learn(arms, memory, source, moving, j, reward)
            pull = self.queue.take(t)


def waiting_for(
    delay: Any, evidence: Any, policy: Any, n_arms: int, horizon: int, seed: int
) -> Any:
    """The way of waiting for rewards that a delay and a kind of evidence need, with its memory."""
    if delay is None:
        return AtOnce()
    counts = delay.pending == Pending.counted
    queue = Queue.of(delay.arrivals(), *key(seed), delay.patience, horizon)
    if evidence.reads() > 0:
        if counts and not hasattr(evidence, "correct"):
            raise ParameterError(
                type(delay).__name__,
                "pending",
                "'ignored' with evidence that cannot suppose a reward",
                Words(type(evidence).__name__),
            )
        return Supposing(queue, counts)
    return Counted.of(queue, counts, n_arms, policy.remembers())
