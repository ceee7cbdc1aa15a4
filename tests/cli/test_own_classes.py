"""Users' classes at the command line: by --import, by a study file, by entry points."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from rbmle import POLICIES, Study, policy
from rbmle.cli.output import policy_list
from rbmle.errors import ParameterError, StudyError

MODULE = """
from typing import NamedTuple
from rbmle.policies.base import policy

@policy
class Greedy_{name}(NamedTuple):
    bonus: float = 0.0

    def index_of(self, family, arms, i, level):
        return arms.mean(i) + self.bonus
"""

TOML = """
{first}
horizon = 60
replications = 3
[[problem]]
law = "Bernoulli"
means = [0.3, 0.6]
[[policy]]
name = "{policy}"
[[policy]]
name = "UCB"
"""


def rbmle(folder: Path, *line: str, code: int = 0, path: str = "") -> str:
    """The output of a command that a user types in the folder."""
    process = subprocess.run(
        [sys.executable, "-c", "from rbmle.cli import main; main()", *line],
        cwd=folder, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path[1:], *([path] * bool(path))]),
             "PYTHONSAFEPATH": "1"},  # as for an installed script, which has no current folder
    )  # fmt: skip
    assert process.returncode == code, process.stderr
    return process.stderr if code else process.stdout


@pytest.mark.slow
def test_import_brings_a_module(tmp_path: Path) -> None:
    (tmp_path / "mine_a.py").write_text(MODULE.format(name="a"))
    (tmp_path / "own.toml").write_text(TOML.format(first="", policy="greedy_a"))
    typed = ["compare", "bernoulli", "0.2", "0.8", "--policies", "greedy_a", "--horizon", "50"]
    assert "must be one of" in rbmle(tmp_path, *typed, code=2)
    assert "Greedy_a" in rbmle(tmp_path, *typed, "--import", "mine_a")
    assert "must be one of" in rbmle(tmp_path, "run", "own.toml", code=2)
    assert not (tmp_path / "own-run").exists()
    rbmle(tmp_path, "run", "own.toml", "--import", "mine_a")
    for line in (["show"], ["report"], ["export", "--format", "json"]):
        shown = [line[0], "own-run", *line[1:]]
        assert "must be one of" in rbmle(tmp_path, *shown, code=2)
        rbmle(tmp_path, *shown, "--import", "mine_a")
    said = rbmle(tmp_path, "show", "own-run", "--import", "nowhere", code=2)
    wanted = "rbmle: show: '--import' must be names of modules that can be imported. Got 'n"
    assert said.startswith(wanted)
    assert said.count("\n") == 1


@pytest.mark.slow
def test_a_file_brings_a_module(tmp_path: Path) -> None:
    (tmp_path / "mine_b.py").write_text(MODULE.format(name="b"))
    text = TOML.format(first='import = ["mine_b"]', policy="Greedy_b")
    (tmp_path / "own.toml").write_text(text)
    rbmle(tmp_path, "run", "own.toml")
    assert "Greedy_b" in rbmle(tmp_path, "show", "own-run")
    (tmp_path / "elsewhere").mkdir()
    rbmle(tmp_path / "elsewhere", "run", "../own.toml")  # a module beside the file


@pytest.mark.slow
def test_an_installed_package_is_found(tmp_path: Path) -> None:
    site, here = tmp_path / "site", tmp_path / "here"
    info = site / "bandits_of_mine-1.0.dist-info"
    info.mkdir(parents=True)
    here.mkdir()
    (site / "mine_c.py").write_text(MODULE.format(name="c"))
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bandits-of-mine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[rbmle.policies]\ngreedy = mine_c:Greedy_c\nbroken = mine_d:Nothing\n"
    )
    typed = ["compare", "bernoulli", "0.2", "0.8", "--policies", "greedy_c", "--horizon", "50"]
    assert "Greedy_c" in rbmle(here, *typed, path=str(site))
    assert "Greedy_c" in rbmle(here, "policies", path=str(site))


def test_what_is_imported_is_not_part_of_the_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = tmp_path / "plain.toml"
    plain.write_text(TOML.format(first="", policy="RBMLE"))
    with_import = tmp_path / "with.toml"
    with_import.write_text(TOML.format(first='import = ["json", "os.path"]', policy="RBMLE"))
    one, other = Study.from_toml(plain), Study.from_toml(with_import)
    assert one.digest == other.digest
    assert "import" not in one.to_dict()
    assert other.imports == ("json", "os.path")
    assert Study.from_dict(other.to_dict()) == other
    again = tmp_path / "again.toml"
    again.write_text(other.to_toml())
    assert Study.from_toml(again) == other


@pytest.mark.parametrize("given", ['"json"', "[3]", '["a b"]', '[""]', '["../x"]', "true"])
def test_names_of_modules_are_checked(given: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(TOML.format(first=f"import = {given}", policy="RBMLE"))
    with pytest.raises(StudyError, match=r"bad\.toml: 'import' must be a list of names of modules"):
        Study.from_toml(path)


def test_a_module_that_fails_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "mine_e.py").write_text("raise ValueError('two\\nlines')")
    path = tmp_path / "bad.toml"
    path.write_text(TOML.format(first='import = ["mine_e"]', policy="RBMLE"))
    with pytest.raises((StudyError, ParameterError)) as problem:
        Study.from_toml(path)
    assert str(problem.value) == (
        f"{path}: 'import' must be names of modules that can be imported. "
        "Got 'mine_e' (ValueError: two lines)."
    )


@pytest.mark.slow
def test_a_policy_without_defaults_is_listed() -> None:
    @policy
    class Demanding(NamedTuple):
        c: float
        d: float = 2.0

        def index_of(self, family, arms, i, level):
            return self.c

        def needs_horizon(self):
            return True

    try:
        listed = next(each for each in policy_list() if each["name"] == "Demanding")
    finally:
        del POLICIES["Demanding"]
    assert listed["parameters"] == {"c": "required", "d": "2.0"}
    assert listed["needs_horizon"]
