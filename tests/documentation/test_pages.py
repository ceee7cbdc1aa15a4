"""The Markdown sources: what holds of every page without building the site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from blocks import DOCUMENTS, ROOT

SOURCES = [*ROOT.glob("*.md"), ROOT / "benchmarks" / "README.md", *DOCUMENTS[1:]]
TUTORIALS = sorted(
    set((ROOT / "docs" / "tutorials").glob("*.md")) - {ROOT / "docs/tutorials/index.md"}
)
GALLERY = ROOT / "docs" / "gallery.md"
CELL = re.compile(r"(?ms)^```\{code-cell\} python\n(?:---\n.*?^---\n)?(.*?)^```$")


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


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_says_for_whom_it_is_and_what_to_read_next(page: Path) -> None:
    text = page.read_text("utf-8")
    assert re.search(r"(?m)^# \d\. .*\n\n\*For ", text)
    assert f"{{nb-download}}`{page.stem}.ipynb`" in text
    assert re.search(r"(?m)^## What to read next\n\n(?:- .*\n){2,}\Z", text)


def test_every_picture_of_the_gallery_has_a_line_that_says_what_it_shows() -> None:
    parts = re.split(r"(?m)^## .*\n\n", GALLERY.read_text("utf-8"))[1:]
    assert len(parts) >= 16
    for part in parts:
        assert re.match(
            r"[A-Z].*\.\n\n```\{code-cell\} python\n---\nmystnb:\n  image:\n    alt:", part
        )


@pytest.mark.parametrize("page", [*TUTORIALS, GALLERY], ids=lambda page: page.stem)
def test_code_that_pages_run_fits_their_width(page: Path) -> None:
    """By the size of the letters in docs/_static/site.css."""
    lines = [line for cell in CELL.findall(page.read_text("utf-8")) for line in cell.splitlines()]
    assert [line for line in lines if len(line) > 92] == []


def test_pages_are_as_short_as_they_should_be() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert len(readme.splitlines()) < 130
    for name, most in (("atlas", 2_000), ("performance", 1_500)):
        page = ROOT / "docs" / "explanation" / f"{name}.md"
        assert len(page.read_text("utf-8").split()) < most
