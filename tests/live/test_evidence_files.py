"""A decider with evidence in a file: to the bit, and with a sentence if it is damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evidence_cases import X, forgetting, interpret, linear, state_of

from rbmle import Decider, StateError
from rbmle.evidence import Discounted, Linear, Window


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: Any) -> None:
    interpret(monkeypatch)


@pytest.mark.parametrize("kind", [Window(5), Discounted(0.9), Linear(2), Linear(2, shared=False)])
def test_saved_and_loaded_is_the_same_to_the_bit(kind: Any, tmp_path: Path) -> None:
    live = linear(evidence=kind, patience=6)
    context = X if kind.reads() else None
    for k in range(12):
        live.pull(id=k, context=context)
        if k % 3:
            live.update(id=k, reward=1.0 / (k + 3))
    live.save(tmp_path / "one.json")
    again = Decider.load(tmp_path / "one.json")
    assert state_of(again) == state_of(live)
    assert repr(again) == repr(live)
    again.save(tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    assert json.loads((tmp_path / "one.json").read_text())["version"] == 1


def test_a_decider_that_counts_says_so(tmp_path: Path) -> None:
    forgetting(None).save(tmp_path / "state.json")
    saved = json.loads((tmp_path / "state.json").read_text())
    assert saved["evidence"] == {"name": "Counting"}
    assert "known" not in saved


DAMAGE = [
    (lambda known: known.pop("memory"), "'memory' is missing"),
    (lambda known: known["memory"].pop(), "'memory' must be lists of"),
    (lambda known: known["statistics"].pop(), "'statistics' must be 4 lists"),
    (lambda known: known["statistics"][0].append(1.0), "'statistics' must be lists of 2 finite"),
    (lambda known: known["pulls"].pop(), "'pulls' must be the pending pulls of the arms"),
    (lambda known: known["pulls"][0].pop(), "'pulls' must be lists of number, arm, context"),
    (lambda known: known["pulls"][0].__setitem__(2, [1.0]), "'pulls' must be lists of 2 finite"),
    (lambda known: known["pulls"][0].__setitem__(3, "x"), "'pulls' must be lists of number, arm"),
    (lambda known: known["came"][0].__setitem__(4, None), "'came' must be pulls with a reward"),
    (lambda known: known.__setitem__("came", 3), "'came' must be a list"),
]


@pytest.mark.parametrize(("damage", "sentence"), DAMAGE)
def test_a_damaged_file_gets_its_sentence(damage: Any, sentence: str, tmp_path: Path) -> None:
    live = linear()
    live.pull(context=X)
    live.update("red", 1.0, [1.0, 2.0])
    live.save(tmp_path / "state.json")
    saved = json.loads((tmp_path / "state.json").read_text())
    damage(saved["known"])
    (tmp_path / "state.json").write_text(json.dumps(saved))
    with pytest.raises(StateError) as told:
        Decider.load(tmp_path / "state.json")
    assert sentence in str(told.value)


def test_a_window_that_names_no_arm_is_refused(tmp_path: Path) -> None:
    live = forgetting(Window(2))
    live.update("red", 1.0)
    live.save(tmp_path / "state.json")
    saved = json.loads((tmp_path / "state.json").read_text())
    saved["known"]["memory"][1] = 7.0
    (tmp_path / "state.json").write_text(json.dumps(saved))
    with pytest.raises(StateError, match="'memory' must be what Window remembers"):
        Decider.load(tmp_path / "state.json")


def test_an_infinite_statistic_is_saved(tmp_path: Path) -> None:
    """An arm whose features are all 0 is worth 1e300 pulls: the squares that it shows overflow."""
    live = linear()
    zero = {**X, "red": [0.0, 0.0]}
    with np.errstate(over="ignore"):
        for n in range(3):
            live.pull(context=zero, id=n)
            live.update(id=n, reward=1e9)
        assert np.isinf(live._live.known.squares).any()
        live.save(tmp_path / "state.json")
        twin: Decider[str] = Decider.load(tmp_path / "state.json")
        assert np.array_equal(twin._live.known.squares, live._live.known.squares)
        assert twin.pull(context=zero) == live.pull(context=zero)
