"""Exports of a run: in parts, in linear time, and readable by other programs."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rbmle import RBMLE, UCB, Bernoulli, Problem, Result, Study, StudyResult, run
from rbmle.errors import ParameterError
from rbmle.studies.export import as_csv, export, export_to

COINS = Problem(Bernoulli(), [0.3, 0.6])


@pytest.fixture(scope="module")
def result() -> StudyResult:
    study = Study({'a "b", c': COINS, "d": COINS}, {"U, x": UCB(), "R": RBMLE()}, 100, 5)
    return run(study)


def large(rounds: int, replications: int) -> StudyResult:
    """A result with this many rows, made without playing."""
    shape = (2, replications, rounds)
    made = Result(
        COINS, (UCB(), RBMLE()), (Bernoulli(), Bernoulli()), rounds, np.arange(1, rounds + 1),
        np.full(shape, 1.25), np.ones(shape, np.int64), np.ones((2, replications, 2), np.int64),
    )  # fmt: skip
    study = Study(COINS, [UCB(), RBMLE()], rounds, replications)
    return StudyResult(study, {"problem": made}, {}, {"problem": np.arange(replications)})


def test_csv_holds_every_number(result: StudyResult) -> None:
    rows = list(csv.DictReader(io.StringIO("".join(export(result, "csv")))))
    each = result.results['a "b", c']
    assert len(rows) == 2 * 2 * 5 * each.checkpoints.size
    row = rows[each.checkpoints.size + 3]  # the second replication
    assert (row["problem"], row["policy"], row["replication"]) == ('a "b", c', "U, x", "1")
    assert int(row["round"]) == each.checkpoints[3]
    assert float(row["regret"]) == each.regret[0, 1, 3]
    assert float(row["best_share"]) == each.best_share[0, 1, 3]


def test_csv_comes_in_parts_and_in_linear_time() -> None:
    """880,000 rows once took minutes, because the time grew with the square of their number."""
    parts = as_csv(large(2_000, 220))
    assert next(parts).count("\n") == 1
    assert next(parts).count("\n") == 2_000
    begin = time.process_time()
    assert sum(part.count("\n") for part in as_csv(large(2_000, 220))) == 880_001
    assert time.process_time() - begin < 20.0


def test_latex_has_a_row_for_each_policy(result: StudyResult) -> None:
    text = "".join(export(result, "latex"))
    assert text.count("\\begin{tabular}") == text.count("\\end{tabular}") == 2
    assert text.count("\\textbf{") == 2  # the smallest mean of each
    assert text.count("U, x & ") == 2
    assert text.count("\\pm") == 2 * (1 + 2)
    once = "".join(export(run(Study(COINS, [UCB()], 100, 1)), "latex"))
    assert once.count("\\pm") == 1  # in the head: one replication has no spread


def test_latex_has_commands_for_what_it_does_not_print() -> None:
    labels = ("\u03b1 = 2 log t, \u03c3", "\u0394_min & 5 %", "\u039f\u03bf")
    text = "".join(export(run(Study(COINS, dict.fromkeys(labels, UCB()), 100, 2)), "latex"))
    for row in (r"$\alpha$ = 2 log t, $\sigma$ & ", r"$\Delta$\_min \& 5 \% & ", "Oo & "):
        assert f"\n{row}" in text


def test_a_reader_may_close_the_pipe(tmp_path: Path) -> None:
    """As `| head` does: the command ends quietly."""
    run(Study(COINS, [UCB(), RBMLE()], 1_000, 40), tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-m", "rbmle", "export", str(tmp_path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith("problem,policy")
    process.stdout.close()
    said = process.stderr.read()
    assert (process.wait(), said) == (0, "")
    process.stderr.close()


def test_a_file_is_written_whole(result: StudyResult, tmp_path: Path) -> None:
    export_to(result, "csv", tmp_path / "run.csv")
    assert (tmp_path / "run.csv").read_text() == "".join(export(result, "csv"))
    with pytest.raises(ParameterError, match="export: 'format' must be one of 'csv'"):
        export(result, "xml")
