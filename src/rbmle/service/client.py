"""`Client` and `AsyncClient`: the service from Python, with retries that cannot count twice.

Every decision gets an id before it is sent. If the answer is lost, or the service is away for a
moment, the same request is sent again: a decision keeps its arm, and a reward counts once.
"""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from .._io.extras import not_installed
from ..errors import RbmleError

try:
    import httpx
except ImportError:
    raise not_installed("Client", "httpx", "service") from None

Context = Mapping[str, Iterable[float]] | Iterable[float]
# Seconds for creating an experiment: the first one of its kind on a machine is compiled, which took
# 25 s for features on a busy one.
_SECONDS_TO_CREATE = 120.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 2.0  # seconds between two tries; it doubles each time


class ServiceError(RbmleError):
    """The service refused a request, or could not be reached. status: of HTTP, or 0."""

    def __init__(self, sentence: str, status: int = 0) -> None:
        super().__init__(sentence)
        self.status = status


class Choice(NamedTuple):
    """A decision: its id, the arm to play, and the round."""

    id: str
    arm: str
    t: int


class _Request(NamedTuple):
    method: str
    path: str
    body: Any = None
    slow: bool = False

    def options(self, timeout: float) -> dict[str, Any]:
        """What httpx is told. timeout: seconds for one try."""
        if not self.slow:
            return {"json": self.body}
        longer = httpx.Timeout(max(timeout, _SECONDS_TO_CREATE), connect=timeout)
        return {"json": self.body, "timeout": longer}


def _new_id() -> str:
    """An id that nobody else has: the time first, so that ids made together lie together in the
    database's index."""
    return f"{time.time_ns() // 1_000_000:012x}-{uuid.uuid4().hex[:20]}"


def _pauses(patience: float) -> Iterator[float]:
    """The pauses between tries, until `patience` seconds have passed; each somewhat random, so that
    many clients do not come back at the same moment."""
    end, pause = time.monotonic() + patience, _FIRST_PAUSE
    while True:
        yield pause * random.uniform(0.5, 1.0)
        pause = min(2.0 * pause, _LONGEST_PAUSE)
        if time.monotonic() >= end:
            return


def _told(answer: httpx.Response) -> Any:
    """The data of an answer; raises ServiceError if it is a refusal."""
    if answer.status_code < 400:
        return answer.json()
    try:
        sentence = answer.json()["error"]
    except (ValueError, KeyError, TypeError):
        sentence = f"The service answered {answer.status_code}."
    raise ServiceError(sentence, answer.status_code)


def _again(answer: httpx.Response) -> bool:
    """Whether nothing has happened and another try may succeed."""
    return answer.status_code in (502, 503, 504)


def _path(*parts: str) -> str:
    return "/v1/" + "/".join(quote(each, "") for each in parts)


def _create(name: str, arms: Iterable[str], policy: Any, family: Any, more: Any) -> _Request:
    body = {"arms": list(arms), "policy": policy, "family": family, **more}
    return _Request("PUT", _path("experiments", name), body, slow=True)


def _decide(experiment: str, id: str | None, context: Context | None) -> _Request:
    body: dict[str, Any] = {"id": id or _new_id()}
    if context is not None:
        body["context"] = _plain(context)
    return _Request("POST", _path("experiments", experiment, "decisions"), body)


def _plain(context: Context) -> Any:
    """The context as lists of floats, whatever its numbers are: NumPy's too."""
    if isinstance(context, Mapping):
        return {name: list(map(float, each)) for name, each in context.items()}
    return list(map(float, context))


def _reward(id: str, value: float, experiment: str | None) -> _Request:
    query = f"?experiment={quote(experiment, '')}" if experiment is not None else ""
    return _Request("PUT", _path("decisions", id, "reward") + query, {"value": value})


def _batch(items: Iterable[Mapping[str, Any]]) -> _Request:
    sent = []
    for each in items:
        item = {key: dict(value) for key, value in each.items()}
        if "decision" in item:
            item["decision"].setdefault("id", _new_id())
            if item["decision"].get("context") is not None:
                item["decision"]["context"] = _plain(item["decision"]["context"])
        sent.append(item)
    return _Request("POST", "/v1/batch", {"items": sent})


class _Settings(NamedTuple):
    base_url: str
    headers: dict[str, str]
    timeout: float

    @classmethod
    def of(cls, url: str, key: str | None, timeout: float) -> _Settings:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        return cls(url.rstrip("/"), headers, timeout)


