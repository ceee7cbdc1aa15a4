"""`LiveGame`: the game of a decider, whose arms have names and come and go.

It has no validation and no locking. The game itself, its rules and its late rewards are those of
the simulator (engine/game.py), so that live equals simulated.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np

from .._numba.compile import Floats
from ..engine.game import ELSEWHERE, NOTHING, PENDING, Game
from ..engine.late_rewards import WAITING
from ..errors import ParameterError
from ..evidence import Counting, Features, without_features
from ..policies.arms import Arms, Clock
from ..policies.base import bare, fresh_state, memory_of
from ..policies.misfit import ENOUGH, misfit_so_far
from ..random import Counter, key
from .guarding import Guards
from .input_checks import room
from .kernels import Constants, choose, observe, observe_one, rank, with_arrays
from .live_arm import LiveArm, Name
from .settings import Settings, live_rules
from .showing import Shows
from .spending import RewardOf


class LiveGame(Guards, Shows):
    """All arms of a decider, and the game that chooses among those that are enabled."""

    def __init__(self, settings: Settings, arms: list[LiveArm], withdrawn: int = 0) -> None:
        """withdrawn: how many pulls were forgotten or belonged to arms that are removed. They no
        longer count as rounds, but their random numbers are not used again."""
        self._settings, self.family = settings, settings.family
        self.policy = bare(settings.policy)
        self.evidence = without_features(settings.evidence)
        self._counting = isinstance(self.evidence, Counting)
        self.arms = {arm.name: arm for arm in arms}
        self.withdrawn, self.patience = withdrawn, settings.patience
        self.rounds = sum(arm.rounds for arm in arms)
        waiting = [(number, arm) for arm in arms for number in arm.pending]
        self._waiting = deque(sorted(waiting, key=lambda each: each[0]))  # oldest pull first
        horizon = (settings.horizon or 0) if self.policy.uses_horizon() else 0
        horizon += sum(arm.elsewhere for arm in arms) if horizon else 0
        self._learned, self._look = sum(arm.pulls for arm in arms), float(ENOUGH)  # see `doubt`
        self.looks: dict[float, tuple[Name, int]] = {}  # see `Concludes`
        self._moved = False  # whether the horizon has moved since the last pull
        self.by_lot = settings.ties == "random"  # whether one of those that tie is drawn by lot
        randomness = Counter(*key(settings.seed), self.by_lot)
        self._constants = Constants(horizon, randomness, settings.replication, np.ones(1))
        self.known, self.remembered = Arms.fresh(0), np.zeros(0)
        self._laid_out: list[Name] = []
        self.enabled: list[LiveArm] = []
        self.arrange()

    @property
    def number(self) -> int:
        """The number of the coming pull; no number is ever used twice, even after a withdrawal."""
        return self.rounds + self.withdrawn + 1

    @property
    def ties(self) -> float:
        """How many arms tied at the last pull, one of which was drawn by lot."""
        return float(self._constants.ties[0])

    def arrange(self) -> None:
        """Rebuild the arrays of the game after its arms have changed."""
        self._store()
        self.lay_out(list(self.arms))
        self._by_place = list(self.arms.values())
        self.lay_out_costs(self._by_place)
        for place, arm in enumerate(self._by_place):
            arm.place = place
        self.enabled = [arm for arm in self._by_place if arm.enabled]
        n_arms, n_enabled = len(self.arms), len(self.enabled)
        reads = self.evidence.reads()
        self.rules, pending = live_rules(self._settings, self._by_place, self.ledger)
        self.game = Game(
            self.known if reads else Arms.fresh(n_enabled), self.known,
            fresh_state(self.policy, self.family, n_enabled), self.remembered,
            Features(np.zeros((n_arms, reads))), pending,
        )  # fmt: skip
        for arm, row in self._own():
            row[:] = arm.memory or 0.0
        # For the interpreter, where a memoryview takes two thirds of the time of an array.
        given = self.rules, self.game
        self._one = with_arrays(given, lambda array: array.data) if self._counting else given
        self._late = self._one[1].pending
        self.show_all()
        self.compiled = False
        self._observe: Callable[..., None] = observe_one

    def compile(self) -> None:
        """Compile `choose` and `observe` now rather than at the first pull or reward."""
        self._compile_verbs()
        self.compile_guards()
        self.compiled = True

    def _compile_verbs(self) -> None:
        self._choose = choose.specialised(self.rules, self.game, self._constants, 1, 1)
        if self.evidence.changes_all():
            pull = 0, PENDING, NOTHING, 0.0
            self._observe = observe.specialised(self.rules, self.game, *pull)

    def _place(self, number: int, features: Floats | None) -> int:
        """Choose the arm of the pull of this number: its place, or -1 if a mean is no number."""
        self.expire()
        return self._choose(self.rules, self.game, self._constants, self.rounds + 1, number)

    def lay_out(self, names: list[Name]) -> None:
        """Assign each of these arms a place; the statistics of arms that had one move with them."""
        if names == self._laid_out:
            return
        old = {name: place for place, name in enumerate(self._laid_out)}
        places = [old.get(name, -1) for name in names]
        known, remembered = Arms.fresh(len(names)), room(self.evidence, len(names))
        self.evidence.begin(known, remembered)
        for new, place in enumerate(places):
            if place >= 0:
                for after, before in zip(known, self.known, strict=True):
                    after[new] = before[place]
        if old:
            self.evidence.relayout(self.known, self.remembered, places, known, remembered)
        self.known, self.remembered, self._laid_out = known, remembered, names

    def pull(self, features: Floats | None = None) -> LiveArm:
        """Choose an arm; its reward is pending from now on. features: none here."""
        if not self.compiled:
            self.compile()
        self.check_enabled()
        self.check_budget()
        number = self.number
        if self._moved:  # indices may have risen although their arms have not changed
            self._moved = False
            for slot in range(len(self.enabled)):
                self.rules.chooser.changed(slot)
        place = self._place(number, features)
        if place < 0:
            allowed = "features for which means are finite numbers"
            raise ParameterError("Decider", "context", allowed, self.game.features.values.tolist())
        return self._noted(self._by_place[place], number)

    def play(self, arm: LiveArm) -> None:
        """Note a pull of the arm, which `pull` has chosen in another process.

        What is known afterwards is the same as after `pull`, except for the `memory` of a policy
        that remembers: only its own choice changes that.
        """
        self.expire()
        if not self._follows_later(arm):
            self._late.note(*self._one, arm.place, self.number)
        self.charge(arm)
        self._noted(arm, self.number)

    def _noted(self, arm: LiveArm, number: int) -> LiveArm:
        arm.pending[number], arm.last = None, number
        self._waiting.append((number, arm))
        self.rounds += 1
        return arm

    def expire(self) -> list[int]:
        """Expire pulls that have waited longer than `patience`; returns their numbers."""
        too_old, expired = self.number - self.patience, []
        while self._waiting and self._waiting[0][0] <= too_old:
            number, arm = self._waiting.popleft()
            if number in arm.pending:
                del arm.pending[number]
                arm.lost += 1
                expired.append(number)
                if not self._follows_later(arm):
                    self._late.expire(*self._one, arm.place)
        return expired

    @property
    def memory(self) -> list[float]:
        """The numbers that the policy carries from round to round: those that belong to no arm,
        then those of each arm, enabled or not."""
        self._store()
        shared, own = memory_of(self.policy)
        values: list[float] = self.game.state[:shared].tolist()
        return values + [x for arm in self._by_place for x in arm.memory or [0.0] * own]

    @memory.setter
    def memory(self, values: list[float]) -> None:
        shared, own = memory_of(self.policy)
        self.game.state[:shared] = values[:shared]
        for place, arm in enumerate(self._by_place):
            arm.memory = values[shared + own * place : shared + own * (place + 1)]
        for arm, row in self._own():
            row[:] = arm.memory

    def _own(self) -> list[tuple[LiveArm, Floats]]:
        """Each enabled arm with the policy's memory of it, if the policy has any."""
        shared, own = memory_of(self.policy)
        if own == 0 or not self.enabled:
            return []
        rows = self.game.state[shared : shared + own * len(self.enabled)].reshape(-1, own)
        return list(zip(self.enabled, rows, strict=True))

    def _store(self) -> None:
        """Copy the policy's memory of each arm to the arm."""
        for arm, row in self._own():
            arm.memory = row.tolist()

    def learn(
        self, arm: LiveArm, reward: float, number: int | None = None,
        context: Floats | None = None, cost: float | None = None,
    ) -> None:  # fmt: skip
        """Learn a reward of the arm, and the cost of its pull if given. context: none here.

        number: that of the pull it belongs to. If it is None, the reward belongs to the oldest
        pending pull, or else to one that was given up, or else it counts as one more pull.
        """
        if not self.compiled and self.evidence.changes_all():
            self.compile()
        status = arm.answered(number)
        if status == ELSEWHERE:
            self._made_elsewhere(arm)
        self.paid(arm, reward, cost, status != ELSEWHERE)
        self._learned += 1
        if not self._follows_later(arm):
            self._observe(*self._one, arm.place, status, NOTHING, reward)

    def doubt(self) -> str | None:
        """A warning, given once, if rewards contradict the family; see `misfit`. The check passes
        over all arms, so it runs again only after a quarter more rewards.
        """
        if self._learned < self._look:
            return None
        warning = self.misfit()
        self._look = 1.25 * self._learned if warning is None else inf
        return warning

    def misfit(self) -> str | None:
        """The warning if the rewards, weighted by the evidence, contradict the family's variance.
        None with features, because those make an arm's rewards vary too."""
        if self.evidence.reads():
            return None
        return misfit_so_far(self.policy, self.family, self.known)

    def _made_elsewhere(self, arm: LiveArm) -> None:
        """Count a pull made elsewhere: one more round, by which the horizon is extended."""
        arm.elsewhere += 1
        self.rounds += 1
        self._postpone(1)

    def _postpone(self, rounds: int) -> None:
        """Extend the horizon, if there is one, by this many rounds."""
        if self._constants.horizon:
            later = self._constants.horizon + rounds
            self._constants, self._moved = self._constants._replace(horizon=later), True

    def learn_all(self, batch: list[RewardOf], contexts: list[Floats | None]) -> None:
        """Learn several rewards, or none of them if one is refused."""
        for (arm, reward, cost), context in zip(batch, contexts, strict=True):
            self.learn(arm, reward, None, context, cost)

    def withdraw(self, arm: LiveArm, number: int) -> None:
        """Withdraw the arm's pull of this number, whether it is pending or was given up."""
        status = arm.answered(number)
        if not self._follows_later(arm):
            self._late.withdraw(*self._one, arm.place, status)
        self._withdraw(1)

    def _withdraw(self, n: int) -> None:
        self.rounds -= n
        self.withdrawn += n

    def add(self, arm: LiveArm) -> None:
        """Add an arm."""
        self.check_new(arm.name)
        self.lay_out([*self.arms, arm.name])
        self.arms[arm.name] = arm
        self.arrange()

    def switch(self, arm: LiveArm, enabled: bool) -> None:
        """Enable or disable the arm. One that a guardrail has disabled is measured anew."""
        if arm.reason and enabled:
            arm.measured, arm.reason = [], ""
        if arm.enabled != enabled:
            arm.enabled = enabled
            self.arrange()

    def remove(self, arm: LiveArm) -> None:
        """Remove the arm and what was learned about it alone."""
        self.lay_out([each for each in self.arms if each != arm.name])
        del self.arms[arm.name]
        self._withdraw(arm.rounds)
        self._postpone(-arm.elsewhere)
        arm.pending.clear()
        self.arrange()

    def worth(self, arm: LiveArm) -> tuple[float, float, float, float]:
        """The arm's pulls, sum, squares and origin.

        Evidence that forgets weights them as it does for the policy. With features they are not
        weighted, because the weights depend on the current features.
        """
        if self._counting or self.evidence.reads():
            return arm.pulls, arm.total, arm.squares, arm.origin
        pulls, total, squares, origin = (float(each[arm.place]) for each in self.known)
        return pulls, total, squares, origin

    def mean_of(self, arm: LiveArm) -> float:
        """The mean of the arm's rewards, weighted as in `worth`; NaN if no weight is left."""
        pulls, total, _, _ = self.worth(arm)
        return total / pulls if pulls > 0 else nan

    def of_enabled(self) -> tuple[list[Any], Floats, Floats]:
        """The names, pulls and sums of the enabled arms; refused with features: see `worth`."""
        if self.evidence.reads():
            allowed = "one without features, on which it depends which arm is best"
            raise ParameterError("Decider", "evidence", allowed, self.evidence)
        self.check_enabled()
        pulls, sums = np.array([self.worth(arm)[:2] for arm in self.enabled]).T
        return [arm.name for arm in self.enabled], pulls, sums

    def indices(self, features: Floats | None = None) -> dict[Any, float]:
        """The index of each enabled arm: inf if nothing is known of it, NaN if it is blind."""
        late = self.game.pending
        if self.evidence.changes_all():
            for slot in range(len(self.enabled)):
                late.show(self.rules.chooser, self.known, self.game.arms, slot)
        return self.ranked(self.game, int(late.totals[WAITING]))

    def clock(self, game: Game, pending: int) -> Clock:
        """The round and the horizon that the policy sees, with this many pending pulls."""
        t, last = self.rounds + 1, self._constants.horizon
        t = min(t, last) if last > 0 else t
        clock: Clock = self.evidence.clock(game.memory, t, last)
        return clock.after(pending, t) if self.evidence.changes_all() else clock

    def ranked(self, game: Game, pending: int) -> dict[Name, float]:
        """The indices of the arms of this game, with this many pending pulls."""
        arms = game.arms
        has_index = arms.pulls > 0.0 if self.policy.plays_each_first() else arms.pulls >= 0.0
        values, ranked = np.where(arms.pulls < 0.0, nan, np.inf), np.flatnonzero(has_index)
        if ranked.size:
            found, clock = np.empty(ranked.size), self.clock(game, pending)
            copies = Arms(*(each[ranked] for each in arms))
            rank(self.policy, self.family, copies, clock, found)
            values[ranked] = self.less_costs(found, copies, clock, ranked)
        return {arm.name: float(each) for arm, each in zip(self.enabled, values, strict=True)}
