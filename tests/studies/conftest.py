"""Runs in small chunks, and the folder of a finished one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from run_cases import CHUNK, HORIZON, STUDY

from rbmle.studies import schedule
from rbmle.studies.runner import run


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make chunks so small that a run of STUDY has several for each policy."""
    monkeypatch.setattr(schedule, "DECISIONS_A_CHUNK", CHUNK * HORIZON)


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an uninterrupted run of STUDY."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schedule, "DECISIONS_A_CHUNK", CHUNK * HORIZON)
        run(STUDY, folder)
    return folder


@pytest.fixture
def copied(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "copied"))
