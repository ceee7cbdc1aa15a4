"""What both databases have in common: the statements, with `?` for a value."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from .rows import Kind, Row
from .storage import Storage, Stored, StoredKey

_FIELDS = ", ".join(Row._fields)
INSERT = f"INSERT INTO log ({_FIELDS}) VALUES ({', '.join('?' * len(Row._fields))})"


class SqlStorage(Storage):
    """A storage whose questions are SQL."""

    @abstractmethod
    def _ask(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """Run a statement and return its rows."""

    @abstractmethod
    def _do(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Run a statement and return how many rows it changed."""

    def named(self, name: str) -> Stored | None:
        found = self._ask(
            "SELECT number, name, definition, at FROM experiments WHERE name = ?", [name]
        )
        return Stored(*found[0]) if found else None

    def experiments(self) -> list[Stored]:
        asked = "SELECT number, name, definition, at FROM experiments ORDER BY number"
        return [Stored(*each) for each in self._ask(asked)]

    def create(self, name: str, definition: str, at: float) -> Stored | None:
        made = self._ask(
            "INSERT INTO experiments (name, definition, at) VALUES (?, ?, ?) "
            "ON CONFLICT (name) DO NOTHING RETURNING number",
            [name, definition, at],
        )
        if not made:
            return None
        number = made[0][0]
        self.append([Row(number, 1, int(Kind.CREATED), at, text=definition)])
        return Stored(number, name, definition, at)

    def decision(self, experiment: int, seq: int) -> Row | None:
        asked = f"SELECT {_FIELDS} FROM log WHERE experiment = ? AND seq = ? AND kind = ?"
        found = self._ask(asked, [experiment, seq, int(Kind.DECISION)])
        return Row(*found[0]) if found else None

    def outcome(self, experiment: int, of: int) -> Row | None:
        asked = f"SELECT {_FIELDS} FROM log WHERE experiment = ? AND of = ?"
        found = self._ask(asked, [experiment, of])
        return Row(*found[0]) if found else None

    def rows(self, experiment: int, after: int, limit: int | None = None) -> list[Row]:
        asked = f"SELECT {_FIELDS} FROM log WHERE experiment = ? AND seq > ? ORDER BY seq"
        values = [experiment, after]
        if limit is not None:
            asked, values = f"{asked} LIMIT ?", [*values, limit]
        return list(map(Row._make, self._ask(asked, values)))

    def snapshot(self, experiment: int) -> bytes | None:
        found = self._ask("SELECT state FROM snapshots WHERE experiment = ?", [experiment])
        return bytes(found[0][0]) if found else None

    def keep_snapshot(self, experiment: int, seq: int, state: bytes) -> None:
        self._do(
            "INSERT INTO snapshots (experiment, seq, state) VALUES (?, ?, ?) ON CONFLICT "
            "(experiment) DO UPDATE SET seq = excluded.seq, state = excluded.state",
            [experiment, seq, state],
        )

    def write_something(self) -> None:
        self._do("UPDATE counters SET value = value + 1 WHERE name = 'writes'")

    def keys_version(self) -> int:
        return int(self._ask("SELECT value FROM counters WHERE name = 'keys'")[0][0])

    def stored_keys(self) -> list[StoredKey]:
        asked = "SELECT number, role, experiment, hash, created, revoked FROM keys ORDER BY number"
        return [StoredKey(*each) for each in self._ask(asked)]

    def add_key(self, role: str, experiment: str | None, hash: str, at: float) -> int:
        made = self._ask(
            "INSERT INTO keys (role, experiment, hash, created) VALUES (?, ?, ?, ?) "
            "RETURNING number",
            [role, experiment, hash, at],
        )
        self._do("UPDATE counters SET value = value + 1 WHERE name = 'keys'")
        return int(made[0][0])

    def revoke_key(self, number: int, at: float) -> bool:
        changed = self._do(
            "UPDATE keys SET revoked = ? WHERE number = ? AND revoked IS NULL", [at, number]
        )
        self._do("UPDATE counters SET value = value + 1 WHERE name = 'keys'")
        return changed > 0 or bool(self._ask("SELECT 1 FROM keys WHERE number = ?", [number]))
