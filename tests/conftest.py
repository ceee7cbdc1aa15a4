"""How tests are distributed to processes.

Tests of one file run in one process, because they share compiled code, and so do those of a folder
whose files share it; those of the laws of policies, by far the largest file, are distributed by the
pair of a policy and a family.

A test's tier is a marker beside it (`slow`, `pairs`, ...; pyproject.toml lists them). Most of the
time of the tests is compilation: a test that plays another policy on another family takes 2 to 10
seconds of a processor. So the core, which has no marker, has every law and one representative of
each kind, and takes less than two minutes on two processors.
"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

# Several folders have a conftest.py; none holds doctests, and as modules they share one name.
collect_ignore_glob = ["*conftest.py"]

# A shell that runs the tests in the background tells them, and so all that they start, to ignore
# SIGINT: then nothing could be interrupted.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Where the longest groups are: they come first, so that no process is left with one at the end.
LONGEST = ("documentation", "policies", "choosers", "paper", "families", "studies", "live")

# Folders whose files play the same pairs: two processes would compile them at the same time.
TOGETHER = ("studies", "live")


def rank(item: pytest.Item) -> int:
    folder = item.path.parent.name
    return LONGEST.index(folder) if folder in LONGEST else len(LONGEST)


class SharedCodeScheduling(LoadScopeScheduling):  # type: ignore[misc]
    """Distributes tests so that those that share compiled code run in one process."""

    def _split_scope(self, nodeid: str) -> str:
        file, _, test = nodeid.partition("::")
        if test.startswith("test_every_pair"):  # code for GPUs, of which nothing is shared
            return nodeid
        if test.startswith("test_policy["):
            return nodeid.rpartition("-")[0]
        folder = Path(file).parent.name
        return folder if folder in TOGETHER else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    config.option.loadscopereorder = False  # `LONGEST` has the order
    return SharedCodeScheduling(config, log)


@pytest.hookimpl(tryfirst=True)  # before pytest leaves out what is marked
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("postgres"):  # by that marker alone: `-m slow` needs no server
            item.own_markers[:] = [m for m in item.own_markers if m.name not in ("slow", "pairs")]
    items.sort(key=rank)
