"""Whatever is asked of a decider with evidence, in any order: what it knows stays consistent."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evidence_cases import interpret, state_of

import rbmle
from rbmle import Decider, ParameterError
from rbmle.evidence import Diagonal, Discounted, Linear, Logistic, Window

KINDS = [
    Discounted(0.8), Discounted(1e-9), Window(1), Window(3), Window(20), Linear(2),
    Linear(2, shared=False), Linear(1, 1e-12), Logistic(2), Diagonal(2),
]  # fmt: skip


def some_call(live: Decider[str], chance: random.Random, step: int, path: Path) -> Any:
    """One of the things that can be asked of a decider, most of them allowed at the time."""
    arm, reward = chance.choice(live.arms), float(chance.random() < 0.5)
    n = live.evidence.reads()
    context = (
        {each: [chance.gauss(0.0, 1.0) for _ in range(n)] for each in live.arms} if n else None
    )
    own = None if context is None else context[arm]
    calls = [
        (8, lambda: live.pull(context=context)),
        (4, lambda: live.pull(id=step, context=context)),
        (4, lambda: live.pull(context=context, among=set(chance.choices(live.arms, k=2)))),
        (4, lambda: live.update(id=chance.randrange(step + 1), reward=reward)),
        (4, lambda: live.update(arm, reward)),
        (1, lambda: live.update(arm, reward, own)),
        (1, lambda: live.forget(arm)),
        (1, lambda: live.add(f"arm {step}")),
        (1, lambda: live.remove(arm)),
        (1, lambda: live.disable(arm)),
        (2, lambda: live.enable(arm)),
        (1, lambda: live.save(path)),
    ]
    return chance.choices([each for _, each in calls], [often for often, _ in calls])[0]


def law_of_consistency(kind: Any, seed: int, path: Path) -> None:
    policy = rbmle.LinTS() if kind.reads() and seed % 3 == 0 else rbmle.UCB()
    coins = isinstance(kind, Logistic) or not kind.reads()
    chance = random.Random(seed)
    live: Decider[str] = Decider(
        ["a", "b", "c"], policy, "bernoulli" if coins else "gaussian", evidence=kind, seed=seed,
        patience=chance.choice([1, 3, 10, 1_000]),
    )  # fmt: skip
    for step in range(80):
        before, call = state_of(live), some_call(live, chance, step, path)
        try:
            call()
        except ParameterError:
            assert state_of(live) == before  # what is refused changes nothing
        if path.exists():
            again = Decider.load(path)
            assert state_of(again) == state_of(live)
            path.unlink()
            live = again
        engine = live._live
        assert live.t == 1 + sum(arm.rounds for arm in engine.arms.values())
        assert np.isfinite([*map(np.sum, engine.known), engine.remembered.sum()]).all()
        if kind.reads():
            pending = sorted(n for arm in engine.arms.values() for n in arm.pending)
            assert list(engine.pulls) == pending
            assert sum(pull.imputed is None for pull in engine.pulls.values()) <= 1


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_calls_in_any_order(kind: Any, monkeypatch: Any, tmp_path: Path) -> None:
    interpret(monkeypatch)
    law_of_consistency(kind, 1, tmp_path / "state.json")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_many_calls_in_any_order(kind: Any, monkeypatch: Any, tmp_path: Path) -> None:
    interpret(monkeypatch)
    for seed in range(2, 20):
        law_of_consistency(kind, seed, tmp_path / "state.json")