class Client:
    """The service at an address.

    url: as `rbmle serve` prints it. key: what `rbmle service key create` printed.
    timeout: seconds for one try; creating an experiment may take longer, because it is compiled.
    patience: seconds for which a request is tried again if the service cannot be reached.

    All methods are safe to call from several threads.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8000",
        key: str | None = None,
        timeout: float = 10.0,
        patience: float = 30.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._http = httpx.Client(**_Settings.of(url, key, timeout)._asdict(), transport=transport)
        self._timeout, self._patience = timeout, patience

    def create(
        self, name: str, arms: Iterable[str], policy: Any = "rbmle", family: Any = "bernoulli",
        **more: Any,
    ) -> dict[str, Any]:  # fmt: skip
        """Create an experiment; the same again does nothing.

        more: evidence, seed, horizon, ties, patience, reward_wait_s, default_reward.
        """
        told: dict[str, Any] = self._send(_create(name, arms, policy, family, more))
        return told

    def decide(
        self, experiment: str, id: str | None = None, context: Context | None = None
    ) -> Choice:
        """The arm to play now. id: your name for the decision; else one is made.

        context: for evidence that reads features, those of each active arm by its name; or one
        list for all arms, if each has a theta of its own.
        """
        return Choice(**self._send(_decide(experiment, id, context)))

    def reward(self, id: str, value: float, experiment: str | None = None) -> bool:
        """Tell the reward of a decision; False if it had been counted before."""
        return bool(self._send(_reward(id, value, experiment))["counted"])

    def batch(self, items: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Decisions and rewards in one transaction; the status and the body of each."""
        told: list[dict[str, Any]] = self._send(_batch(items))["answers"]
        return told

    def add_arm(self, experiment: str, arm: str) -> None:
        """Add an arm."""
        self._send(_Request("POST", _path("experiments", experiment, "arms"), {"name": arm}))

    def set_state(self, experiment: str, arm: str, state: str) -> None:
        """Make an arm active, paused or retired."""
        path = _path("experiments", experiment, "arms", arm)
        self._send(_Request("PATCH", path, {"state": state}))

    def experiment(self, name: str) -> dict[str, Any]:
        """Statistics, indices, pending decisions and shares of traffic."""
        told: dict[str, Any] = self._send(_Request("GET", _path("experiments", name)))
        return told

    def experiments(self) -> list[dict[str, Any]]:
        """All experiments that the key may see."""
        told: list[dict[str, Any]] = self._send(_Request("GET", "/v1/experiments"))["experiments"]
        return told

    def _send(self, request: _Request) -> Any:
        for pause in _pauses(self._patience):
            try:
                answer = self._http.request(
                    request.method, request.path, **request.options(self._timeout)
                )
            except httpx.TransportError as problem:
                lost: Exception = problem
            else:
                if not _again(answer):
                    return _told(answer)
                lost = ServiceError(answer.text, answer.status_code)
            time.sleep(pause)
        raise ServiceError(f"The service could not be reached: {lost}.") from None

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncClient:
    """The same as `Client`, for asyncio."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:8000",
        key: str | None = None,
        timeout: float = 10.0,
        patience: float = 30.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        settings = _Settings.of(url, key, timeout)
        self._http = httpx.AsyncClient(**settings._asdict(), transport=transport)
        self._timeout, self._patience = timeout, patience

    async def create(
        self, name: str, arms: Iterable[str], policy: Any = "rbmle", family: Any = "bernoulli",
        **more: Any,
    ) -> dict[str, Any]:  # fmt: skip
        """Create an experiment; the same again does nothing."""
        told: dict[str, Any] = await self._send(_create(name, arms, policy, family, more))
        return told

    async def decide(
        self, experiment: str, id: str | None = None, context: Context | None = None
    ) -> Choice:
        """The arm to play now. id: your name for the decision; else one is made.

        context: for evidence that reads features, those of each active arm by its name; or one
        list for all arms, if each has a theta of its own.
        """
        return Choice(**await self._send(_decide(experiment, id, context)))

    async def reward(self, id: str, value: float, experiment: str | None = None) -> bool:
        """Tell the reward of a decision; False if it had been counted before."""
        return bool((await self._send(_reward(id, value, experiment)))["counted"])

    async def batch(self, items: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Decisions and rewards in one transaction; the status and the body of each."""
        told: list[dict[str, Any]] = (await self._send(_batch(items)))["answers"]
        return told

    async def add_arm(self, experiment: str, arm: str) -> None:
        """Add an arm."""
        await self._send(_Request("POST", _path("experiments", experiment, "arms"), {"name": arm}))

    async def set_state(self, experiment: str, arm: str, state: str) -> None:
        """Make an arm active, paused or retired."""
        path = _path("experiments", experiment, "arms", arm)
        await self._send(_Request("PATCH", path, {"state": state}))

    async def experiment(self, name: str) -> dict[str, Any]:
        """Statistics, indices, pending decisions and shares of traffic."""
        told: dict[str, Any] = await self._send(_Request("GET", _path("experiments", name)))
        return told

    async def experiments(self) -> list[dict[str, Any]]:
        """All experiments that the key may see."""
        told = await self._send(_Request("GET", "/v1/experiments"))
        listed: list[dict[str, Any]] = told["experiments"]
        return listed

    async def _send(self, request: _Request) -> Any:
        for pause in _pauses(self._patience):
            try:
                answer = await self._http.request(
                    request.method, request.path, **request.options(self._timeout)
                )
            except httpx.TransportError as problem:
                lost: Exception = problem
            else:
                if not _again(answer):
                    return _told(answer)
                lost = ServiceError(answer.text, answer.status_code)
            await asyncio.sleep(pause)
        raise ServiceError(f"The service could not be reached: {lost}.") from None

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
