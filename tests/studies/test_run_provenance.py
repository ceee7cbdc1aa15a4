"""A run says who played what, and with which versions."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from run_cases import ONE

from rbmle.errors import RunWarning
from rbmle.studies.runner import load, run

pytestmark = pytest.mark.usefixtures("small_chunks")


def test_provenance_says_who_played_what(tmp_path: Path) -> None:
    run(ONE, tmp_path, threads=1)
    run(dataclasses.replace(ONE, replications=70), tmp_path)
    first, second = load(tmp_path).provenance["invocations"]
    assert (first["played"], second["played"], first["threads"]) == (50, 20, 1)
    for entry in (first, second, *run(ONE).provenance["invocations"]):
        assert entry["started"] <= entry["finished"]
        assert entry["wall_seconds"] >= 0.0
        assert entry["cpu_seconds"] >= 0.0
        assert entry["numpy"] == np.__version__
        assert {"rbmle", "numba", "python", "platform", "cpus"} <= set(entry)
    (tmp_path / "provenance.json").write_text("{}")
    with pytest.warns(RunWarning, match="begun anew"):
        assert load(tmp_path).provenance == {"invocations": []}


def test_another_version_is_named(tmp_path: Path) -> None:
    run(ONE, tmp_path)
    path = tmp_path / "provenance.json"
    data = json.loads(path.read_text())
    data["invocations"][0]["rbmle"] = "0.0.7"
    path.write_text(json.dumps(data))
    with pytest.warns(RunWarning, match=r"was played in part by rbmle 0\.0\.7, not "):
        run(dataclasses.replace(ONE, replications=70), tmp_path)
