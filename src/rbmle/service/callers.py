"""`Callers`: who asks. It admits requests, finds their keys, and counts and logs them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

import msgspec
from starlette.types import Scope

from .gate import Gate, Headers
from .http import Call
from .keys import ROLES, Keys, WrongKey
from .log_lines import SLOW_SECONDS, AnsweredRequest, Repeats, tell
from .messages import WRONG_KEYS, RefusedError, no_experiment, refusal
from .meters import Meters
from .storage import Key, StorageError
from .wrong_keys import WrongKeys


class Edge(msgspec.Struct, frozen=True):
    """How a service meets its callers and its operator; `rbmle serve` has an option for each."""

    allowed_hosts: tuple[str, ...] = ()
    max_connections: int = 1_000
    log_format: str = "text"
    access_log: bool = False
    without_keys: bool = False  # also where others than this machine may reach the port


class Callers:
    """What a worker knows of its callers. read_keys: reads the keys of the database again."""

    read_keys: Callable[[], Awaitable[None]]

    def __init__(self, keys: Keys, edge: Edge, meters: Meters) -> None:
        self.keys, self._gate, self._meters = keys, Gate(edge.allowed_hosts), meters
        self._repeats, self._wrong_keys = Repeats(), WrongKeys()
        self._access_log = edge.access_log

    def _admit(self, scope: Scope, headers: Headers, writes: bool) -> None:
        """Raise RefusedError if the request is not answered, whatever its key."""
        why = self._gate.refuses(scope, headers, self.keys.keyless, writes)
        if why:
            raise RefusedError(refusal(403, why), why)

    async def authorize(self, scope: Scope, role: str, experiment: str | None) -> Key:
        """The key of an admitted request, if it has this role there; else raises RefusedError."""
        headers: Headers = dict(scope["headers"])
        token = _token(headers)
        if not self.keys.loaded or (token is not None and self.keys.open):
            await self.read_keys()
        self._admit(scope, headers, writes=role != "read")
        key = self.keys.of(token)
        if token is not None and isinstance(key, WrongKey):
            key = await self._again(token, key, _client(scope))
        if isinstance(key, WrongKey):
            raise RefusedError(key.answer, key.cause)
        if experiment is not None and not key.sees(experiment):
            raise RefusedError(no_experiment(experiment))
        if ROLES.index(key.role) < ROLES.index(role):
            sentence = f"This needs a key of role {role}; yours is {key.role}."
            raise RefusedError(refusal(403, sentence))
        return key

    async def _again(self, token: str, wrong: WrongKey, client: str) -> Key | WrongKey:
        """The key of a token that is not known: it may be new. A wrong one costs its sender time;
        where too many wait already, it is refused at once and nobody reads the keys."""
        if self._wrong_keys.full:
            self._meters.wrong_keys += 1
            return WrongKey(wrong.cause, WRONG_KEYS)
        await self.read_keys()
        key = self.keys.of(token)
        if isinstance(key, WrongKey):
            self._meters.wrong_keys += 1
            await self._wrong_keys.delay(client)
        return key

    async def stopped(self, call: Call) -> None:
        """The key was valid as far as was known when the request came, and is not: note it."""
        number = call.key.number
        call.cause = f"key {number}, which has stopped" if number else "no key"
        self._meters.wrong_keys += number > 0
        with suppress(StorageError):
            await self.read_keys()

    def recognize(self, scope: Scope) -> Key | None:
        """The key of an admitted request that needs none, if it has a valid one, or there is none;
        raises RefusedError if it is not admitted."""
        headers: Headers = dict(scope["headers"])
        self._admit(scope, headers, writes=False)
        key = self.keys.of(_token(headers))
        return key if isinstance(key, Key) else None

    def observe(self, scope: Scope, call: Call, path: str, status: int) -> None:
        """Count and log a request. path: the form of its address."""
        method, seconds = scope["method"], call.seconds
        self._meters.observe(method, path, status, seconds)
        if self._access_log or call.cause or seconds > SLOW_SECONDS:
            key, client = call.key.number or None, _client(scope)
            ms = 1000.0 * seconds
            request = AnsweredRequest(method, path, status, ms, call.sent, key, client)
            tell(request, call.spent, call.cause, self._repeats)


def _client(scope: Scope) -> str:
    """The address that a request came from."""
    client = scope.get("client")
    return client[0] if client else "?"


def _token(headers: Headers) -> str | None:
    """The key that the request states."""
    stated = headers.get(b"authorization")
    if stated is None:
        return None
    kind, _, token = stated.decode("latin-1").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None
