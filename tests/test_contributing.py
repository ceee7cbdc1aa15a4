"""CONTRIBUTING.md lists the rooms: every room has its row, and every file it names exists."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
ROOMS = re.findall(r"(?m)^- ((?:`\w+`(?:, )?)+):", TEXT)


def test_every_room_of_the_contract_is_in_the_table_in_its_order():
    """Rows are in the order of the layers, so what a room imports stands further down."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers = contract["tool"]["importlinter"]["contracts"][0]["layers"]
    names = [(name, depth) for depth, row in enumerate(layers) for name in re.findall(r"\w+", row)]
    layer = {name: depth for name, depth in names if not name.startswith("_")}
    rows = [[name for name in re.findall(r"\w+", row) if name in layer] for row in ROOMS]
    named = [name for row in rows for name in row]
    assert sorted(named) == sorted(layer)
    depths = [min(layer[name] for name in row) for row in rows if row]
    assert depths == sorted(depths)


def test_every_file_that_is_named_exists():
    looked_for = TEXT.split("\nWhere to look for")[1].split("\n## ")[0]
    files = re.findall(r"`(\w+/\w+\.py)`", looked_for)
    assert files
    assert [each for each in files if not (ROOT / "src" / "rbmle" / each).is_file()] == []


def test_every_private_room_is_in_the_table():
    private = (ROOT / "src" / "rbmle").glob("_[a-z]*")
    assert {path.stem for path in private} == {
        name for row in ROOMS for name in re.findall(r"\b_\w+", row)
    }


def test_every_file_that_the_row_of_a_room_names_is_in_that_room():
    rows = re.findall(r"(?m)^- `([a-z]\w*)`: ((?:.*\n  )*.*)$", TEXT)
    named = [(room, file) for room, said in rows for file in re.findall(r"`(\w+\.py)`", said)]
    assert len(named) > 20
    folder = ROOT / "src" / "rbmle"
    assert [f"{room}/{file}" for room, file in named if not (folder / room / file).is_file()] == []
