"""The site is built without a warning, and every link in it leads somewhere."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from blocks import ROOT


class Page(HTMLParser):
    """What a page links to or shows, and the ids in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.ids: set[str] = set()
        self.bare_images: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        self.links |= {given[name] for name in ("href", "src") if name in given}
        if tag == "img" and not given.get("alt"):
            self.bare_images.append(given.get("src", ""))


@pytest.fixture(scope="module")
def pages() -> dict[Path, Page]:
    """The built pages; those of an earlier build are built again."""
    folder = ROOT / "docs" / "_build"
    command = [sys.executable, "-m", "sphinx", "-q", "-E", "-W", "-j", "2", "docs", str(folder)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert told.returncode == 0, told.stdout + told.stderr
    return {each: Page(each) for each in folder.rglob("*.html")}


@pytest.mark.site
def test_every_link_inside_the_site_leads_somewhere(pages: dict[Path, Page]) -> None:
    broken = []
    for path, page in pages.items():
        for link in page.links:
            place, anchor = urldefrag(link)
            if "://" in place or place.startswith(("data:", "mailto:")):
                continue
            target = (path.parent / unquote(place.partition("?")[0])).resolve() if place else path
            known = pages[target].ids if target in pages else {anchor}
            if not target.exists() or (anchor and unquote(anchor) not in known):
                broken.append(f"{path.name}: {link}")
    assert len(pages) > 20
    assert broken == []


@pytest.mark.site
def test_every_picture_says_what_it_shows(pages: dict[Path, Page]) -> None:
    assert {path.name: page.bare_images for path, page in pages.items() if page.bare_images} == {}
