"""The Markdown sources: what holds of every page without building the site."""

from __future__ import annotations

import re

import pytest
from blocks import DOCUMENTS, ROOT

SOURCES = [*ROOT.glob("*.md"), ROOT / "benchmarks" / "README.md", *DOCUMENTS[1:]]


@pytest.mark.parametrize("kind", ["howto", "reference", "explanation"])
def test_there_are_pages_of_each_kind(kind: str) -> None:
    assert len([each for each in DOCUMENTS if each.parent == ROOT / "docs" / kind]) > 1


def test_no_line_is_longer_than_120_characters() -> None:
    """So that a change of a word shows as that in a diff."""
    long = [
        f"{source.relative_to(ROOT)}:{number} has {len(line)}"
        for source in SOURCES
        for number, line in enumerate(source.read_text("utf-8").splitlines(), start=1)
        if len(line) > 120
    ]
    assert long == []


def test_every_page_that_code_names_exists() -> None:
    code = [*(ROOT / "src").rglob("*.py"), *ROOT.glob("examples/*.py")]
    named = {
        (source.name, page)
        for source in code
        for page in re.findall(r"docs/[\w/]+\.md", source.read_text("utf-8"))
    }
    assert len(named) > 10
    assert [each for each in named if not (ROOT / each[1]).is_file()] == []
