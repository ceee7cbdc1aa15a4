"""The memory of a large study: `python -m benchmarks.sections.footprint HORIZON REPLICATIONS`.

Runs the study and prints the largest resident memory of the process, in bytes.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from rbmle.engine import rounds_kept
from rbmle.families import Gaussian
from rbmle.policies import POLICIES, KGStar, LinTS
from rbmle.policies.fit import Assuming
from rbmle.studies.runner import run
from rbmle.studies.study import Study

from .timed_problems import COINS

LONG = 1_000_000  # every horizon gets as many checkpoints as this one has
REPLICATIONS = 1_000


def checkpoints(horizon: int) -> list[int]:
    """Evenly spaced checkpoints of this horizon, as many as a horizon of LONG has."""
    count = rounds_kept(None, LONG).size
    return [1 + (horizon - 1) * k // (count - 1) for k in range(count)]


def study(horizon: int, replications: int) -> Study:
    """Every policy of the package on ten coins; KG* and LinTS assume Gaussian rewards."""
    ours = {name: kind() for name, kind in POLICIES.items() if kind.__module__.startswith("rbmle.")}
    for kind in (KGStar, LinTS):
        ours[kind.__name__] = Assuming(kind(), Gaussian(0.5))
    return Study(
        name="footprint",
        problems={"coins": COINS},
        policies=ours,
        horizon=horizon,
        replications=replications,
        checkpoints=checkpoints(horizon),
    )


def peak() -> int:
    """The largest resident memory of this program so far, in bytes.

    Linux's getrusage is not used, because it includes the parent's memory at the time of the fork.
    """
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"VmHWM:\s*(\d+) kB", status.read_text())
        if found is not None:
            return 1024 * int(found[1])
    import resource  # not on Windows

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS


def main(horizon: int, replications: int) -> None:
    """Run the study in a temporary folder, and print the largest memory."""
    with tempfile.TemporaryDirectory() as folder:
        run(study(horizon, replications), folder)
    print(peak())


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
