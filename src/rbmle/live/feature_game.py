"""`FeatureGame`: the game of a decider whose arms have features, which come with each pull.

In a simulation, a reward that comes before the next choice is learned as such, and a pull whose
reward comes later is learned with an imputed reward. Live, the next pull decides which of the two
it is. So rewards wait until then, and are learned in the order of their pulls.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import inf, isnan, nan

import numpy as np

from .._numba.compile import Floats
from ..engine.game import LOST, NOTHING, PENDING, Game, Pull
from ..errors import ParameterError
from ..evidence import can_impute, features_of
from ..policies.arms import Arms
from ..tables import Encode, Encoder, Encoding
from .kernels import TOO_LARGE, Arrived, impute, take_turn
from .live_arm import LiveArm, Name
from .live_game import LiveGame
from .settings import Settings
from .spending import RewardOf

_MOST_UNLEARNED = 1_000  # rewards of pulls made elsewhere that wait for the next pull: a choice


@dataclass(slots=True, eq=False)
class FeaturePull:
    """A pull whose reward is not learned yet.

    number: that of the pull; None if it was made elsewhere, or given up.
    context, row: the features of the arm, and what identifies the pull for a caller: the cells of
    an `Encode`, or the features themselves.
    imputed: the reward that was imputed; None if the pull is not counted yet, NaN if it was
    discarded when the pull expired.
    reward: None until it has come.
    """

    number: int | None
    arm: LiveArm
    context: Floats
    row: Floats
    imputed: float | None = None
    reward: float | None = None

    def arrived(self) -> Arrived:
        """The pull and its reward, in the form that `take_turn` learns."""
        imputed, status = self.imputed, PENDING
        if imputed is None or isnan(imputed):
            imputed, status = NOTHING, PENDING if imputed is None else LOST
        # Without the checks of their fields, which take six microseconds.
        pull = tuple.__new__(Pull, (self.arm.place, status, imputed))
        came: Arrived = tuple.__new__(Arrived, (pull, self.context, self.reward))
        return came


class FeatureGame(LiveGame):
    """All arms of a decider, where a pull comes with the features of the arms."""

    def __init__(self, settings: Settings, arms: list[LiveArm], withdrawn: int = 0) -> None:
        encode = features_of(settings.evidence)
        names = [arm.name for arm in arms]
        self.names = () if encode is None else encode.names  # of the features, if they have some
        most = settings.evidence.largest()
        self.encoder = Encoder(encode.layout, names, most) if isinstance(encode, Encode) else None
        self.imputes = can_impute(settings.evidence)  # if not, pending pulls do not count
        self._no_rows = np.zeros((0, 0))
        self._nothing = Arrived(
            Pull(-1, PENDING, NOTHING), np.zeros(settings.evidence.reads()), 0.0
        )
        self.pulls: dict[int, FeaturePull] = {}  # pending pulls by number, oldest first
        self.came: list[FeaturePull] = []  # those whose rewards came since the last pull
        super().__init__(settings, arms, withdrawn)

    def _compile_verbs(self) -> None:
        given = self.rules, self.game, self._constants, 1, 1, self._encoding, self._no_rows
        self._take_turn = take_turn.specialised(*given, self._nothing)
        self._impute = impute.specialised(self.rules, self.game, 0)

    def arrange(self) -> None:
        """Lay out the arrays of the game anew: the arms have changed."""
        super().arrange()
        if self.encoder is None:
            self._encoding = Encoding.of_features(np.zeros_like(self.game.features.values))
        else:
            self.encoder.arrange(list(self.arms))
            self._encoding = self.encoder.encoding

    def check_new(self, name: Name) -> None:
        """Raise ParameterError if an arm of this name cannot be added: it may have no features."""
        super().check_new(name)
        if self.encoder is not None:
            self.encoder.layout.arm_cells([name])

    @property
    def width(self) -> int:
        """The numbers of a row: the columns of an `Encode`, or the features."""
        return self.evidence.reads() if self.encoder is None else self.encoder.layout.width

    def some_rows(self) -> Floats:
        """Rows of the shape that any context has, to compile for."""
        return np.ones((len(self.arms) if self.encoder is None else 1, self.width))

    def expanded(self, rows: Floats, places: list[int] | None = None) -> tuple[Floats, Floats]:
        """The features of these rows, and the scale of the numbers with these rows counted."""
        if self.encoder is None:
            return rows, rows[:0]
        return self.encoder.peek(rows, places)

    def pull(self, features: Floats | None = None) -> LiveArm:
        """Choose an arm. features: a row for each arm, as `the_features` makes them."""
        if len(self.came) > 1 or self._newest() is not None:
            self.meet(features)
        chosen = super().pull(features)
        context = row = self.game.features.values[chosen.place].copy()
        if self.encoder is not None and features is not None:
            row = features[chosen.place if len(features) > 1 else 0]
        self.pulls[chosen.last] = FeaturePull(chosen.last, chosen, context, row)
        return chosen

    def _place(self, number: int, features: Floats | None) -> int:
        features = self.given(features)
        if self.encoder is None:
            self._encoding.features[:] = features
            features = self._encoding.features
        came = self.came[0].arrived() if self.came else self._nothing
        place = self._take_turn(
            self.rules, self.game, self._constants, self.rounds + 1, number, self._encoding,
            features, came,
        )  # fmt: skip
        if place == TOO_LARGE:
            self.expanded(features)  # which says so
        self.came.clear()
        if self._waiting and self._waiting[0][0] <= number - self.patience:
            self.expire()  # now that nothing is refused: the choice does not depend on it
        return place

    def given(self, features: Floats | None) -> Floats:
        """The features of the coming round; refused if there are none."""
        if features is None:
            allowed = f"given with {type(self.evidence).__name__}, which reads features"
            raise ParameterError("Decider", "context", allowed, None)
        return features

    def meet(self, features: Floats | None) -> None:
        """Learn the rewards that have come, and set the features of the coming round."""
        values = self.expanded(self.given(features))[0]
        self.settle()
        self.game.features.values[:] = values

    def expire(self) -> list[int]:
        """Expire pulls that have waited too long: imputed rewards stay, contexts are dropped."""
        expired = super().expire()
        for number in expired:
            del self.pulls[number]
        return expired

    def learn(
        self, arm: LiveArm, reward: float, number: int | None = None,
        context: Floats | None = None, cost: float | None = None,
    ) -> None:  # fmt: skip
        """Learn a reward. context: the features of the pull it belongs to; None if known here."""
        self._learn_from(self._find(arm, number, context), reward, cost)

    def _find(
        self, arm: LiveArm, number: int | None, context: Floats | None, taken: Collection[int] = ()
    ) -> FeaturePull:
        """The pull that a reward belongs to.

        number: that of the pull, if it is known. Else it is the oldest pending pull of the arm with
        this context, or with any if None; or one that was given up, or was made elsewhere.
        taken: pulls to skip, because other rewards belong to them.
        """
        pull = None
        if number is not None:
            pull = self.pulls.get(number)
            if pull and context is not None and not np.array_equal(pull.row, context):
                allowed = "that of the named pull, or left out"
                raise ParameterError("Decider", "context", allowed, context.tolist())
        else:
            for n in arm.pending:
                found = self.pulls[n]
                if n not in taken and (context is None or np.array_equal(found.row, context)):
                    pull = found
                    break
        if pull is not None:
            return pull
        if context is None:
            allowed = f"given for a reward of {arm.name!r} without a pending pull"
            raise ParameterError("Decider", "context", allowed, None)
        features = self.expanded(context[None], [arm.place])[0][0]
        return FeaturePull(None, arm, features, context, nan if arm.lost and self.imputes else None)

    def _learn_from(self, pull: FeaturePull, reward: float, cost: float | None) -> None:
        """Learn the reward, and the cost if given, of a pull that `_find` has found."""
        arm, ours = pull.arm, pull.number is not None or pull.arm.lost > 0
        if pull.number is not None:
            del arm.pending[pull.number], self.pulls[pull.number]
        elif arm.lost:
            arm.lost -= 1
        else:
            self._made_elsewhere(arm)
        if pull.number is None and self.encoder is not None:  # the first time that it is seen
            features, self.encoder.scale = self.expanded(pull.row[None], [arm.place])
            pull.context = features[0]
        self.paid(arm, reward, cost, ours)
        pull.reward = reward
        self.came.append(pull)
        if pull.number is None and len(self.came) % _MOST_UNLEARNED == 0:
            self.settle()  # those of own pulls are never more than `patience`

    def learn_all(self, batch: list[RewardOf], contexts: list[Floats | None]) -> None:
        """Learn several rewards, or none of them if one has no context."""
        found: list[FeaturePull] = []
        taken: set[int] = set()
        for (arm, _, _), context in zip(batch, contexts, strict=True):
            found.append(self._find(arm, None, context, taken))
            if found[-1].number is not None:
                taken.add(found[-1].number)
        for pull, (_, reward, cost) in zip(found, batch, strict=True):
            self._learn_from(pull, reward, cost)

    def settle(self) -> None:
        """Impute the reward of the last pull if it has not come, and learn those that have."""
        newest = self._newest()
        imputed = self._settle(self.game, newest)
        if newest is not None:
            newest.imputed = imputed
        self.came.clear()

    def _newest(self) -> FeaturePull | None:
        """The pull that is not counted yet; there is at most one, the newest."""
        if not self.pulls or not self.imputes:
            return None
        newest = self.pulls[next(reversed(self.pulls))]
        return newest if newest.imputed is None else None

    def _settle(self, game: Game, newest: FeaturePull | None) -> float | None:
        """Do so in this game; returns the imputed reward of the newest pull."""
        newest_imputed, values, came = None, game.features.values, self.came
        if not self.compiled and (newest is not None or came):
            self.compile()
        if newest is not None:
            values[newest.arm.place] = newest.context
            newest_imputed = self._impute(self.rules, game, newest.arm.place)
        for pull in sorted(came, key=_order) if len(came) > 1 else came:
            given = self.rules, game, self._constants, 0, 0, self._encoding, self._no_rows
            self._take_turn(*given, pull.arrived())
        return newest_imputed

    def lay_out(self, names: list[Name]) -> None:
        """Assign each of these arms a place. Rewards of removed arms are learned first."""
        if self._laid_out and names != self._laid_out:
            self.settle()
        super().lay_out(names)

    def withdraw(self, arm: LiveArm, number: int) -> None:
        """Withdraw a pull: what was imputed for it stays."""
        self.pulls.pop(number, None)
        super().withdraw(arm, number)

    def remove(self, arm: LiveArm) -> None:
        """Remove the arm and what was learned about it alone."""
        super().remove(arm)
        self.pulls = {number: each for number, each in self.pulls.items() if each.arm is not arm}

    def indices(self, features: Floats | None = None) -> dict[Name, float]:
        """The index of each enabled arm with these features; nothing is learned by it."""
        return self.ranked(self.peeked(features), 0)

    def peeked(self, features: Floats | None) -> Game:
        """A copy of the game as the next choice would see it with these features, its arms the
        enabled ones; nothing is learned by it."""
        if features is None:
            raise ParameterError("Decider", "context", "given: what is chosen depends on it", None)
        game = self._settled()
        known, memory = game.known, game.memory
        game.features.values[:] = self.expanded(features)[0]
        self.evidence.look(known, memory, game.features, True)
        places = [arm.place for arm in self.enabled]
        return game._replace(arms=Arms(*(each[places] for each in known)))

    def _settled(self) -> Game:
        """A copy of the game that has learned the rewards that came."""
        known, memory = Arms(*(each.copy() for each in self.known)), self.remembered.copy()
        game = self.game._replace(known=known, memory=memory)
        self._settle(game, self._newest())
        return game

    def coefficients(self) -> dict[str, tuple[float, float]]:
        """Each coefficient of theta by its feature's name, and its standard deviation."""
        if not self.names:
            return {}
        memory, found = self._settled().memory, {}
        for arm in self._by_place if self.evidence.separate() else self._by_place[:1]:
            whose = f"{arm.name}: " if self.evidence.separate() else ""
            estimates = self.evidence.estimate(memory, arm.place)
            for name, *pair in zip(self.names, *estimates, strict=True) if estimates else ():
                found[whose + name] = float(pair[0]), float(pair[1])
        return found


def _order(pull: FeaturePull) -> float:
    """Rewards are learned in the order of their pulls; those of pulls made elsewhere come last."""
    return inf if pull.number is None else pull.number


def game_of(settings: Settings, arms: list[LiveArm], withdrawn: int = 0) -> LiveGame:
    """The game of a decider with these settings and arms."""
    kind = FeatureGame if settings.evidence.reads() > 0 else LiveGame
    return kind(settings, arms, withdrawn)
