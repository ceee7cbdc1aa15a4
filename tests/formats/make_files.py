"""Make the files of the present version anew: `python tests/formats/make_files.py`.

Until the first release a change of form is followed by this. From then on files of a released
version stay as they are, and another version gets a folder of its own. `expected.json` states what
they hold, and what a decider that goes on from its file chooses next.
"""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from math import isnan
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

import rbmle
from rbmle.atlas.verdicts import AtlasCell, write_atlas
from rbmle.service.archive import archive
from rbmle.service.backup import backup
from rbmle.service.definition import Definition
from rbmle.service.keys import ANYONE
from rbmle.service.ledger import Ledger
from rbmle.service.messages import Decide, NewExperiment, Reward
from rbmle.service.storage import open_storage
from rbmle.service.transaction import Create
from rbmle.service.verify import verify

FOLDER = Path(__file__).parents[1] / "data" / "v1"
STUDY = """name = "two kinds of rewards"
horizon = 200
replications = 8
checkpoints = [100, 200]

[[problem]]
name = "coins"
law = "Bernoulli"
means = [0.4, 0.5, 0.6]

[[policy]]
name = "RBMLE"

[[policy]]
name = "UCB"
alpha = 1.0
"""
PAYS = {"red": 0.0, "green": 1.0, "blue": 1.0}
FEATURES = {"red": [0.2, 1.0], "green": [0.9, 0.1], "blue": [0.5, 0.5]}
NEXT = 12  # decisions of a decider that goes on from its file


def plain_decider() -> rbmle.Decider:
    """Arms that were added, disabled and rest; rewards that have not come."""
    decider = rbmle.Decider(["red", "green"], rbmle.RBMLE(), rbmle.Bernoulli(), seed=1, patience=40)
    decider.add("blue")
    for turn in range(30):
        arm = decider.pull(id=f"visit-{turn}")
        if turn % 3:
            decider.update(id=f"visit-{turn}", reward=PAYS[str(arm)])
    decider.disable("red")
    return decider


def feature_decider() -> rbmle.Decider:
    """Features, of which pending decisions keep theirs."""
    decider = rbmle.Decider(
        list(FEATURES), rbmle.UCB(), rbmle.Gaussian(), seed=2, evidence=rbmle.Linear(2)
    )
    for turn in range(20):
        arm = decider.pull(id=f"visit-{turn}", context=FEATURES)
        if turn % 4:
            decider.update(id=f"visit-{turn}", reward=PAYS[str(arm)] + turn / 100.0)
    return decider


DECIDERS = {
    "decider.json": (plain_decider, {}),
    "decider-features.json": (feature_decider, {"context": FEATURES}),
}


def decided(decider: rbmle.Decider, more: dict[str, Any]) -> dict[str, Any]:
    """What a decider knows, and what it chooses next."""
    means = {arm: None if isnan(mean) else mean for arm, mean in decider.means.items()}
    known = {"counts": decider.counts, "pending": decider.pending, "means": means}
    return {"t": decider.t, **known, "next": [decider.pull(**more) for _ in range(NEXT)]}


def run_folder(folder: Path) -> dict[str, Any]:
    (folder / "study.toml").write_text(STUDY)
    result = rbmle.run(rbmle.Study.from_toml(folder / "study.toml"), folder / "run")
    path = folder / "run" / "provenance.json"
    told = json.loads(path.read_text())
    for entry in told["invocations"]:
        entry |= {"platform": "Linux", "machine": "x86_64", "rbmle": "0.1.0", "id": "0" * 32}
        entry |= dict.fromkeys(("started", "finished"), "2026-01-01T00:00:00+00:00")
        entry |= {"wall_seconds": 0.5, "cpu_seconds": 0.5}
    path.write_text(json.dumps(told, indent=1))
    return {"regret": result.result.regret.tolist(), "digest": result.study.digest}


def service_files(folder: Path) -> dict[str, Any]:
    """A backup, which is a database, and the archive of its experiment."""
    body = {"arms": ["a", "b"], "policy": "ucb", "family": "bernoulli", "seed": 3}
    new = Definition.of(msgspec.convert(body, type=NewExperiment))
    with closing(open_storage(f"sqlite:///{folder}/working.db")) as storage:
        ledger = Ledger(storage, clock=lambda: 1_700_000_000.0)
        requests: list[Any] = [Create("shop", new)]
        for turn in range(20):
            requests.append(Decide(experiment="shop", id=f"visit-{turn}"))
            if turn % 4:
                requests.append(Reward(id=f"visit-{turn}", value=float(turn % 3 > 0)))
        for each in requests:
            ledger.run([(ANYONE, each)])
        backup(storage, f"{folder}/backup.db")
        archive(storage, "shop", f"{folder}/archive.jsonl")
        (found,) = verify(storage)
    for left in folder.glob("working.db*"):
        left.unlink()
    return {"decisions": found.decisions, "rewards": found.rewards}


def atlas(folder: Path) -> dict[str, Any]:
    means = np.array([1.5, 2.5, 4.25])
    cells = [
        AtlasCell("bernoulli", "near 0", 1_000, policy, 3, 16, 2.75 * k, 0.125, 5.0, 7.5, k * means)
        for k, policy in ((1, "RBMLE"), (2, "UCB"))
    ]
    write_atlas(cells, folder / "atlas")
    return {"means": [each.mean for each in cells], "by_problem": (2 * means).tolist()}


def main() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    expected: dict[str, Any] = {"run": run_folder(FOLDER)}
    for name, (make, more) in DECIDERS.items():
        decider = make()
        decider.save(FOLDER / name)
        expected[name] = decided(decider, more)
    expected |= {"service": service_files(FOLDER), "atlas": atlas(FOLDER)}
    (FOLDER / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
