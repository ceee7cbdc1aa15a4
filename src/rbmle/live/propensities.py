"""`Propensities`: with which probability a live game chooses each arm next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats
from ..engine.floors import FlooredRules
from ..engine.game import Game, Rules
from ..engine.late_rewards import WAITING
from ..errors import ParameterError, Words
from ..policies.arms import Arms, Clock
from ..policies.base import memory_of, ranks_only, share_ties
from ..policies.propensities import only, propensities_of
from .feature_game import FeatureGame
from .kernels import look, show_all
from .live_arm import LiveArm
from .live_game import LiveGame


class Propensities:
    """The probabilities of the choices of a live game.

    Their code is compiled at first use: a caller that only pulls does not wait for it.
    """

    def __init__(self, live: LiveGame) -> None:
        self.live, self._ranks = live, ranks_only(live.policy)
        # Whether a choice itself tells its probability: one over the number of arms that tie.
        self.follow_ties = self._ranks and not isinstance(live.rules, FlooredRules)
        self._rules: Rules | None = None  # the rules that the code below is compiled for
        self._refresh: Callable[..., None] | None = None
        self._share: Callable[..., None] | None = None

    def decide(self, features: Floats | None = None) -> tuple[LiveArm, float]:
        """Choose an arm, as `pull` does, and say with which probability it was chosen."""
        live = self.live
        if self.follow_ties:
            return live.pull(features), 1.0 / live.ties
        if isinstance(live, FeatureGame):
            live.meet(features)
        live.expire()
        p = self.of_next()
        arm = live.pull(features)
        return arm, float(p[live.enabled.index(arm)])

    def decide_anyway(self, features: Floats | None = None) -> tuple[LiveArm, float | None]:
        """The same; where the policy does not know its probabilities, None."""
        try:
            return self.decide(features)
        except ParameterError:  # raised before anything was pulled, or by `pull` again
            return self.live.pull(features), None

    def peek(self, features: Floats | None = None) -> dict[Any, float]:
        """The probability of each enabled arm to be chosen next, by name; nothing is learned."""
        live = self.live
        if isinstance(live, FeatureGame):
            self._compile()
            p = self._with_floors(self._of_features(live.peeked(features)))
        else:
            live.expire()
            p = self.of_next()
        return {arm.name: each for arm, each in zip(live.enabled, p.tolist(), strict=True)}

    def of_next(self) -> Floats:
        """The probability of each enabled arm, where the game is ready for its next choice."""
        return self._with_floors(self._of_next())

    def _of_next(self) -> Floats:
        """The same without floors."""
        self._compile()
        live, game = self.live, self.live.game
        if live.evidence.reads():  # `look` may change its memory, and `pull` calls it again
            known = Arms(*(each.copy() for each in game.known))
            game = game._replace(known=known, memory=game.memory.copy())
        if self._refresh is not None:
            self._refresh(live.rules, game)
        if not live.evidence.reads():
            return self._of_late(game)
        places = [arm.place for arm in live.enabled]
        return self._of_features(game._replace(arms=Arms(*(each[places] for each in game.known))))

    def _with_floors(self, p: Floats) -> Floats:
        rules = self.live.rules
        if not isinstance(rules, FlooredRules):
            return p
        shares = rules.shares[self.live.game.pending.places] * self._visible()
        return np.asarray(shares + (1.0 - shares.sum()) * p)

    def _of_features(self, game: Game) -> Floats:
        """Where no arm is blind, and the arms of the game are the enabled ones."""
        live = self.live
        if live.evidence.draws() and live.policy.draws_jointly():
            allowed = "one that does not draw the means of all arms together, for probabilities"
            raise ParameterError("Decider", "policy", allowed, Words(type(live.policy).__name__))
        return self._of_some(game, self._visible(), live.clock(game, 0))

    def _of_late(self, game: Game) -> Floats:
        """As `Late.pick` chooses: a blind arm that is due, or among those that are not blind."""
        live, late, n_arms = self.live, game.pending, game.arms.pulls.size
        clock = live.clock(game, int(late.totals[WAITING]))
        due = late.starved(game.known, game.arms, live.number)
        if due >= 0:
            return only(int(late.slots[due]), n_arms)
        return self._of_some(game, (game.arms.pulls >= 0.0) & self._visible(), clock)

    def _visible(self) -> NDArray[np.bool_]:
        """Which of the enabled arms are candidates."""
        pending = self.live.game.pending
        return np.asarray(pending.hidden[pending.places] == 0.0)

    def _of_some(self, game: Game, visible: NDArray[np.bool_], clock: Clock) -> Floats:
        """Where the policy sees only these of the game's arms."""
        n_arms, places = visible.size, np.flatnonzero(visible)
        if places.size == n_arms:
            return self._of_policy(game.arms, game.state, clock)
        state, (shared, own) = np.zeros_like(game.state), memory_of(self.live.policy)
        for k, slot in enumerate(places):
            start = shared + own * int(slot)
            state[shared + own * k : shared + own * (k + 1)] = game.state[start : start + own]
        p = np.zeros(n_arms)
        p[places] = self._of_policy(Arms(*(each[places] for each in game.arms)), state, clock)
        return p

    def _of_policy(self, arms: Arms, state: Floats, clock: Clock) -> Floats:
        """The policy's probabilities of these arms."""
        policy, family, ties = self.live.policy, self.live.family, self.live.by_lot
        first = policy.plays_each_first() and not arms.pulls.all()
        if self._share is None or first or arms.pulls.size == 1:
            return propensities_of(policy, state, family, arms, clock, ties)
        p = np.empty(arms.pulls.size)
        self._share(policy, family, arms, clock, ties, p)
        return p

    def _compile(self) -> None:
        """Compile the kernels, again if arms were added or removed."""
        live = self.live
        if live.ledger is not None:
            allowed = "one without costs, for the probabilities of all arms"
            raise ParameterError("Decider", "policy", allowed, Words(type(live.policy).__name__))
        if self._rules is live.rules:
            return
        self._rules, self._share, self._refresh = live.rules, None, None
        if live.evidence.changes_all():
            code = look if live.evidence.reads() else show_all
            self._refresh = code.specialised(live.rules, live.game)
        if self._ranks:
            arms, clock = Arms.fresh(2), live.clock(live.game, 0)
            given = arms, clock, live.by_lot, np.empty(2)
            self._share = share_ties.specialised(live.policy, live.family, *given)
