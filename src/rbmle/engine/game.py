"""One game: the rules that do not change, the arrays that do, and the two verbs that play it.

A simulation, a thread of a GPU, a `Decider` and an experiment of the service play the same game in
different places, with this code.
"""

from __future__ import annotations

from abc import abstractmethod
from math import inf
from typing import Any, NamedTuple, Protocol, TypeVar

from .._numba.compile import Floats, defaults_of, record
from ..choosers import Chooser
from ..evidence import Evidence
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.base import Policy
from ..random import Draws

T = TypeVar("T")

PENDING, LOST, ELSEWHERE = 0, 1, 2  # what a pull was before its reward came
NOTHING = inf  # in the place of an imputed reward


@record
class Moment(NamedTuple):
    """When a choice is made: the round t, the horizon (0 if the policy does not know it), and the
    number of the pull, which differs from t where pulls were withdrawn."""

    t: int
    horizon: int
    number: int


@record
class Pull(NamedTuple):
    """A pull whose reward has come: its arm, what it was before (PENDING, LOST because its reward
    did not come in time, or made ELSEWHERE), and the reward that was imputed, or NOTHING."""

    arm: int
    status: int
    imputed: float


class PendingPulls(Protocol):
    """What becomes of pulls whose rewards have not come, with the defaults that a record gets.

    `late_rewards` and `imputation` have the records.
    """

    _fields: Any

    def restart(self) -> None:
        """Forget every pull."""

    def draw(self, rules: Rules, game: Game, rng: Draws) -> None:
        """Draw the errors of all arms' means together, if the evidence does that."""
        rules.evidence.draw(game.known, game.memory, game.features, rng, game.state)

    @abstractmethod
    def pick(self, rules: Rules, game: Game, clock: Clock, now: Moment, rng: Draws) -> int:
        """The arm to pull; where rewards come late, it is noted that its reward is pending."""

    def note(self, rules: Rules, game: Game, i: int, number: int) -> None:
        """Arm i was pulled, and its reward is pending."""

    @abstractmethod
    def learn(self, rules: Rules, game: Game, pull: Pull, reward: float) -> None:
        """The reward of a pull has come."""

    def expire(self, rules: Rules, game: Game, i: int) -> None:
        """Give up a pending pull of arm i: the policy no longer sees it."""

    def withdraw(self, rules: Rules, game: Game, i: int, status: int) -> None:
        """Take back a pull of arm i that is PENDING or LOST."""

    def hides(self, i: int) -> bool:
        """Whether arm i is left out of the present choice."""
        return False

    def imputes(self) -> bool:
        """Whether the evidence learns an imputed reward for each pending pull."""
        return False

    def impute(self, rules: Rules, game: Game, i: int) -> float:
        """Let the evidence learn a pull of arm i with the mean so far as its reward."""
        return 0.0


def pending_pulls(cls: type[T]) -> type[T]:
    """Make a NamedTuple class a record of pending pulls."""
    return record(cls, defaults_of(PendingPulls))


@record
class Game(NamedTuple):
    """The arrays that change while a game is played.

    arms: the statistics that the policy sees. known: those that the evidence makes of the rewards
    that have come, the same arrays unless rewards come late.
    state: the policy's. memory: the evidence's. features: those of the present round.
    pending: the pulls whose rewards have not come.
    """

    arms: Arms
    known: Arms
    state: Floats
    memory: Floats
    features: Any  # of the methods `moving` and `feature`
    pending: Any  # PendingPulls


@record
class Rules(NamedTuple):
    """What does not change while a game is played, and the two verbs."""

    policy: Policy
    family: Family
    evidence: Evidence
    chooser: Chooser

    def restart(self, game: Game) -> None:
        """A new game begins: nothing is known."""
        game.arms.restart()
        game.known.restart()
        self.chooser.restart()
        self.evidence.begin(game.known, game.memory)
        game.pending.restart()
        for k in range(game.state.size):
            game.state[k] = 0.0

    def choose(self, game: Game, now: Moment, rng: Draws) -> int:
        """The arm to pull now. Where rewards come late, the pull is pending from now on."""
        features = game.features
        self.evidence.look(game.known, game.memory, features, now.t == 1 or features.moving())
        if self.policy.draws_jointly():
            game.pending.draw(self, game, rng)
        clock = self.evidence.clock(game.memory, now.t, now.horizon)
        return int(game.pending.pick(self, game, clock, now, rng))

    def observe(self, game: Game, pull: Pull, reward: float) -> None:
        """Learn the reward of a pull."""
        game.pending.learn(self, game, pull, reward)

    def charge(self, game: Game, replication: int, t: int, i: int) -> None:
        """Observe the cost of the pull of arm i in round t of a simulation, if there is one."""
