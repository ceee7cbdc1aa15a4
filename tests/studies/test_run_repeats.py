"""A run has the numbers of `simulate`, however it is divided; a finished run is only read."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_cases import HORIZON, ONE, STUDY, files, same

from rbmle.engine import simulate
from rbmle.engine.plan import Task
from rbmle.errors import RunError
from rbmle.policies import UCB, ThompsonSampling
from rbmle.studies import store as shards
from rbmle.studies.runner import load, run

pytestmark = pytest.mark.usefixtures("small_chunks")


def test_a_run_is_what_simulate_gives(finished: Path) -> None:
    kept, fresh = load(finished), run(STUDY, threads=1)
    assert kept.complete
    assert fresh.complete
    for name, problem in STUDY.problems.items():
        plain = simulate(
            problem,
            list(STUDY.policies.values()),
            HORIZON,
            STUDY.replications,
            STUDY.plan.rewards,
            checkpoints=STUDY.checkpoints,
        )
        plain = dataclasses.replace(plain, labels=tuple(STUDY.policies))
        assert same(kept.results[name], fresh.results[name])
        assert same(kept.results[name], plain)
        assert kept.replications[name].tolist() == list(range(150))
    assert kept.study == STUDY


def test_threads_do_not_matter(finished: Path, tmp_path: Path) -> None:
    run(STUDY, tmp_path, threads=3)
    assert files(tmp_path) == files(finished)


def test_a_finished_run_is_only_read(copied: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in copied.rglob("*")}
    told: list[Any] = []
    run(STUDY, copied, progress=lambda *given: told.append(given))
    assert before == {path: path.stat().st_mtime_ns for path in copied.rglob("*")}
    assert told == [(p, q, 150, 150) for p in STUDY.problems for q in STUDY.policies]


def test_progress_counts_replications(tmp_path: Path) -> None:
    told: list[Any] = []
    run(ONE, tmp_path, threads=1, progress=lambda *given: told.append(given))
    assert told == [("coins", "U", done, 50) for done in (20, 40, 50)]


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["first", "random"])
def test_the_published_protocol_is_kept_whole(ties: str, tmp_path: Path) -> None:
    study = dataclasses.replace(
        STUDY, policies=[UCB(), ThompsonSampling()], rewards="published", seed=46, ties=ties
    )
    partial = run(dataclasses.replace(study, policies=[UCB()]), tmp_path / "one")
    first = run(study, tmp_path / "all")
    assert len(list(tmp_path.glob("all/shards/*.shard"))) == 4
    assert np.array_equal(partial.results["coins"].regret[0], first.results["coins"].regret[0])
    before = files(tmp_path / "all")
    for number in (0, 1):
        (tmp_path / "all" / "shards" / shards.file_name(Task(1, number, 0, 150))).unlink()
        assert list(load(tmp_path / "all").results) == ["coins"]
        run(study, tmp_path / "all")
        assert files(tmp_path / "all") == before
    with pytest.raises(RunError, match="another study"):
        run(dataclasses.replace(study, replications=151), tmp_path / "all")
