"""How tests are dealt out to processes: those of one file to one, unless they say otherwise.

Most of the time of these tests is compilation, and tests of one file share what is compiled. The
groups that take longest come first, so that no process is left with one of them at the end.
"""

from __future__ import annotations

import pytest

# Several folders have a conftest.py; none holds doctests, and as modules they share one name.
collect_ignore_glob = ["*conftest.py"]

LONGEST = ("documentation", "policies", "testing", "families", "studies", "live")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(str(item.path)))

    def place(item: pytest.Item) -> int:
        folder = item.path.parent.name
        return LONGEST.index(folder) if folder in LONGEST else len(LONGEST)

    items.sort(key=place)
