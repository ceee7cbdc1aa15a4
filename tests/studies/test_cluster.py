"""A study on a Dask cluster of real processes: kills change nothing, and mistakes are sentences.

All of it is slow, half a minute: workers take seconds to start.
"""

from __future__ import annotations

import dataclasses
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster_cases import ENVIRONMENT, DaskCluster, rbmle_run, shards, wait_until
from run_cases import COINS, files

from rbmle.policies import UCB, ThompsonSampling
from rbmle.studies.runner import load, run
from rbmle.studies.study import Study

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL"),
]

STUDY = Study({"coins": COINS}, {"U": UCB(), "T": ThompsonSampling()}, 20_000, 1_200, seed=5)
ALL = 2 * 1_200
LONG = dataclasses.replace(STUDY, horizon=4_000_000_000, replications=8)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    started = DaskCluster(tmp_path_factory.mktemp("cluster"))
    yield started
    started.close()


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("serial") / "run"
    run(STUDY, folder)
    return folder


def begin(study: Study, cluster: DaskCluster, folder: Path) -> subprocess.Popen[str]:
    folder.mkdir(exist_ok=True)
    (folder / "study.toml").write_text(study.to_toml())
    return rbmle_run("study.toml", "--cluster", cluster.address, cwd=folder)


def played(folder: Path) -> list[int]:
    return [each["played"] for each in load(folder).provenance["invocations"]]


def test_a_killed_worker_changes_nothing(
    cluster: DaskCluster, serial: Path, tmp_path: Path
) -> None:
    head = begin(STUDY, cluster, tmp_path)
    folder = tmp_path / "study-run"
    wait_until(lambda: len(shards(folder)) >= 2)
    cluster.kill_a_worker()
    left = len(files(serial)) - len(files(folder))
    said = head.communicate(timeout=120)
    assert head.returncode == 0, said
    assert left > 1  # it was killed in the middle
    assert files(folder) == files(serial)
    assert played(folder) == [ALL]  # nothing is lost, nothing is counted twice


def test_a_killed_head_goes_on_from_its_folder(
    cluster: DaskCluster, serial: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "study-run"
    head = begin(STUDY, cluster, tmp_path)
    wait_until(lambda: len(shards(folder)) >= 2)
    head.kill()
    head.communicate()
    kept = shards(folder)
    assert not load(folder).complete
    again = begin(STUDY, cluster, tmp_path)
    said = again.communicate(timeout=120)
    assert again.returncode == 0, said
    assert files(folder) == files(serial)
    assert kept.items() <= shards(folder).items()  # none was made again


def test_ctrl_c_ends_the_head_and_frees_the_workers(
    cluster: DaskCluster, serial: Path, tmp_path: Path
) -> None:
    """Also in replications that would take minutes, which Dask itself cannot interrupt."""
    head = begin(LONG, cluster, tmp_path)
    with cluster.client() as client:
        wait_until(lambda: sum(map(len, client.processing().values())) >= 2)
        time.sleep(1.0)
        now = time.monotonic()
        head.send_signal(signal.SIGINT)
        said = head.communicate(timeout=60)[1]
        assert time.monotonic() - now < 2.0
        assert (head.returncode, said.splitlines()[-1]) == (
            130,
            "rbmle: interrupted; what was finished is kept, and the same command continues",
        )
        wait_until(lambda: not any(client.processing().values()), 10.0)
        for answer in [client.submit(pow, 2, n, pure=False) for n in range(4)]:
            assert answer.result(timeout=60) >= 1  # a replication takes minutes


def test_a_worker_with_other_versions_is_refused(cluster: DaskCluster, tmp_path: Path) -> None:
    stranger = cluster.start_worker("import numba, numpy; numpy.__version__ = '9.9'; ")
    with cluster.client() as client:
        client.wait_for_workers(3, timeout=60)
        head = begin(STUDY, cluster, tmp_path)
        _, said = head.communicate(timeout=60)
        stranger.terminate()
        stranger.wait()
    assert head.returncode == 2
    assert said.splitlines()[-1].startswith("rbmle: run: workers must have numpy ")
    assert "Got 9.9 on worker tcp://" in said.splitlines()[-1]
    assert not (tmp_path / "study-run").exists()


def test_where_no_scheduler_answers_there_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY.to_toml())
    other = socket.create_server(("127.0.0.1", 0))  # it listens, and says nothing
    port = other.getsockname()[1]
    wrong = ("tcp://127.0.0.1:9", "nonsense://x", "tcp://no.such.host.invalid:1")
    for address in (*wrong, f"tcp://127.0.0.1:{port}", f"tls://127.0.0.1:{port}"):
        now = time.monotonic()
        head = rbmle_run("study.toml", "--cluster", address, cwd=tmp_path)
        out, said = head.communicate(timeout=60)
        assert (head.returncode, out) == (2, "")
        assert time.monotonic() - now < 15.0
        [line] = said.splitlines()
        assert line.startswith("rbmle: run: 'cluster' must be the address of a Dask scheduler")
        assert repr(address) in line
        assert not (tmp_path / "study-run").exists()
    other.close()


