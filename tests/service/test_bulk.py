"""Rows that are applied together leave what they leave one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from service_cases import definition

from rbmle.service.experiment import Experiment
from rbmle.service.rows import Kind, Row


def some_rows(n: int, seed: int) -> list[Row]:
    """A log of other workers: pulls, rewards, some of them late, defaults, withdrawals, arms."""
    rng, rows, waiting, made = np.random.default_rng(seed), list[Row](), list[Row](), 0
    for seq in range(2, n + 2):
        drawn, at = rng.random(), 1000.0 + 7.0 * seq
        if drawn < 0.02 and seed:  # then all is laid out anew
            text = ("active", "paused")[int(rng.integers(2))]
            row = Row(1, seq, int(Kind.STATE), at, arm=2, text=text)
        elif drawn < 0.03 and seed:
            arm = 3 + sum(each.kind == Kind.ADDED for each in rows)
            row = Row(1, seq, int(Kind.ADDED), at, arm=arm, text=f"new-{arm}")
        elif drawn < 0.5 and waiting:
            of = waiting.pop(int(rng.integers(len(waiting))))
            kind = Kind.REWARD if drawn < 0.4 else Kind.EXPIRED
            value = None if drawn > 0.45 else float(rng.integers(2))
            row = Row(1, seq, int(kind), at, None, of.arm, None, of.number, of.seq, value)
        else:
            made += 1
            arm = int(rng.integers(3))
            row = Row(1, seq, int(Kind.DECISION), at, f"id-{made}", arm, made, made)
            if arm != 1:  # whose rewards never come
                waiting.append(row)
        rows.append(row)
    return rows


def seen(known: Experiment) -> list[Any]:
    """All that is known, and all that the policy sees."""
    live = known.live
    late = live.game.pending
    arrays = [*live.game.arms, *live.game.known, late.waits, late.lost, late.last, late.totals]
    told = [known.plain(), list(known.open.items()), list(known.recent.items()), live.rounds]
    return [*told, *(each.tolist() for each in arrays)]


@pytest.mark.parametrize("patience", [3, 1_000])
def test_rows_applied_together_leave_what_they_leave_one_by_one(patience: int) -> None:
    """Also where pulls are given up and come back, and arms are switched and added in between."""
    what = definition(policy="ts", patience=patience, consistency="snapshot")
    for seed in range(3):
        rows = some_rows(200, seed)
        alone, together, parts = (Experiment(1, "x", what) for _ in range(3))
        for row in rows:
            alone.apply([row])
        together.apply(rows)
        for first in range(0, len(rows), 7):
            parts.apply(rows[first : first + 7])
        assert seen(alone) == seen(together) == seen(parts)
