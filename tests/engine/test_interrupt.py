"""Ctrl-C stops a simulation or a run within two seconds, also in the middle of a long kernel."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rbmle.studies.runner import load

PLAIN = """
import rbmle
problem = rbmle.Problem(rbmle.Bernoulli(), [0.5, 0.6])
rbmle.simulate(problem, [rbmle.UCB()], 1_000, 2)
print("ready", flush=True)
rbmle.simulate(problem, [rbmle.UCB()], 3_000_000_000, 2, checkpoints=[1])
"""


STUDY = """
horizon = 2_000_000_000
replications = 4
checkpoints = [1]
[[problem]]
law = "Bernoulli"
means = [0.5, 0.6]
[[policy]]
name = "UCB"
"""

RUN = """
import os
import sys
from rbmle.cli.main import run
from rbmle.studies import work_items

real = work_items.play_plan

def told(*given):
    os.write(1, b"ready\\n")  # at once: print would let other threads between text and line end
    return real(*given)

work_items.play_plan = told
sys.exit(run(["run", "long.toml"]))
"""

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no SIGINT to send to a child"
)


def interrupted(script: str, folder: Path) -> tuple[int, str]:
    """The exit code and the error output of a script that gets SIGINT while it plays."""
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.7)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert time.monotonic() - begin < 2.0
        return process.returncode, said
    finally:  # a failure here must not become one of a later test, by a warning
        process.kill()
        process.communicate()


def test_simulate_stops_in_the_middle_of_a_replication(tmp_path: Path) -> None:
    _, said = interrupted(PLAIN, tmp_path)
    assert said.rstrip().endswith("KeyboardInterrupt")


@pytest.mark.slow
def test_a_run_stops_in_the_middle_of_a_replication(tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text(STUDY)
    code, said = interrupted(RUN, tmp_path)
    assert code == 130
    kept = "rbmle: interrupted; what was finished is kept, and the same command continues"
    assert said.splitlines()[-1] == kept
    assert "Traceback" not in said
    folder = tmp_path / "long-run"
    assert not list(folder.glob("shards/*"))
    assert not list(folder.rglob(".*"))
    assert load(folder).missing == ("problem 1, UCB: 4 of 4 replications",)
