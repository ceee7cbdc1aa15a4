"""`Experiment`: what follows from the rows of one experiment. It does no input or output, but for a
line in the log where rewards contradict the family.

A worker keeps one for each experiment and brings it up to date with the rows that it has not seen.
The choice of an arm is a function of the definition and of the rows before, so it does not matter
which worker makes it.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from math import inf, nextafter
from typing import Any

import msgspec

from .._numba.compile import Floats
from ..errors import ParameterError, RbmleError
from ..live.candidates import only
from ..live.feature_game import FeatureGame
from ..live.input_checks import a_reward, support, the_features
from ..live.live_arm import LiveArm, Name
from ..live.live_game import LiveGame
from ..live.propensities import Propensities
from ..live.state import plain_game, restored
from ..live.state_reader import Reader
from . import contexts
from .contexts import Context
from .deadlines import Deadlines, Timed
from .definition import Definition, check_room
from .history import History
from .rows import Kind, Open, Row

log = logging.getLogger("rbmle.service")
# How far a recomputed probability may be from the stored one: on another machine `exp` may differ
# in its last bit. On the same machine they are equal.
PROBABILITY_ERROR = 1e-9
STATES = ("active", "paused", "retired")
_DECISION, _REWARD, _EXPIRED = int(Kind.DECISION), int(Kind.REWARD), int(Kind.EXPIRED)
_MOST_OPEN = 10_000  # decisions that are found without reading the log: some 2 MB


class LogError(RbmleError):
    """The log disagrees with what follows from it."""


class Experiment(Timed):
    """One experiment: the game of its decisions, and the decisions that wait for a reward.

    seq, at: the place and the time of the last row. made, rewarded, expired: how many rows there
    are of each kind. ended: no decision is made any more. open: the newest decisions that wait, by
    `seq`, oldest first; whether an older one waits, the log tells. recent: in snapshot mode, the
    `seq` of the newest decisions by id. sound: False while a change is under way; one that failed
    may have left traces, so that the experiment must be computed again from its rows.
    """

    def __init__(self, number: int, name: str, definition: Definition, at: float = 0.0) -> None:
        self.number, self.name, self.definition = number, name, definition
        self.states = ["active"] * len(definition.arms)
        self.seq, self.at = 1, at  # row 1 is the creation
        self.sound, self.ended = True, False
        self.made = self.rewarded = self.expired = 0
        self.open: OrderedDict[int, Open] = OrderedDict()
        self.recent: OrderedDict[str, int] = OrderedDict()
        self.deadlines = Deadlines(definition.wait)
        self._ahead = 0.0  # of the clock, which was behind the rows
        self.history = History()
        self._reason = ""  # why the next row that is applied must disable an arm
        self._start(definition.game())

    def _start(self, live: LiveGame) -> None:
        self.live, self.arms = live, list(live.arms.values())
        self.support = low, high, closed_low, closed_high = support(self.definition.settings.family)
        self._lowest = low if closed_low else nextafter(low, inf)
        self._highest = high if closed_high else nextafter(high, -inf)
        self._propensities = Propensities(live)
        self._reads, self._uses_snapshots = self.definition.reads, self.definition.uses_snapshots
        self._asks = live.asks()
        self._featured = live if isinstance(live, FeatureGame) else None
        self._width = self._featured.width if self._featured else 0
        self._cells = bool(self._featured and self._featured.encoder)
        # What the policy remembers, and where evidence works with features, only choosing changes.
        self._rechoose = self.definition.settings.policy.remembers(1) > 0 or self._reads > 0

    # What a request asks for: each returns the row to append, and has already applied it.

    def decide(
        self, id: str | None, now: float, context: Context | None = None,
        among: Sequence[str] | None = None,
    ) -> Row:  # fmt: skip
        """Choose an arm. context: the arms' features, if any. among: the candidates, if not all."""
        candidates = contexts.candidates(among, self.live.arms)
        features, text = self._features(context, candidates)
        t, number = self.live.rounds + 1, self.live.number
        with only(self.live, candidates):
            self.live.check_budget()
            self.sound = False
            arm, p = self._pull(features)
        self._step(now)
        place = self.number, self.seq, _DECISION, self.at
        names = contexts.written_candidates(among, self.live.arms)
        row = Row(*place, id, arm.place, t, number, text=text, probability=p, among=names)
        self._opened(row)
        self.sound = True
        return row

    def _pull(self, features: Floats | None) -> tuple[LiveArm, float | None]:
        """The arm that is chosen, and its probability, if that is wanted and known."""
        if self.definition.probabilities:
            return self._propensities.decide_anyway(features)
        return self.live.pull(features), None

    def _features(
        self, context: Context | None, candidates: set[Name] | None
    ) -> tuple[Floats | None, str | None]:
        """The context as the game reads it, and as it is stored; raises if it is not allowed."""
        if context is None and not self._reads:
            return None, None
        evidence = self.definition.settings.evidence
        if context is None:
            allowed = f"given with {type(evidence).__name__}, which reads features"
            raise ParameterError("service", "context", allowed, None)
        if not self._cells:
            context = contexts.as_numbers(context)
        features = the_features(context, self.live.arms, evidence, candidates)
        if features is not None and self._cells:
            return features, contexts.written_cells(features)
        return features, contexts.written(context, map(str, self.live.arms))

    def reward(
        self, of: int, waiting: Open, value: float, now: float, more: str | None = None
    ) -> list[Row]:
        """Learn the reward of the decision at `of`, which has none yet: its row, and one more if a
        guardrail disables the arm. more: what came with it, as `checked_extras` returns it."""
        rows = [self._ended(_REWARD, of, waiting, value, now)._replace(told=more)]
        reason = self._learned(rows[0])
        if reason:
            rows.append(self._change(Kind.GUARDED, now, arm=waiting.arm, text=reason))
            log.warning("%s: %r is paused: %s", self.name, self.arms[waiting.arm].name, reason)
        doubt = self.live.doubt()
        if doubt is not None:
            log.warning("%s: %s", self.name, doubt)
        return rows

    def _ended(self, kind: int, of: int, waiting: Open, value: float | None, now: float) -> Row:
        """The row of a decision's end; with its features, if the game has forgotten them."""
        text, (arm, number, _, context) = None, waiting
        if value is not None and context is not None and not self._remembers(number):
            text = contexts.written_vector(context)
        self._step(now)
        place = self.number, self.seq, kind, self.at
        return Row(*place, None, arm, None, number, of, value, text)

    def _remembers(self, number: int) -> bool:
        """Whether the game still has the features of the decision of this number."""
        return self._featured is not None and number in self._featured.pulls

    def expire(self, waiting: Iterable[Row], until: int, now: float) -> list[Row]:
        """End the decisions whose deadline has passed; late rewards of them are refused.

        waiting: those without an outcome in the slice of the log up to `until`.
        """
        wait, default = self.definition.wait or inf, self.definition.default
        now, last, rows = self.moment(now), self.seq, list[Row]()
        for each in waiting:
            if each.at + wait > now:
                self.deadlines.resolve(each.seq - 1, each.at + wait)
                return rows
            rows.append(self._ended(_EXPIRED, each.seq, Open.of(each), default, now))
            self._learned(rows[-1])
        self.deadlines.resolve(until, inf if until == last else -inf)
        return rows

    def add(self, name: str, now: float) -> Row:
        """Add an arm."""
        check_room(self.definition.settings.evidence, len(self.arms) + 1)
        self.live.check_new(name)
        return self._change(Kind.ADDED, now, arm=len(self.arms), text=name)

    def switch(self, arm: int, state: str, now: float) -> Row:
        """Change an arm's state."""
        return self._change(Kind.STATE, now, arm=arm, text=state)

    def end(self, now: float) -> Row:
        """Make no decision any more; rewards of those that were made still count."""
        return self._change(Kind.ENDED, now)

    def _change(self, kind: Kind, now: float, **fields: Any) -> Row:
        self.sound = False
        self._step(now)
        row = Row(self.number, self.seq, int(kind), self.at, **fields)
        self._changed(row)
        self.sound = True
        return row

    def _step(self, now: float) -> None:
        """Go on to the row that is written now."""
        self.seq += 1
        self.at = self.moment(now)

    # Rows that another worker has appended, or this one before it was started again.

    def apply(self, rows: Iterable[Row], recompute: bool = False) -> None:
        """Bring the state up to date with rows that follow it.

        recompute: choose every arm again and compare, instead of taking it from the row.
        """
        again = recompute or self._rechoose
        with nullcontext() if again else self.live.in_bulk():
            self._apply(rows, again, recompute)

    def _apply(self, rows: Iterable[Row], again: bool, recompute: bool) -> None:
        live, lowest, highest = self.live, self._lowest, self._highest
        for row in rows:
            _, seq, kind, at, _, place, _, number, _, value, _, _, _, basis, _, _ = row
            if seq != self.seq + 1 or at < self.at:
                raise LogError(f"{self.name}: row {seq} does not follow row {self.seq}.")
            if recompute and (row.text if kind == Kind.GUARDED else "") != self._reason:
                raise LogError(f"{self.name}: row {seq} is not what the guardrails say.")
            if kind == _DECISION:
                arm = self.arms[place or 0]
                if basis is not None and number != live.number:
                    raise LogError(f"{self.name}: row {seq} has number {number}.")
                if again and basis is None:
                    self._compare(row, arm, recompute)
                else:
                    live.play(arm)
                self._opened(row)
            elif kind in (_REWARD, _EXPIRED):
                if value is not None and not lowest <= value <= highest:
                    self.checked(value)  # it raises
                self._reason = self._learned(row)
            else:
                self._changed(row)
            self.seq, self.at = seq, at

    def _compare(self, row: Row, arm: LiveArm, recompute: bool) -> None:
        t, number = self.live.rounds + 1, self.live.number
        written = row.text or "", len(self.arms), self._width, self._cells
        given = contexts.features_of(*written) if self._reads else None
        with only(self.live, contexts.candidates_of(row.among, self.arms)):
            chosen, p = self._pull(given) if recompute else (self.live.pull(given), row.probability)
        if chosen is not arm or (t, number) != (row.t, row.number):
            raise LogError(
                f"{self.name}: row {row.seq} chose {arm.name!r} in round {row.t}; "
                f"by the rows before it must be {chosen.name!r} in round {t}."
            )
        stored = row.probability
        same = p == stored or (p and stored and abs(p - stored) <= PROBABILITY_ERROR)
        if not same:
            raise LogError(
                f"{self.name}: row {row.seq} has the probability {stored}; "
                f"by the rows before it must be {p}."
            )

    def _opened(self, row: Row) -> None:
        _, seq, _, at, id, arm, _, number, _, _, _, _, _, _, _, _ = row
        self.made += 1
        self.history.decided(seq, arm or 0, at, len(self.arms))
        self.open[seq] = Open(arm or 0, number or 0, at)
        if id is not None and self._uses_snapshots:
            self.recent[id] = seq
            if len(self.recent) > _MOST_OPEN:
                self.recent.popitem(last=False)
        self.deadlines.opened(at)
        oldest = self.live.number - min(self.live.patience, _MOST_OPEN)
        while self.open and next(iter(self.open.values())).number <= oldest:
            self.open.popitem(last=False)

    def _learned(self, row: Row) -> str:
        """Take over a reward, or that there is none: why a guardrail disables the arm, or ""."""
        _, _, kind, at, _, place, _, number, of, value, text, _, _, _, _, more = row
        self.open.pop(of or 0, None)
        arm, reason = self.arms[place or 0], ""
        if value is None:
            self.live.withdraw(arm, number or 0)
        else:
            self.history.timeline.rewarded(value, at)
            context = None if text is None else contexts.vector(text, self._width)
            cost, shares = (None, ()) if more is None else contexts.extras(more, self.live, arm)
            self.live.learn(arm, value, number or 0, context, cost)
            reason = self.live.measure(arm, shares)
        if kind == _REWARD:
            self.rewarded += 1
        else:
            self.expired += 1
        return reason

    def _changed(self, row: Row) -> None:
        if row.kind == Kind.ADDED:
            self.arms.append(LiveArm(row.text))
            self.states.append("active")
            self.live.add(self.arms[-1])
        elif row.kind == Kind.STATE:
            place = row.arm or 0
            self.states[place] = row.text or ""
            self.live.switch(self.arms[place], enabled=row.text == "active")
        elif row.kind == Kind.GUARDED:
            self.states[row.arm or 0], self._reason = "paused", ""
            self.live.guard(self.arms[row.arm or 0], row.text or "")
        elif row.kind == Kind.ENDED:
            self.ended = True
        elif row.kind != Kind.CREATED or row.seq > 1:
            raise LogError(f"{self.name}: row {row.seq} is of the unknown kind {row.kind}.")

    def checked(self, value: float) -> float:
        """The reward, if the family allows it; else raises ParameterError."""
        return a_reward(value, self.support, self.definition.settings.family)

    def checked_extras(self, arm: int, more: dict[str, Any]) -> str | None:
        """What comes with a reward of the arm beside its value, checked, as it is stored."""
        if more or self._asks:
            self.live.checked(self.arms[arm], more.get("cost"), more.get("metrics"))
        return contexts.written_extras(more)

    # Snapshots: the state as data, so that a start need not read the whole log.

    def plain(self) -> dict[str, Any]:
        """The whole state as data that JSON can hold, but for what the log tells of decisions that
        wait: there may be millions."""
        return {
            "seq": self.seq,
            "at": self.at,
            "counts": [self.made, self.rewarded, self.expired],
            "states": self.states,
            "ended": self.ended,
            "history": self.history.plain(),
            "game": plain_game(self.live),
        }

    def snapshot(self) -> bytes:
        """The state as it is stored."""
        return msgspec.json.encode({**self.plain(), "resolved": self.deadlines.resolved})

    def restore(self, stored: bytes) -> None:
        """Take over the state of a snapshot; the same choices follow as from the rows."""
        data = msgspec.json.decode(stored)
        self.seq, self.at, self.states = data["seq"], data["at"], data["states"]
        self.made, self.rewarded, self.expired = data["counts"]
        self.ended = data["ended"]
        self.deadlines = Deadlines(self.definition.wait, data["resolved"], -inf)
        self.history = History.of(data["history"])
        saved = Reader("a snapshot", data["game"])
        self._start(restored(saved, self.definition.settings))
        self.live.memory = saved.memory(len(self.live.memory))
        self.open = OrderedDict()
