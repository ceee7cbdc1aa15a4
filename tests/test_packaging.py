"""The versions that pyproject.toml states are those that are tested."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WORKFLOW = (ROOT / ".github" / "workflows" / "test.yml").read_text("utf-8")


def test_every_python_that_is_stated_is_tested():
    stated = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    tested = re.search(r"python: \[(.*)\]", WORKFLOW)[1]
    assert stated == re.findall(r"3\.\d+", tested)
    assert PROJECT["requires-python"] == f">={stated[0]}"


def test_numba_is_in_the_range_that_is_stated():
    """`_numba` uses private parts of Numba, which versions outside the range may lack."""
    (stated,) = (each for each in PROJECT["dependencies"] if each.startswith("numba"))
    lowest, end = (tuple(map(int, each.split("."))) for each in re.findall(r"[\d.]+", stated))
    assert lowest <= tuple(map(int, version("numba").split(".")[:2])) < end


def test_nobody_is_told_to_install_from_an_index_where_it_is_not():
    """Until the first release there is only the clone: `pip install ".[service]"`."""
    places = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *ROOT.glob("benchmarks/*.md")]
    places += [*(ROOT / "src").rglob("*.py"), *ROOT.glob("examples/*.py")]
    assert len(places) > 200
    told = re.compile(r"rbmle\[|pip install (-\S+ )*['\"]?rbmle")
    assert [each.name for each in places if told.search(each.read_text("utf-8"))] == []


def test_every_extra_that_is_named_in_a_command_exists():
    for each in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        named = re.findall(r'pip install [^\n]*?"\.\[(\w+)\]"', each.read_text("utf-8"))
        assert set(named) <= PROJECT["optional-dependencies"].keys(), each
