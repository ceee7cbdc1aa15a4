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
