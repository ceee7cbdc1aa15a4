"""More replications extend a run, and stored replications are kept."""

from __future__ import annotations

import dataclasses
import shutil
import warnings
from pathlib import Path

import pytest
from run_cases import ONE, same

from rbmle.engine.plan import Task
from rbmle.errors import RunWarning
from rbmle.studies import store as shards
from rbmle.studies.runner import load, run
from rbmle.studies.store import Store

pytestmark = pytest.mark.usefixtures("small_chunks")


@pytest.mark.parametrize("replications", [45, 50, 60, 61, 100])
def test_more_replications_extend_a_run(replications: int, tmp_path: Path) -> None:
    run(dataclasses.replace(ONE, replications=45), tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("shards/*")}
    more = dataclasses.replace(ONE, replications=replications)
    longer = run(more, tmp_path)
    after = {path: path.stat().st_mtime_ns for path in tmp_path.glob("shards/*")}
    assert before.items() <= after.items()
    assert same(longer.result, run(more).result)
    assert load(tmp_path).study.replications == replications
    places = [shards.task_of(path.name) for path in after]
    assert sum(task.last - task.first for task in places if task) == replications
    shorter = run(dataclasses.replace(ONE, replications=30), tmp_path)  # takes nothing away
    assert same(shorter.result, run(dataclasses.replace(ONE, replications=30)).result)
    assert load(tmp_path).study.replications == replications


def test_a_torn_last_chunk_does_not_outlive_an_extension(tmp_path: Path) -> None:
    run(ONE, tmp_path)
    torn = tmp_path / "shards" / shards.file_name(Task(0, 0, 40, 50))
    torn.write_bytes(torn.read_bytes()[:-5])
    more = dataclasses.replace(ONE, replications=70)
    with pytest.warns(RunWarning):
        run(more, tmp_path)
    assert not torn.exists()
    assert same(load(tmp_path).result, run(more).result)


def test_a_run_that_has_only_begun_can_be_loaded(tmp_path: Path) -> None:
    Store.open(tmp_path, ONE)
    begun = load(tmp_path)
    assert begun.missing == ("coins, U: 50 of 50 replications",)
    assert "Still to play:\ncoins, U: 50 of 50" in begun.summary()
    shutil.rmtree(tmp_path / "shards")
    assert load(tmp_path).results == {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run(ONE, tmp_path).complete
