"""Delays: when rewards come, the queue in which they wait, and what is refused."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rbmle
from rbmle import BatchDelay, FixedDelay, GeometricDelay, ParameterError, TableDelay
from rbmle.engine.calendar import Calendar
from rbmle.engine.game import LOST, NOTHING, PENDING
from rbmle.random import delay_cell, key
from rbmle.rewards.delays import as_delay
from rbmle.spec import from_spec, to_spec

DELAYS = [
    FixedDelay(0),
    FixedDelay(7),
    FixedDelay(200),
    FixedDelay(3, lost=0.5),
    GeometricDelay(mean=0.0),
    GeometricDelay(mean=9.0),
    GeometricDelay(mean=9.0, lost=0.2, patience=4),
    BatchDelay(6),
    BatchDelay(1),
    TableDelay([0, 2, 2, 40], patience=10),
]
SEED, REPLICATION, HORIZON = 3, 5, 120


def comes_after(delay: Any, t: int) -> int:
    cell = delay_cell(*key(SEED), REPLICATION, t)
    return int(delay.arrivals().comes_after(t, cell))


@pytest.mark.parametrize("delay", DELAYS, ids=str)
@pytest.mark.parametrize("imputes", [False, True])
def test_the_calendar_gives_every_reward_back_in_its_round(delay: Any, imputes: bool) -> None:
    """Rewards come in the order of their pulls, with what was imputed of them."""
    calendar = Calendar.of(delay.arrivals(), SEED, delay.patience, HORIZON)
    calendar.restart()
    found: list[Any] = []
    expired: list[int] = []
    pending = SimpleNamespace(
        imputes=lambda: imputes,
        impute=lambda rules, game, i: 0.25 * t,
        expire=lambda rules, game, i: expired.append(i),
    )
    game: Any = SimpleNamespace(pending=pending, features=SimpleNamespace(moving=lambda: False))
    rules: Any = SimpleNamespace(
        observe=lambda _, pull, reward: found.append((pull, reward)), charge=lambda *_: None
    )
    due: dict[int, list[int]] = {}
    for t in range(1, HORIZON + 1):
        given = t - delay.patience  # the pull that is given up in this round, if it has not come
        late = comes_after(delay, given) if given > 0 else 0
        calendar.expire(rules, game, t)
        if not imputes:
            assert expired == ([given % 4] if given > 0 and not 0 <= late < delay.patience else [])
        rounds = comes_after(delay, t)
        if rounds >= 0:
            due.setdefault(t + rounds, []).append(t)
        calendar.pulled(rules, game, REPLICATION, t, t % 4, 0.5 * t)
        for (pull, reward), k in zip(found, due.pop(t, []), strict=True):
            assert (pull.arm, reward) == (k % 4, 0.5 * k)
            assert pull.status == (LOST if k <= t - delay.patience and not imputes else PENDING)
            assert pull.imputed == (0.25 * k if imputes and k < t else NOTHING)
        found.clear()
        expired.clear()


@pytest.mark.parametrize("delay", DELAYS, ids=str)
def test_no_delay_is_longer_than_the_longest(delay: Any) -> None:
    found = [comes_after(delay, t) for t in range(1, 300)]
    assert max(found) <= delay.arrivals().longest()
    assert found == [comes_after(delay, t) for t in range(1, 300)]
    if not delay.lost:
        assert min(found) >= 0


def test_delays_have_their_law() -> None:
    found = np.array([comes_after(GeometricDelay(9.0), t) for t in range(1, 4_001)])
    assert abs(found.mean() - 9.0) < 3.0 * (90.0 / 4_000) ** 0.5
    assert abs((found == 0).mean() - 0.1) < 3.0 * (0.09 / 4_000) ** 0.5
    lost = np.array([comes_after(FixedDelay(2, lost=0.3), t) for t in range(1, 4_001)])
    assert set(lost) == {-1, 2}
    assert abs((lost == -1).mean() - 0.3) < 3.0 * (0.21 / 4_000) ** 0.5
    drawn = [comes_after(TableDelay([1, 1, 8]), t) for t in range(1, 4_001)]
    assert abs(np.mean(np.array(drawn) == 8) - 1 / 3) < 3.0 * (2 / 9 / 4_000) ** 0.5


@pytest.mark.parametrize("delay", DELAYS, ids=str)
def test_a_delay_is_plain_data(delay: Any) -> None:
    assert from_spec(to_spec(delay)) == delay


def test_a_log_of_delays_may_be_read_once() -> None:
    assert TableDelay(iter([0, 5])) == TableDelay([0, 5])


def test_delays_have_names() -> None:
    assert as_delay("fixeddelay(100)", "simulate") == FixedDelay(100)
    assert as_delay("geometricdelay(mean=3, lost=0.5)", "run") == GeometricDelay(3.0, 0.5)
    assert as_delay("tabledelay([1, 2, 5], pending=ignored)", "run") == TableDelay(
        [1, 2, 5], pending="ignored"
    )


BAD: list[tuple[Any, str]] = [
    (lambda: FixedDelay(-1), "FixedDelay: 'rounds' must be a whole number in"),
    (lambda: FixedDelay(1.5), "FixedDelay: 'rounds' must be a whole number in"),
    (lambda: FixedDelay(1, lost=1.5), "FixedDelay: 'lost' must be a number in"),
    (lambda: FixedDelay(1, patience=0), "FixedDelay: 'patience' must be a whole number in"),
    (lambda: FixedDelay(1, pending="forgotten"), "FixedDelay: 'pending' must be one of"),
    (lambda: GeometricDelay(mean=-1), "GeometricDelay: 'mean' must be a number in"),
    (lambda: BatchDelay(0), "BatchDelay: 'every' must be a whole number in"),
    (lambda: TableDelay([]), "TableDelay: 'rounds' must be a list of whole numbers"),
    (lambda: TableDelay([1, -2]), "TableDelay: 'rounds' must be a whole number in"),
    (lambda: as_delay(7, "simulate"), "simulate: 'delay' must be a delay, as in"),
    (lambda: as_delay("fixdelay(100)", "simulate"), "simulate: 'delay' must be one of"),
    (
        lambda: rbmle.simulate(rbmle.Problem("bernoulli", [0.2, 0.5]), ["ucb"], 9, 1, delay=3),
        "simulate: 'delay' must be a delay, as in",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("build", "message"), BAD)
def test_mistakes_get_their_sentence(build: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=f"^{message}"):
        build()
