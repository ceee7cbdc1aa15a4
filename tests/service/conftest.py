"""Storages for the tests of the service: SQLite always, PostgreSQL where it is marked."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from rbmle.service.storage import Storage, open_storage

# Without the extra `service` there is nothing to test here.
collect_ignore_glob = ["*conftest.py"] if find_spec("msgspec") else ["*"]

# Where deciders with evidence are tested, there is what plays them in the interpreter.
sys.path.append(str(Path(__file__).parents[1] / "live"))

DATABASES = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


@pytest.fixture(scope="session", autouse=True)
def thawed() -> Iterator[None]:
    """Undo the `gc.freeze` of workers, by which Hypothesis, at its end, takes what the tests have
    left for in use."""
    yield
    gc.unfreeze()


@pytest.fixture(params=DATABASES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/rbmle.db"
    else:
        from service_cases import fresh_postgres

        with fresh_postgres() as address:
            yield address


@pytest.fixture
def opened(url: str) -> Iterator[Callable[[], Storage]]:
    """A function that opens the database once more."""
    made: list[Storage] = []

    def another() -> Storage:
        made.append(open_storage(url))
        return made[-1]

    yield another
    for each in made:
        each.close()


@pytest.fixture
def fresh_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    """No snapshot is too old, however busy the machine is."""
    monkeypatch.setattr("rbmle.service.ahead.MAX_AGE_SECONDS", 60.0)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from page_cases import start_browser

    driver = start_browser(str(tmp_path_factory.mktemp("profile")))
    yield driver
    driver.quit()
