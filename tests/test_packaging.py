"""The versions that pyproject.toml states are those that are tested."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import rbmle

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WORKFLOWS = ROOT / ".github" / "workflows"
WORKFLOW = (WORKFLOWS / "test.yml").read_text("utf-8")
RELEASE = (WORKFLOWS / "release.yml").read_text("utf-8")
USES = re.compile(r"uses: (.*)")


def test_every_python_that_is_stated_is_tested():
    stated = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    tested = re.search(r"python: \[(.*)\]", WORKFLOW)[1]
    assert stated == re.findall(r"3\.\d+", tested)
    assert PROJECT["requires-python"] == f">={stated[0]}"
    tried = re.search(r"python: \[(.*)\]", RELEASE)[1]
    assert stated == re.findall(r"3\.\d+", tried)


def test_actions_are_pinned():
    """A tag can be moved to other code, a commit cannot."""
    used = [each for file in WORKFLOWS.glob("*.yml") for each in USES.findall(file.read_text())]
    assert len(used) > 10
    assert [each for each in used if not re.fullmatch(r"\S+@[0-9a-f]{40} # v[\d.]+", each)] == []


def test_the_version_is_in_no_source():
    """It is the tag's; CITATION.cff states the last release, or the one to come."""
    assert "version" in PROJECT["dynamic"]
    assert rbmle.__version__ == version("rbmle")


def test_numba_is_in_the_range_that_is_stated():
    """`_numba` uses private parts of Numba, which versions outside the range may lack."""
    (stated,) = (each for each in PROJECT["dependencies"] if each.startswith("numba"))
    lowest, end = (tuple(map(int, each.split("."))) for each in re.findall(r"[\d.]+", stated))
    assert lowest <= tuple(map(int, version("numba").split(".")[:2])) < end


def test_nobody_is_told_to_install_from_an_index_where_it_is_not():
    """Until the first release there is only the clone: `pip install ".[service]"`."""
    places = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("benchmarks/*.md")]
    places += [*(ROOT / "src").rglob("*.py"), *ROOT.glob("examples/*.py")]
    places.remove(ROOT / "RELEASING.md")  # which says when this ends
    assert len(places) > 200
    told = re.compile(r"rbmle\[|pip install (-\S+ )*['\"]?rbmle")
    assert [each.name for each in places if told.search(each.read_text("utf-8"))] == []


def test_every_extra_that_is_named_in_a_command_exists():
    for each in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        named = re.findall(r'pip install [^\n]*?"\.\[(\w+)\]"', each.read_text("utf-8"))
        assert set(named) <= PROJECT["optional-dependencies"].keys(), each
