"""`Experiment`: what follows from the rows of one experiment. It does no input or output.

A worker keeps one for each experiment and brings it up to date with the rows that it has not seen.
The choice of an arm is a function of the definition and of the rows before, so it does not matter
which worker makes it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from ..errors import RbmleError
from ..live.given import a_reward, support
from ..live.live_arm import LiveArm
from .definition import Definition
from .history import MOST_ARMS, History
from .rows import Kind, Row

STATES = ("active", "paused", "retired")


class LogError(RbmleError):
    """The log disagrees with what follows from it."""


class Open(NamedTuple):
    """A decision whose reward may still come: the arm's place, the number and the time."""

    arm: int
    number: int
    at: float


class Experiment:
    """One experiment: the engine of its decisions, and the decisions that wait for a reward.

    seq, at: the place and the time of the last row. made, rewarded, expired: how many rows there
    are of each kind. open: the decisions that wait, by `seq`, oldest first; without `wait`, only
    those that the policy still counts as pending.
    """

    def __init__(self, number: int, name: str, definition: Definition, at: float = 0.0) -> None:
        self.number, self.name, self.definition = number, name, definition
        self.arms = [LiveArm(each) for each in definition.arms]
        self.states = ["active"] * len(self.arms)
        self.seq, self.at = 1, at  # row 1 is the creation
        self.made = self.rewarded = self.expired = 0
        self.open: dict[int, Open] = {}
        self._queue: deque[int] = deque()
        self.history = History()
        self._start(0)

    def _start(self, withdrawn: int) -> None:
        self.live = self.definition.live_arms(self.arms, withdrawn)
        self.places = {arm.name: place for place, arm in enumerate(self.arms)}
        self.support = support(self.definition.settings.family)
        self._rechoose = self.definition.settings.policy.remembers() > 0

    # What a request asks for: each returns the row to append, and has already applied it.

    def decide(self, id: str | None, now: float) -> Row:
        """Choose an arm."""
        t, number = self.live.rounds + 1, self.live.number
        arm = self.places[self.live.pull().name]
        row = self._row(Kind.DECISION, now, id, arm, t, number)
        self._opened(row)
        return row

    def reward(self, of: int, arm: int, number: int, value: float, now: float) -> Row:
        """Learn the reward of the decision at `of`, which has none yet."""
        row = self._row(Kind.REWARD, now, None, arm, None, number, of, value)
        self._learned(row)
        return row

    def expire(self, now: float) -> list[Row]:
        """End the decisions whose deadline has passed; late rewards of them are refused from now
        on."""
        wait, rows = self.definition.wait, []
        if wait is None:
            return []
        now = max(now, self.at)
        while self._queue:
            of = self._queue[0]
            waiting = self.open.get(of)
            if waiting is None:
                self._queue.popleft()
            elif waiting.at + wait <= now:
                row = self._row(
                    Kind.EXPIRED, now, None, waiting.arm, None, waiting.number, of,
                    self.definition.default,
                )  # fmt: skip
                self._learned(row)
                rows.append(row)
            else:
                break
        return rows

    def add(self, name: str, now: float) -> Row:
        """Add an arm."""
        row = self._row(Kind.ADDED, now, arm=len(self.arms), text=name)
        self._changed(row)
        return row

    def switch(self, arm: int, state: str, now: float) -> Row:
        """Change an arm's state."""
        row = self._row(Kind.STATE, now, arm=arm, text=state)
        self._changed(row)
        return row

    def _row(
        self, kind: Kind, now: float, id: str | None = None, arm: int | None = None,
        t: int | None = None, number: int | None = None, of: int | None = None,
        value: float | None = None, text: str | None = None,
    ) -> Row:  # fmt: skip
        self.seq += 1
        if now > self.at:
            self.at = now
        return Row(
            self.number, self.seq, int(kind), self.at, id, arm, t, number, of, value, text
        )  # fmt: skip

    # Rows that another worker has appended, or this one before it was started again.

    def apply(self, rows: Iterable[Row], recompute: bool = False) -> None:
        """Bring the state up to date with rows that follow it.

        recompute: choose every arm again and compare, instead of taking it from the row.
        """
        again = recompute or self._rechoose
        for row in rows:
            if row.seq != self.seq + 1 or row.at < self.at:
                raise LogError(f"{self.name}: row {row.seq} does not follow row {self.seq}.")
            if row.kind == Kind.DECISION:
                arm = self.arms[row.arm or 0]
                if again:
                    self._compare(row, arm)
                else:
                    self.live.play(arm)
                self.seq, self.at = row.seq, row.at
                self._opened(row)
                continue
            self.seq, self.at = row.seq, row.at
            if row.kind in (Kind.REWARD, Kind.EXPIRED):
                self._learned(row)
            else:
                self._changed(row)

    def _compare(self, row: Row, arm: LiveArm) -> None:
        t, number = self.live.rounds + 1, self.live.number
        chosen = self.live.pull()
        if chosen is not arm or (t, number) != (row.t, row.number):
            raise LogError(
                f"{self.name}: row {row.seq} chose {arm.name!r} in round {row.t}; "
                f"by the rows before it must be {chosen.name!r} in round {t}."
            )

    def _opened(self, row: Row) -> None:
        self.made += 1
        if len(self.arms) <= MOST_ARMS:
            self.history.add(row.arm or 0, row.at)
        self.open[row.seq] = Open(row.arm or 0, row.number or 0, row.at)
        self._queue.append(row.seq)
        if self.definition.wait is None:  # the rest can be found in the log
            oldest = self.live.number - self.live.patience
            while self._queue:
                waiting = self.open.get(self._queue[0])
                if waiting is not None and waiting.number > oldest:
                    break
                self.open.pop(self._queue.popleft(), None)

    def _learned(self, row: Row) -> None:
        self.open.pop(row.of or 0, None)
        arm, number = self.arms[row.arm or 0], row.number or 0
        if row.value is None:
            self.live.withdraw(arm, number)
        else:
            self.live.learn(arm, row.value, number)
        if row.kind == Kind.REWARD:
            self.rewarded += 1
        else:
            self.expired += 1

    def _changed(self, row: Row) -> None:
        if row.kind == Kind.ADDED:
            self.places[row.text or ""] = len(self.arms)
            self.arms.append(LiveArm(row.text))
            self.states.append("active")
            self.live.add(self.arms[-1])
        elif row.kind == Kind.STATE:
            place = row.arm or 0
            self.states[place] = row.text or ""
            self.live.switch(self.arms[place], enabled=row.text == "active")

    def checked(self, value: float) -> float:
        """The reward, if the family allows it; else raises ParameterError."""
        return a_reward(value, self.support, self.definition.settings.family)

    def deadline(self) -> float:
        """The time when the oldest waiting decision ends; infinite if none does."""
        wait = self.definition.wait
        while wait is not None and self._queue:
            waiting = self.open.get(self._queue[0])
            if waiting is not None:
                return waiting.at + wait
            self._queue.popleft()
        return float("inf")

    # Snapshots: the state as data, so that a start need not read the whole log.

    def plain(self) -> dict[str, Any]:
        """The whole state as data that JSON can hold."""
        return {
            "seq": self.seq,
            "at": self.at,
            "counts": [self.made, self.rewarded, self.expired],
            "withdrawn": self.live.withdrawn,
            "memory": self.live.memory,
            "arms": [
                [
                    arm.name, state, arm.pulls, arm.total, arm.squares, arm.origin, arm.lost,
                    arm.last, list(arm.pending),
                ]
                for arm, state in zip(self.arms, self.states, strict=True)
            ],
            "open": [[seq, *each] for seq, each in self.open.items()],
            "history": self.history.plain(),
        }  # fmt: skip

    def snapshot(self) -> bytes:
        """The state as it is stored."""
        return msgspec.json.encode(self.plain())

    def restore(self, stored: bytes) -> None:
        """Take over the state of a snapshot; the same choices follow as from the rows."""
        data = msgspec.json.decode(stored)
        self.arms, self.states = [], []
        for name, state, pulls, total, squares, origin, lost, last, pending in data["arms"]:
            self.arms.append(
                LiveArm(
                    name, pulls, float(total), float(squares), float(origin),
                    dict.fromkeys(pending), lost, last, state == "active",
                )
            )  # fmt: skip
            self.states.append(state)
        self.seq, self.at = data["seq"], data["at"]
        self.made, self.rewarded, self.expired = data["counts"]
        self.open = {seq: Open(*each) for seq, *each in data["open"]}
        self._queue = deque(self.open)
        self.history = History.of(data["history"])
        self._start(data["withdrawn"])
        self.live.memory = data["memory"]
