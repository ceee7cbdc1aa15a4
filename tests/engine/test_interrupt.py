"""Ctrl-C stops a simulation within two seconds, also in the middle of a long kernel."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

PLAIN = """
import rbmle
problem = rbmle.Problem(rbmle.Bernoulli(), [0.5, 0.6])
rbmle.simulate(problem, [rbmle.UCB()], 1_000, 2)
print("ready", flush=True)
rbmle.simulate(problem, [rbmle.UCB()], 3_000_000_000, 2, checkpoints=[1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send to a child")
def test_simulate_stops_in_the_middle_of_a_replication() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", f"import signal; signal.signal(signal.SIGINT, "
         f"signal.default_int_handler)\n{PLAIN}"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.7)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert time.monotonic() - begin < 2.0
    assert said.rstrip().endswith("KeyboardInterrupt")
