"""Studies on Slurm: what an address asks of it, and a run on jobs that a stand-in for it starts.

`sbatch` here is a script that keeps what was submitted and runs it in the background, as Slurm does
on a node; dask-jobqueue, its jobs, their workers and the run are the real ones.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cluster_cases import ENVIRONMENT, rbmle_run, wait_until
from run_cases import STUDY, files

from rbmle.errors import ParameterError, RunError
from rbmle.studies.runner import run
from rbmle.studies.slurm import slurm_cluster, slurm_jobs

SBATCH = """#!/bin/sh
cp "$1" "$SUBMITTED/job-$$"
setsid sh "$SUBMITTED/job-$$" > "$SUBMITTED/out-$$" 2>&1 &
echo "Submitted batch job $!"
"""
SCANCEL = """#!/bin/sh
echo "$@" >> "$SUBMITTED/cancelled"
kill -- "-$1" 2> /dev/null || true
"""


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("slurm://", "run: 'cluster' must be slurm://PARTITION"),
        ("slurm:long", "run: 'cluster' must be slurm://PARTITION"),
        ("slurm://long?memory=", "run: 'cluster' must be slurm://PARTITION"),
        ("slurm://long?nodes=4", "run: 'cluster' must be one of 'cores', 'jobs'"),
        ("slurm://long?cores=0", "run: 'cores' must be a whole number in [1, inf). Got 0."),
        ("slurm://long?jobs=many", "run: 'jobs' must be a whole number in [1, inf). Got 'many'."),
    ],
)
def test_a_wrong_address_is_a_sentence(address: str, said: str) -> None:
    with pytest.raises(ParameterError) as problem:
        slurm_jobs(address)
    assert str(problem.value).startswith(said)


def test_without_slurm_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RunError, match=r"^run: 'cluster' must be that of a machine which has Sl"):
        slurm_cluster("slurm://long")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Slurm is not for Windows")
def test_jobs_play_a_study_and_are_cancelled_at_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, script in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setitem(ENVIRONMENT, "PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setitem(ENVIRONMENT, "SUBMITTED", str(tmp_path))
    monkeypatch.delitem(ENVIRONMENT, "PYTHONWARNINGS")  # Dask's workers close sockets late
    (tmp_path / "study.toml").write_text(STUDY.to_toml())
    address = "slurm://long?cores=2&jobs=2&walltime=00:10:00&account=bandits&interface=lo"
    head = rbmle_run("study.toml", "--cluster", address, cwd=tmp_path)
    told = head.communicate(timeout=120)
    assert head.returncode == 0, told
    jobs = [each.read_text() for each in tmp_path.glob("job-*")]
    assert len(jobs) == 2
    for line in ("-p long", "-A bandits", "--cpus-per-task=2", "--mem=4G", "-t 00:10:00"):
        assert all(f"#SBATCH {line}\n" in each for each in jobs), jobs[0]
    cancelled = (tmp_path / "cancelled").read_text().split()
    assert len(cancelled) == 2
    run(STUDY, tmp_path / "here")
    assert files(tmp_path / "study-run") == files(tmp_path / "here")
    groups = ["pgrep", "-g", ",".join(cancelled)]
    wait_until(lambda: subprocess.run(groups, capture_output=True, check=False).returncode == 1, 30)
