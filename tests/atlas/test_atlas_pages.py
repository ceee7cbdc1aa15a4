"""The atlas's pages say what its data say."""

from pathlib import Path

import pytest

from benchmarks import atlas_tables

ROOT = Path(__file__).parents[2]


def test_the_tables_of_the_pages_are_those_of_the_data(capsys: pytest.CaptureFixture[str]) -> None:
    """Each line of the first three tables that `atlas_tables.py` prints, which sum up all sets."""
    atlas_tables.main(str(ROOT / "docs/atlas/report"))
    summed = capsys.readouterr().out.split("\n**")[0]
    lines = [line for line in summed.splitlines() if line.startswith(("| recommended", "| `"))]
    assert len(lines) == 2 * 3 * (3 + 1) + 4  # forms, families; horizons, all of them; short tails
    names = ("explanation/atlas.md", "reference/atlas_data.md", "howto/which_policy.md")
    pages = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in names)
    assert [line for line in lines if line not in pages] == []
