"""What `import rbmle` offers: `dir` shows it, and each name is imported when it is first used."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
from typing import Annotated, Any, NamedTuple

import pytest

import rbmle
from rbmle._records.names import load_package
from rbmle._records.record import KNOWN, checked

OPTIONAL = {"AsyncClient", "Client", "figures"}  # those that need a package of an extra


def printed(code: str) -> str:
    """What these lines print in a new process."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_dir_shows_public_names_alone() -> None:
    assert set(dir(rbmle)) == {*rbmle.__all__, *OPTIONAL, "__version__"}
    assert all(hasattr(rbmle, name) for name in dir(rbmle))


def test_dir_leaves_out_what_needs_a_package_that_is_missing(monkeypatch: Any) -> None:
    """Else `help(rbmle)`, which looks at every name, would fail."""
    monkeypatch.setattr(rbmle, "find_spec", lambda name: None)
    assert set(dir(rbmle)) == {*rbmle.__all__, "__version__"}


@pytest.mark.parametrize("name", ["atlas", "figures", "testing", "theory"])
def test_a_room_is_an_attribute(name: str, monkeypatch: Any) -> None:
    room = importlib.import_module(f"rbmle.{name}")
    monkeypatch.delattr(rbmle, name)  # as before its import
    assert getattr(rbmle, name) is room


def test_evidence_is_the_decorator_whichever_is_imported_first() -> None:
    room = importlib.import_module("rbmle.evidence")
    assert rbmle.evidence is room.evidence
    vars(rbmle).pop("evidence")
    assert rbmle.evidence is room.evidence
    setattr(rbmle, "evidence", room)  # noqa: B010  (as Python does after the import of a room)
    assert rbmle.evidence is room.evidence


def test_what_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'rbmle' has no attribute 'tseting'"):
        rbmle.tseting  # noqa: B018


def test_public_names_survive_pickling() -> None:
    given = [rbmle.UCB(1.0), rbmle.Bernoulli(), rbmle.UCB, rbmle.simulate, rbmle.recommended]
    assert pickle.loads(pickle.dumps(given)) == given


@pytest.mark.slow
def test_import_is_light() -> None:
    """Neither NumPy nor Numba, nor what the command line or an extra needs."""
    code = """
import sys, rbmle
heavy = ("numpy", "numba", "typer", "rich", "matplotlib", "pandas", "httpx")
print([name for name in heavy if name in sys.modules])
assert "Client" in dir(rbmle) and "httpx" not in sys.modules
rbmle.Client
print([name for name in ("numba", "matplotlib", "pandas") if name in sys.modules])
import rbmle.cli.main
print([name for name in ("numba", "matplotlib", "pandas") if name in sys.modules])
rbmle.testing.check_law, rbmle.atlas.atlas, rbmle.figures.save
"""
    assert printed(code) == "[]\n[]\n[]\n"


@pytest.mark.slow
def test_import_takes_a_fraction_of_what_numba_takes() -> None:
    """Both in one process, the quicker of three: a busy machine slows both."""
    code = """
import time
begin = time.perf_counter()
import rbmle
ours = time.perf_counter() - begin
import numpy, numba
print(ours / (time.perf_counter() - begin - ours))
"""
    assert min(float(printed(code)) for _ in range(3)) < 0.25  # 0.05 on a quiet machine


@pytest.mark.slow
def test_a_name_in_a_file_is_known_before_its_room_was_used() -> None:
    """Theoretical constants and the published rewards are far from `Study`."""
    code = """
import rbmle
coins = rbmle.Problem("bernoulli", [0.4, 0.6])
print(rbmle.Study(coins, ["theoretical(2)"], 10, 1, rewards="published").rewards)
"""
    assert printed(code) == "published\n"


@pytest.mark.slow
def test_a_class_cannot_take_the_name_of_one_that_was_not_imported_yet() -> None:
    code = """
from typing import NamedTuple
import rbmle
try:
    @rbmle.policy
    class Beta(NamedTuple):
        def index_of(self, family, arms, i, level):
            return 0.0
except rbmle.DefinitionError as problem:
    print(problem)
"""
    assert printed(code) == "Beta: a class must have another name than the package's Beta.\n"


def test_every_record_can_be_replaced() -> None:
    load_package()
    assert len(KNOWN) > 60
    for kind in KNOWN.values():
        if kind.__module__.startswith("rbmle.") and set(kind._fields) == set(kind._field_defaults):
            assert kind().replace() == kind()
    assert rbmle.UCB().replace(alpha=3) == rbmle.UCB(3.0)
    assert type(rbmle.UCB().replace(alpha=3).alpha) is float  # compiled for one type
    assert rbmle.Linear(2).replace(dimension=5) == rbmle.Linear(5)


def test_a_field_called_replace_stays_a_field() -> None:
    @checked
    class Odd(NamedTuple):
        replace: Annotated[int, "[0, inf)"] = 1

    assert Odd(3).replace == 3
    assert Odd(3)._replace(replace=4) == Odd(4)
