"""The statistics that the policy of a live game sees, and how they are updated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from ..engine.game import Game, PendingPulls, Rules
from ..engine.late_rewards import WAITING, Late
from .live_arm import LiveArm


class Shows:
    """The part of a `LiveGame` that shows its arms to the policy."""

    _by_place: list[LiveArm]
    _counting: bool
    _one: tuple[Rules, Game]
    _late: PendingPulls
    _changed: dict[LiveArm, None] | None = None  # see `in_bulk`

    def show_all(self) -> None:
        """Update the statistics that the policy sees of all arms."""
        self._show(arm for arm in self._by_place if arm.rounds)

    def _show(self, arms: Iterable[LiveArm]) -> None:
        """The same for these arms. Of arms with features there is nothing to show here."""
        late, (rules, game) = self._late, self._one
        if not isinstance(late, Late):
            return
        for arm in arms:
            i, waits = arm.place, len(arm.pending)
            if self._counting:
                pulls, sums, squares, origins = game.known
                pulls[i], sums[i] = arm.pulls, arm.total
                squares[i], origins[i] = arm.squares, arm.origin
            late.totals[WAITING] += waits - late.waits[i]
            late.waits[i], late.lost[i], late.last[i] = waits, arm.lost, arm.last
            late.show(rules.chooser, game.known, game.arms, late.slots[i])

    @contextmanager
    def in_bulk(self) -> Iterator[None]:
        """While pulls and rewards of other processes are applied: update what the policy sees once
        for each arm, at the end. Only where rewards are counted, so an arm's sums determine it."""
        self._changed = {} if self._counting else None
        try:
            yield
        finally:
            changed, self._changed = self._changed, None
            self._show(changed or ())

    def _follows_later(self, arm: LiveArm) -> bool:
        """Whether the arm's statistics are updated later, by `in_bulk`."""
        if self._changed is None:
            return False
        self._changed[arm] = None
        return True
