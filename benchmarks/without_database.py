"""The service with its database left out, to see what the database costs.

    python benchmarks/service_load.py --compare 3

It is imported into each worker by `rbmle serve --import`. Experiments are still stored, so that all
workers find them; decisions and rewards are kept in a worker's memory alone, and lost with it.
"""

from __future__ import annotations

from collections.abc import Sequence

from rbmle.service import app
from rbmle.service.rows import Row
from rbmle.service.sqlite import SqliteStorage
from rbmle.service.storage import Storage


class WithoutDatabase(SqliteStorage):
    """A storage that forgets every row."""

    def begin(self) -> None: ...

    def begin_reading(self) -> None: ...

    def commit(self) -> None: ...

    def rollback(self) -> None: ...

    def decisions(self, ids: Sequence[str]) -> list[Row]:
        return []

    def rows(self, experiment: int, after: int, limit: int | None = None) -> list[Row]:
        return []

    def append(self, rows: Sequence[Row]) -> None: ...

    def save_snapshot(self, experiment: int, seq: int, state: bytes) -> None: ...

    def keys_version(self) -> int:
        return 0


def _open(url: str, create: bool = True, timeouts: bool = False) -> Storage:
    return WithoutDatabase(url.removeprefix("sqlite:///"))


app.open_storage = _open