HELPERS = "def half(x):\n    return 0.5 * x\n"
SCRIPT = '''
import os, sys
from math import sqrt
from typing import Annotated, NamedTuple

import rbmle
from distributed import Client
from helpers import half
from numba import njit

half = njit(half)

@rbmle.record
class Spread(NamedTuple):
    """What the policy uses; a record that is in no table."""
    c: Annotated[float, "(0, inf)"]

    def width(self, level, pulls):
        return sqrt(self.c * level / pulls)

@rbmle.policy
class Mine(NamedTuple):
    """A policy of this script."""
    c: Annotated[float, "(0, inf)"] = 2.0

    def index_of(self, family, arms, i, level):
        return arms.mean(i) + Spread(half(self.c)).width(level, arms.pulls[i])

    def __reduce__(self):
        return received, (self.c,)

def received(c):
    if c == 13.0 and os.getpid() != HEAD:
        os._exit(1)
    return Mine(c)

HEAD = os.getpid()
problem = rbmle.Problem("bernoulli", [0.3, 0.5])
good = rbmle.Study(problem, {"mine": Mine(), "ucb": rbmle.UCB()}, 1_000, 300)
bad = rbmle.Study(problem, {"bad": Mine(13.0), "ucb": rbmle.UCB()}, 1_000, 300)

if __name__ == "__main__":
    with Client(sys.argv[1], set_as_default=False) as client:
        rbmle.run(good, "there", executor=client.get_executor())
        rbmle.run(good, "here")
        try:
            rbmle.run(bad, "bad", executor=client.get_executor())
        except rbmle.RbmleError as problem:
            print(problem)
'''


def test_a_policy_of_a_script_runs_on_the_workers_and_a_deadly_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "helpers.py").write_text(HELPERS)
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
    own = DaskCluster(tmp_path, workers=1)
    try:
        done = subprocess.run(
            [sys.executable, "script.py", own.address],
            cwd=tmp_path, env=ENVIRONMENT, text=True, capture_output=True, timeout=120,
        )  # fmt: skip
    finally:
        own.close()
    assert done.returncode == 0, done.stderr
    assert files(tmp_path / "there") == files(tmp_path / "here")
    assert done.stdout == (
        "run: bad on problem, replications 0 to 199, killed every worker that played it; "
        "what was finished is kept, and the same run goes on from there.\n"
    )


MODULE = """
from typing import NamedTuple
import rbmle

@rbmle.policy
class Greedy(NamedTuple):
    def index_of(self, family, arms, i, level):
        return arms.mean(i)
"""


def test_local_starts_a_cluster_and_a_module_goes_along(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MODULE)
    text = dataclasses.replace(STUDY, policies={"U": UCB()}, horizon=1000, replications=100)
    stated = f'import = ["mine"]\n{text.to_toml()}\n[[policy]]\nname = "Greedy"\n'
    (tmp_path / "study.toml").write_text(stated)
    folders = []
    for option in ([], ["--cluster", "local"]):
        folder = tmp_path / f"run{len(option)}"
        head = rbmle_run("study.toml", "--folder", folder, *option, cwd=tmp_path)
        out, said = head.communicate(timeout=120)
        assert head.returncode == 0, said
        assert "Greedy" in out
        folders.append(files(folder))
    assert folders[0] == folders[1]
