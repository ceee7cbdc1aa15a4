"""The API reference: every public name is on one of its pages, and has an example that runs."""

from __future__ import annotations

import doctest
import inspect
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from blocks import ROOT

import rbmle

PAGES = [each.read_text("utf-8") for each in (ROOT / "docs" / "reference" / "api").glob("*.md")]
LISTED = {name for page in PAGES for name in re.findall(r"(?:auto|py:)\w+:: rbmle\.([\w.]+)", page)}
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


def said(name: str) -> str:
    return inspect.getdoc(getattr(rbmle, name)) or ""


def example(name: str) -> str:
    """The code of a docstring that is no doctest, because it compiles or needs a server."""
    found = re.findall(r"(?m)^(?: {4}.*\n?|\n)+", said(name))
    return "\n".join(textwrap.dedent(each) for each in found if "rbmle." in each)


NAMES = sorted({*rbmle.__all__, "Client", "AsyncClient"} - ROOMS)
SHOWN = [name for name in NAMES if ">>>" not in said(name) and name != "POLICIES"]
SERVED = ["Client", "AsyncClient"]
AFTER = ["load", "report", "write_report"]  # they read the run of `StudyResult`


def test_every_public_name_has_an_example() -> None:
    assert [name for name in SHOWN if not example(name)] == []


def test_the_examples_on_the_pages_hold() -> None:
    """Those of what has no docstring of its own."""
    examples = doctest.DocTestParser()
    for page in PAGES:
        test = examples.get_doctest(page, {}, "page", None, None)
        assert doctest.DocTestRunner().run(test).failed == 0
    assert sum(">>>" in page for page in PAGES) == 1


@pytest.mark.slow
def test_the_examples_run(tmp_path: Path) -> None:
    names = [each for each in SHOWN if each not in SERVED + AFTER] + AFTER
    run("\n".join(example(name) for name in names), tmp_path)


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Of a service that runs."""
    database = f"sqlite:///{tmp_path}/shop.db"
    command = [sys.executable, "-m", "rbmle", "serve", "--port", "0", "--database", database]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
        assert service.stdout is not None
        yield re.findall(r"http://[\w.:]+", service.stdout.readline())[0]
        service.terminate()


@pytest.mark.slow
def test_the_examples_of_the_clients_run(address: str, tmp_path: Path) -> None:
    awaited = textwrap.indent(example("AsyncClient"), "    ")
    code = f"{example('Client')}\nasync def main():\n{awaited}\n\nasyncio.run(main())\n"
    assert code.count("http://127.0.0.1:8000") == 2
    run(code.replace("http://127.0.0.1:8000", address), tmp_path)


def run(code: str, folder: Path) -> None:
    """Run lines of code in a process of their own: they define classes that are known by name."""
    imports = """
import asyncio
from math import exp, inf, log
from typing import Annotated, Any, NamedTuple
import rbmle
from rbmle import Arms
"""
    (folder / "examples.py").write_text(imports + code)
    subprocess.run(
        [sys.executable, "-W", "error", "examples.py"],
        cwd=folder, env={**os.environ, "MPLBACKEND": "Agg"}, check=True,
    )  # fmt: skip
