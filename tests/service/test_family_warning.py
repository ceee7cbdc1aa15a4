"""The service says, in its log and in an experiment's view, if rewards contradict the family; and
its horizon counts decisions."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from service_cases import definition

from rbmle.service.experiment import Experiment
from rbmle.service.rows import Open
from rbmle.service.shown import Details
from rbmle.service.storage import open_storage
from rbmle.service.views import _details

Told = Callable[[Experiment], Details]


@pytest.fixture
def details(tmp_path: Path) -> Iterator[Told]:
    """What the service tells of an experiment whose rows are in no database."""
    with closing(open_storage(f"sqlite:///{tmp_path}/empty.db")) as storage:
        yield lambda known: _details(known, storage)


def paid(known: Experiment, rounds: int, sd: float = 60.0) -> None:
    rng = np.random.default_rng(1)
    for k in range(rounds):
        row = known.decide(None, float(k))
        known.reward(row.seq, known.open[row.seq], float(rng.normal(100.0, sd)), float(k))


def test_it_is_in_the_log_once_and_in_the_view(
    details: Told, caplog: pytest.LogCaptureFixture
) -> None:
    known = Experiment(1, "x", definition(family="gaussian"))
    with caplog.at_level(logging.WARNING, "rbmle.service"):
        paid(known, 19)
        assert (details(known).warning, caplog.messages) == (None, [])
        paid(known, 100)
        [line] = caplog.messages
        again = Experiment(1, "x", definition(family="gaussian"))
        again.restore(known.snapshot())
    assert line.startswith("x: Gaussian(sigma=1) assumes a standard deviation of 1, the rewards so")
    told = details(known).warning
    assert told is not None
    assert told == details(again).warning
    right: Any = Experiment(1, "x", definition(family="gaussian(sigma=60)"))
    paid(right, 100)
    assert details(right).warning is None


def test_the_horizon_counts_decisions(details: Told) -> None:
    """A reward is that of a decision, however late: none counts as a pull made elsewhere."""
    known = Experiment(1, "x", definition(policy="moss", horizon=40, patience=3))
    rows = [known.decide(None, 0.0) for _ in range(20)]
    for row in rows:  # most have been given up
        known.reward(row.seq, Open.of(row), 1.0, 1.0)
    assert [arm.elsewhere for arm in known.arms] == [0, 0, 0]
    assert (details(known).t, details(known).horizon) == (21, 40)
