"""Keys: who may ask what. Only a hash of a key is stored."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from typing import NamedTuple

from ..errors import ParameterError, one_of
from .messages import EXPIRED_KEY, NO_KEY, Answer, a_label
from .storage import Key, Storage

ROLES = ("read", "write", "admin")  # each may do what those before it may
_TOKEN = re.compile(r"rbmle_(\d{1,18})_(.*)", re.DOTALL)  # a key as it is shown: number, secret
# Who asks while there are no keys at all: everything is allowed, on 127.0.0.1 only.
ANYONE = Key(0, "admin", None, "", 0.0)
_USE_SECONDS = 60.0  # between two times that a worker stores a key's last use; a choice
_DURATION = re.compile(r"(\d{1,5})([dhm])")
_UNITS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0}  # seconds


def _hash(secret: str) -> str:
    """The hash that is stored. A secret has 256 random bits, so one plain hash is enough: there is
    nothing to guess, unlike with passwords."""
    return hashlib.sha256(secret.encode()).hexdigest()


def is_valid(key: Key) -> bool:
    """Whether the key was not revoked and has not expired."""
    return key.revoked is None and (key.expires is None or time.time() < key.expires)


class WrongKey(NamedTuple):
    """Why a request has no valid key: for the log, and as the caller is told."""

    cause: str
    answer: Answer = NO_KEY


class Keys:
    """A worker's cache of the keys."""

    def __init__(self, needed: bool = False) -> None:
        """needed: a key is needed even if there is none, because others than this machine ask.
        version: as `Storage.keys_version` told it when the keys were read."""
        self.needed, self.version = needed, -1
        self._known: dict[int, Key] = {}
        self._uses: dict[int, float] = {}  # when each key was last used here
        self._saved: dict[int, float] = {}  # and which of these times was stored

    def refresh(self, storage: Storage) -> None:
        """Read the keys if they have changed; within a transaction."""
        version = storage.keys_version()
        if version != self.version:
            self._known = {each.number: each for each in storage.stored_keys()}
            self.version = version

    def invalidate(self) -> None:
        """Discard the keys, so that they are read again."""
        self.version, self._known = -1, {}

    @property
    def loaded(self) -> bool:
        """Whether the keys have been read."""
        return self.version >= 0

    @property
    def open(self) -> bool:
        """Whether no key is needed: there has never been one, and only this machine can ask."""
        return self.loaded and self.keyless

    @property
    def keyless(self) -> bool:
        """Whether no key is needed as far as is known: also before the keys have been read."""
        return not self._known and not self.needed

    def of(self, token: str | None) -> Key | WrongKey:
        """The valid key that a token states, or why there is none."""
        if self.open:
            return ANYONE
        if token is None:
            return WrongKey("no key")
        parts = _TOKEN.fullmatch(token)
        if parts is None:
            return WrongKey("not a key")
        stored = self._known.get(int(parts[1]))
        expected = stored.hash if stored is not None else _hash("")
        same = hmac.compare_digest(_hash(parts[2]), expected)
        if stored is None:
            return WrongKey("an unknown key")
        if not same:
            return WrongKey(f"key {stored.number} with a wrong secret")
        if stored.revoked is not None:
            return WrongKey(f"key {stored.number}, which was revoked")
        if not self.allows(stored):
            return WrongKey(f"key {stored.number}, which has expired", EXPIRED_KEY)
        self._uses[stored.number] = time.time()
        return stored

    def allows(self, key: Key) -> bool:
        """Whether the key, valid when the request came, is valid now."""
        if key.number == 0:
            return self.open
        stored = self._known.get(key.number)
        return stored is not None and is_valid(stored)

    def _due(self) -> dict[int, float]:
        """The keys whose last use is to be stored, and when that was."""
        uses = self._uses.copy()  # another thread adds to it
        return {
            key: at for key, at in uses.items() if at > self._saved.get(key, 0.0) + _USE_SECONDS
        }

    def unsaved(self) -> bool:
        """Whether a key's last use is to be stored: each at most once a minute."""
        return bool(self._uses) and bool(self._due())

    def save_uses(self, storage: Storage) -> None:
        """Store when the keys were last used; within a transaction. In the order of their numbers,
        so that no two workers wait for each other in a circle."""
        for number, at in sorted(self._due().items()):
            storage.save_use(number, at)
            self._saved[number] = at


def duration(owner: str, name: str, text: str) -> float:
    """The seconds that a text such as 90d, 12h or 30m states."""
    found = _DURATION.fullmatch(text)
    if found is None or not int(found[1]):
        raise ParameterError(owner, name, "a time such as 90d, 12h or 30m", text)
    return int(found[1]) * _UNITS[found[2]]


def create_key(
    storage: Storage, role: str, experiment: str | None = None, name: str | None = None,
    expires: str | None = None,
) -> str:  # fmt: skip
    """Create a key and return its text, which is shown this once. expires: such as "90d"."""
    one_of("key", "role", role, ROLES)
    for parameter, label in (("experiment", experiment), ("name", name)):
        if label is not None:
            a_label(parameter, label)
    now, secret = time.time(), secrets.token_urlsafe(32)
    end = None if expires is None else now + duration("key", "--expires", expires)
    with storage.writing():
        key = Key(0, role, experiment, _hash(secret), now, name=name, expires=end)
        number = storage.add_key(key)
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
