"""`evaluate` reads the candidates of logged rows: probabilities are those among them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evidence_cases import interpret

from rbmle import Decider, ParameterError, evaluate

MEANS = {"a": 0.2, "b": 0.5, "c": 0.9}
TARGET = {"a": 0.1, "b": 0.2, "c": 0.7}
SETS = [("a", "b", "c"), ("a", "b"), ("b", "c")]


def log(n: int, seed: int = 1) -> dict[str, Any]:
    """Arms are drawn from the candidates of each row, the first of them with probability 1/2."""
    draw = np.random.default_rng(seed)
    columns: dict[str, Any] = {"arm": [], "reward": [], "probability": [], "among": []}
    for _ in range(n):
        among = SETS[draw.integers(3)]
        p = [0.5, *[0.5 / (len(among) - 1)] * (len(among) - 1)]
        place = int(draw.choice(len(among), p=p))
        columns["arm"].append(among[place])
        columns["reward"].append(float(draw.random() < MEANS[among[place]]))
        columns["probability"].append(p[place])
        columns["among"].append(list(among) if len(among) < 3 else None)
    return columns


def truth() -> float:
    worth = []
    for among in SETS:
        p = np.array([TARGET[arm] for arm in among])
        worth.append(p / p.sum() @ [MEANS[arm] for arm in among])
    return float(np.mean(worth))


def test_estimates_hold_the_truth_only_with_the_candidates() -> None:
    rows = log(6_000)
    found = evaluate(rows, TARGET, level=0.9999)
    for name in ("IPS", "SNIPS", "DR"):
        assert found[name].low < truth() < found[name].high, name
    blind = evaluate(
        {key: each for key, each in rows.items() if key != "among"}, TARGET, level=0.9999
    )
    assert blind["DR"].high < truth() or blind["DR"].low > truth()


def test_a_decider_is_asked_for_its_probabilities_among_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    interpret(monkeypatch)
    decider = Decider(list(MEANS), "ucb", "bernoulli")
    decider.update(["a", "b", "c"] * 50, [0.2, 0.5, 0.9] * 50)
    best = np.mean([max(MEANS[arm] for arm in among) for among in SETS])
    found = evaluate(log(6_000), decider, level=0.9999)
    assert found["IPS"].low < best < found["IPS"].high
    learns = evaluate(log(6_000), "ucb", arms=["a", "b", "c"], family="bernoulli")
    assert learns["replay"].value == pytest.approx(best, abs=0.05)


def test_an_export_tells_them(tmp_path: Path) -> None:
    """Places in /events; what is evaluated is the same as from columns."""
    rows, path, names = log(300), tmp_path / "events.jsonl", list(MEANS)
    definition = json.dumps({"arms": names})
    lines: list[Any] = [{"seq": 1, "kind": "created", "text": definition}]
    for k, (arm, reward, p, among) in enumerate(zip(*rows.values(), strict=True)):
        listed = {} if among is None else {"among": [names.index(each) for each in among]}
        made = {"seq": 2 * k + 2, "kind": "decision", "arm": names.index(arm), "probability": p}
        lines += [
            made | listed,
            {"seq": 2 * k + 3, "kind": "reward", "of": 2 * k + 2, "value": reward},
        ]
    path.write_text("\n".join(map(json.dumps, lines)))
    assert evaluate(path, TARGET).estimates == evaluate(rows, TARGET).estimates


@pytest.mark.parametrize("among", [[["b"], None], [["a"], "a"], [[], None]])
def test_candidates_without_the_arm_are_refused(among: Any) -> None:
    rows = {"arm": ["a", "a"], "reward": [1, 0], "probability": [0.5, 0.5], "among": among}
    with pytest.raises(ParameterError, match="'among' must be a list of arms with 'a', the row's"):
        evaluate(rows, {"a": 1.0, "b": 0.0})
    good = rows | {"among": [["a", "b"], float("nan")]}
    assert evaluate(good, {"a": 1.0, "b": 0.0})["IPS"].value == 1.0
    with pytest.raises(ParameterError, match="positive probability of some candidate of each row"):
        evaluate(good, {"a": 0.0, "b": 0.0, "c": 1.0})
