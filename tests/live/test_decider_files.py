"""A damaged state file is refused in one sentence, whatever the damage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from decider_cases import red_and_blue

from rbmle.errors import StateError
from rbmle.live.decider import Decider


def change(**changes: Any) -> Any:
    return lambda state: {**state, **changes}


def change_arm(**changes: Any) -> Any:
    return lambda state: {**state, "arms": [{**state["arms"][0], **changes}, state["arms"][1]]}


def without(key: str) -> Any:
    return lambda state: {name: value for name, value in state.items() if name != key}


CORRUPT = [
    (lambda _: [], "its 'format' is not 'rbmle-decider'"),
    (change(format="other"), "its 'format' is not 'rbmle-decider'"),
    (change(version=2), "its version 2 is newer than 1, the newest known here"),
    (change(version="1"), "'version' must be a whole number"),
    (change(policy="UBC"), "Got 'UBC'. Did you mean 'UCB'?"),
    (change(policy={"name": "UCB", "alhpa": 1}), "Got (alhpa=1). Did you mean 'alpha'?"),
    (change(policy={"name": "UCB", "alpha": -1}), "UCB: 'alpha' must be a number in (0, inf)"),
    (change(policy={"name": "UCB", "alpha": 10**400}), "cannot be loaded"),
    (change(policy="MOSS"), "'horizon' must be given for MOSS"),
    (change(policy="KGMin", family="Gaussian"), "KGMin: 'family' must be Bernoulli"),
    (change(policy=None), "'name' must be a name, or an object with a 'name'"),
    (change(family="UCB"), "Got 'UCB'"),
    (change(seed="0"), "'seed' must be a whole number"),
    (change(ties=None), "'ties' must be one of 'random', 'first'"),
    (change(withdrawn=-1), "'withdrawn' must be a whole number"),
    (change(memory=[0.0]), "'memory' must be a list of 0 finite numbers"),
    (change(memory=None), "'memory' must be a list of 0 finite numbers"),
    (change(arms=[]), "'arms' must be a list of arms, not []"),
    (change(arms=["red"]), "'arms' must be a list of objects, not 'red'"),
    (change_arm(name="blue"), "'arms' must be arms with distinct names, not 'blue'"),
    (change_arm(name=None), "arm 0: 'name' must be a string or a whole number, not None"),
    (change_arm(pulls=-1), "arm 0: 'pulls' must be a whole number in [0, 2^53), not -1"),
    (change_arm(pulls=1.0), "'pulls' must be a whole number"),
    (change_arm(pulls=True), "'pulls' must be a whole number"),
    (change_arm(pulls=0), "'sum' must be that of 0 rewards in [0, 1], not 1.0"),
    (change_arm(sum=5), "'sum' must be that of 2 rewards in [0, 1], not 5.0"),
    (change_arm(sum=10**400), "'sum' must be a finite number"),
    (change_arm(sum="1"), "'sum' must be a finite number"),
    (change_arm(squares=-1), "'squares' must be that of 2 squares"),
    (change_arm(pending=None), "'pending' must be a list of numbers of pulls"),
    (change_arm(pending=[99]), "'pending' must be distinct numbers of pulls"),
    (change_arm(lost=-1), "'lost' must be a whole number"),
    (change(decisions=[["x", "no arm", 1, 0.5, None]]), "'decisions' must be a list of id"),
    (change(decisions=3), "'decisions' must be a list"),
    (change_arm(pulls=2**52, lost=2**52), "it has too many pulls"),
    (change_arm(enabled=1), "'enabled' must be true or false, not 1"),
    *[
        (without(key), f"{key!r} is missing")
        for key in (
            "version", "policy", "family", "evidence", "seed", "replication", "horizon", "ties",
            "patience", "withdrawn", "memory", "arms", "decisions",
        )
    ],
]  # fmt: skip


@pytest.mark.parametrize(("damage", "sentence"), CORRUPT)
def test_corrupt_files_are_refused(damage: Any, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    live = red_and_blue()
    live.update(["red", "red", "blue"], [1.0, 0.0, 1.0])
    live.save(path)
    path.write_text(json.dumps(damage(json.loads(path.read_text()))))
    with pytest.raises(StateError) as caught:
        Decider.load(path)
    message = str(caught.value)
    assert sentence in message
    assert message.startswith(f"Decider: {str(path)!r} cannot be loaded:")
    assert "\n" not in message
    assert isinstance(caught.value, ValueError)


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s"
    red_and_blue().save(path)
    content = path.read_bytes().rstrip()
    for size in range(0, len(content), 7):
        path.write_bytes(content[:size])
        with pytest.raises(StateError, match="it is not JSON"):
            Decider.load(path)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"NaN", b'{"a": Infinity}', b"[" * 100_000])
def test_noise_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(content)
    with pytest.raises(StateError, match=r"it is not (JSON|in UTF-8)"):
        Decider.load(tmp_path / "s")


def test_no_file_is_a_file_not_found_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Decider.load(tmp_path / "none")
