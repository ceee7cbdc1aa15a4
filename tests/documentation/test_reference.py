"""The API reference: every public name is on one of its pages, and has an example."""

from __future__ import annotations

import inspect
import re

from blocks import ROOT

import rbmle

PAGES = [each.read_text("utf-8") for each in (ROOT / "docs" / "reference" / "api").glob("*.md")]
LISTED = {name for page in PAGES for name in re.findall(r"auto\w+:: rbmle\.([\w.]+)", page)}
ROOMS = {"theory", "testing", "atlas", "figures"}  # each has a page of its own
SAME = {"report"}  # another name of `write_report`


def test_every_public_name_is_in_the_reference() -> None:
    assert {*rbmle.__all__, "Client", "AsyncClient"} - ROOMS - SAME == {
        name for name in LISTED if "." not in name
    }


def test_every_name_of_the_figures_and_of_the_theory_is_in_the_reference() -> None:
    import rbmle.figures
    import rbmle.theory

    for room in (rbmle.figures, rbmle.theory):
        names = {f"{room.__name__.partition('.')[2]}.{each}" for each in room.__all__}
        assert names - LISTED <= {"figures.STYLES"}


def test_every_public_name_has_an_example() -> None:
    """A doctest, or a few lines of code where a doctest would compile for long or need a server."""
    without = []
    for name in {*rbmle.__all__, "Client", "AsyncClient"} - ROOMS - {"POLICIES"}:
        said = inspect.getdoc(getattr(rbmle, name)) or ""
        code = re.search(r"(?m)^ {4}.*\brbmle\.", said)
        if ">>>" not in said and not code:
            without.append(name)
    assert without == []
