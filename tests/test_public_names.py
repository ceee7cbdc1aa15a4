"""What `import rbmle` offers: `dir` shows it, and what is rarely needed is imported when used."""

from __future__ import annotations

import importlib
import subprocess
import sys
from typing import Annotated, Any, NamedTuple

import pytest

import rbmle
from rbmle._records.record import KNOWN, checked

LATER = {"AsyncClient", "Client", "atlas", "figures", "testing"}


def test_dir_shows_public_names_alone() -> None:
    assert set(dir(rbmle)) == {*rbmle.__all__, *LATER, "__version__"}
    assert all(hasattr(rbmle, name) for name in dir(rbmle))


def test_dir_leaves_out_what_needs_a_package_that_is_missing(monkeypatch: Any) -> None:
    """Else `help(rbmle)`, which looks at every name, would fail."""
    monkeypatch.setattr(rbmle, "find_spec", lambda name: None)
    assert set(dir(rbmle)) == {*rbmle.__all__, "atlas", "testing", "__version__"}


@pytest.mark.parametrize("name", ["atlas", "figures", "testing"])
def test_a_room_is_an_attribute(name: str, monkeypatch: Any) -> None:
    room = importlib.import_module(f"rbmle.{name}")
    monkeypatch.delattr(rbmle, name)  # as before its import
    assert getattr(rbmle, name) is room


def test_what_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'rbmle' has no attribute 'tseting'"):
        rbmle.tseting  # noqa: B018


@pytest.mark.slow
def test_import_is_light() -> None:
    code = """
import sys, rbmle
for name in ("matplotlib", "pandas", "httpx", "rich.progress", "rbmle.testing", "rbmle.figures"):
    assert name not in sys.modules, name
assert "Client" in dir(rbmle) and "httpx" not in sys.modules
rbmle.testing.check_law, rbmle.atlas.atlas, rbmle.figures.save, rbmle.Client
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_record_can_be_replaced() -> None:
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
