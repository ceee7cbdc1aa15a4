"""The Open Bandit sample, which is in the package `obp`, and that package's own estimators.

Only files of it are read, not imported: the package needs versions of other packages that are no
longer made. Of its estimators' source the classes themselves are executed, as they are.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rbmle import evaluate

pytestmark = pytest.mark.peers
N_ARMS, POSITIONS, DRAWS = 80, 3, 100_000


def folder() -> Path:
    found = find_spec("obp")
    assert found is not None
    assert found.submodule_search_locations
    return Path(found.submodule_search_locations[0])


def theirs() -> dict[str, Any]:
    """The classes of `obp/ope/estimators.py`, without its imports of other packages."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # backslashes in its texts
        tree = ast.parse((folder() / "ope" / "estimators.py").read_text())
    kept = [
        each
        for each in tree.body
        if isinstance(each, ast.ClassDef)
        or (isinstance(each, ast.Import) and each.names[0].name == "numpy")
        or (isinstance(each, ast.ImportFrom) and each.module in ("abc", "dataclasses", "typing"))
    ]
    space: dict[str, Any] = {"__name__": __name__, "dataclass": dataclass}
    exec(compile(ast.Module(kept, []), "estimators.py", "exec"), space)
    return space


def prior() -> tuple[Any, Any]:
    """The prior of Thompson sampling in the campaign "all"."""
    lines = (folder() / "policy" / "conf" / "prior_bts.yaml").read_text().splitlines()
    found: dict[str, list[float]] = {}
    campaign = key = ""
    for line in lines:
        word = line.strip()
        if word.endswith(":") and not line.startswith(" "):
            campaign = word[:-1]
        elif word.endswith(":"):
            key = f"{campaign} {word[:-1]}"
        elif word.startswith("- "):
            found.setdefault(key, []).append(float(word[2:]))
    return np.array(found["all alpha"]), np.array(found["all beta"])


@pytest.fixture(scope="module")
def sample() -> tuple[pd.DataFrame, Any]:
    """The random log, and Thompson sampling's probability of each arm at each row's position."""
    path = folder() / "dataset" / "obd" / "random" / "all" / "all.csv"
    data = pd.read_csv(path, index_col=0).sort_values("timestamp")
    log = pd.DataFrame(
        {"arm": data["item_id"], "reward": data["click"], "probability": data["propensity_score"]}
    )
    draws = np.random.RandomState(12345).beta(*prior(), (DRAWS, N_ARMS))
    first = draws.argsort(axis=1)[:, ::-1][:, :POSITIONS]
    shares = np.stack([np.bincount(first[:, p], minlength=N_ARMS) for p in range(POSITIONS)])
    return log, (shares / DRAWS)[data["position"].to_numpy() - 1]


def test_thompson_sampling_on_the_random_log(sample: tuple[pd.DataFrame, Any]) -> None:
    log, chances = sample
    found = evaluate(log, chances, arms=range(N_ARMS))
    assert found.rows == 10_000
    assert found["IPS"].value / log["reward"].mean() == pytest.approx(1.198126, abs=1e-6)
    assert found.effective_rows < 2_000


def test_the_numbers_of_their_estimators(sample: tuple[pd.DataFrame, Any]) -> None:
    log, chances = sample
    rng = np.random.default_rng(1)
    model = rng.uniform(0.0, 0.01, chances.shape)
    found = evaluate(log, chances, arms=range(N_ARMS), model=model)
    given = {
        "reward": log["reward"].to_numpy(),
        "action": log["arm"].to_numpy(),
        "pscore": log["probability"].to_numpy(),
        "action_dist": chances[:, :, None],
        "position": np.zeros(len(log), int),
        "estimated_rewards_by_reg_model": model[:, :, None],
    }
    kinds = {
        "IPS": "InverseProbabilityWeighting",
        "SNIPS": "SelfNormalizedInverseProbabilityWeighting",
        "DR": "DoublyRobust",
    }
    classes = theirs()
    for ours, name in kinds.items():
        estimator = object.__new__(classes[name])
        estimator.lambda_ = np.inf
        value = estimator._estimate_round_rewards(**given).mean()
        assert found[ours].value == pytest.approx(value, abs=1e-9)
