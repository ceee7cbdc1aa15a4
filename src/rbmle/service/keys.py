"""Keys: who may ask what. Only a hash of a key is stored."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time

from ..errors import ParameterError, one_of
from .messages import a_label
from .storage import Key, Storage

ROLES = ("read", "write", "admin")  # each may do what those before it may
_TOKEN = re.compile(r"rbmle_(\d{1,18})_(.*)", re.DOTALL)  # a key as it is shown: number, secret
# Who asks while there are no keys at all: everything is allowed, on 127.0.0.1 only.
ANYONE = Key(0, "admin", None, "", 0.0, None)


def _hash(secret: str) -> str:
    """The hash that is stored. A secret has 256 random bits, so one plain hash is enough: there is
    nothing to guess, unlike with passwords."""
    return hashlib.sha256(secret.encode()).hexdigest()


class Keys:
    """A worker's cache of the keys."""

    def __init__(self, needed: bool = False) -> None:
        """needed: a key is needed even if there is none, because others than this machine ask."""
        self.needed, self._version = needed, -1
        self._known: dict[int, Key] = {}

    def refresh(self, storage: Storage) -> None:
        """Read the keys if they have changed; within a transaction."""
        version = storage.keys_version()
        if version != self._version:
            self._known = {each.number: each for each in storage.stored_keys()}
            self._version = version

    def invalidate(self) -> None:
        """Discard the keys, so that they are read again."""
        self._version, self._known = -1, {}

    @property
    def loaded(self) -> bool:
        """Whether the keys have been read."""
        return self._version >= 0

    @property
    def open(self) -> bool:
        """Whether no key is needed: there has never been one, and only this machine can ask."""
        return self.loaded and not self._known and not self.needed

    def of(self, token: str | None) -> Key | None:
        """The valid key that a token states; None if there is none."""
        if self.open:
            return ANYONE
        parts = _TOKEN.fullmatch(token or "")
        if parts is None:
            return None
        stored = self._known.get(int(parts[1]))
        expected = stored.hash if stored is not None else _hash("")
        same = hmac.compare_digest(_hash(parts[2]), expected)
        return stored if stored is not None and same and stored.revoked is None else None

    def allows(self, key: Key) -> bool:
        """Whether the key, valid when the request came, is valid now."""
        if key.number == 0:
            return self.open
        stored = self._known.get(key.number)
        return stored is not None and stored.revoked is None


def create_key(storage: Storage, role: str, experiment: str | None = None) -> str:
    """Create a key and return its text, which is shown this once."""
    one_of("key", "role", role, ROLES)
    if experiment is not None:
        a_label("experiment", experiment)
    secret = secrets.token_urlsafe(32)
    with storage.writing():
        number = storage.add_key(role, experiment, _hash(secret), time.time())
    return f"rbmle_{number}_{secret}"


def revoke_key(storage: Storage, number: int) -> None:
    """Revoke the key of that number; it stops at once."""
    with storage.writing():
        found = storage.revoke_key(number, time.time())
    if not found:
        raise ParameterError("key", "number", "that of a key", number)


def list_keys(storage: Storage) -> list[Key]:
    """All keys, also those that were revoked."""
    with storage.reading():
        return storage.stored_keys()
