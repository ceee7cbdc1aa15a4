"""`Client` and `AsyncClient`: the service from Python, with retries that cannot count twice.

Every decision gets an id before it is sent. If the answer is lost, or the service is unavailable,
the request is retried with the same id: a decision keeps its arm, and a reward counts once.
"""

from __future__ import annotations

import asyncio
import functools
import random
import re
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from typing import Any, Concatenate, Generic, NamedTuple, ParamSpec, TypeVar, cast
from urllib.parse import quote

from .._io.machine import not_installed
from ..errors import ParameterError, RbmleError

try:
    import httpx
except ImportError:
    raise not_installed("Client", "httpx", "service") from None

from .ids import new_id

T = TypeVar("T")
P = ParamSpec("P")
Json = dict[str, Any]  # an object of JSON
Spec = Mapping[str, object] | str  # a policy or a family: {"name": "UCB", "alpha": 1}, or "ucb"
Context = Mapping[str, Any] | Iterable[Any]
# Seconds for creating an experiment with classes of a user's own, which are compiled before the
# answer: 25 s for features on a busy machine. All others are answered at once.
_CREATE_TIMEOUT_SECONDS = 120.0
_COMPILE_POLL_SECONDS = 0.5  # between two questions whether the compilation has ended
_FIRST_RETRY_SECONDS, _MAX_RETRY_SECONDS = 0.05, 2.0  # it doubles at each retry
_RETRIED = (502, 503, 504)  # statuses: nothing has happened, and a retry may succeed
_PLACE = re.compile(r"[\w.-]+(:\d+)?/?")  # a host, and perhaps a port, without http://
_KEY = re.compile(r"[!-~]+")  # what a header can hold


class ServiceError(RbmleError):
    """The service refused a request, or could not be reached. status: of HTTP, or 0."""

    def __init__(self, sentence: str, status: int = 0) -> None:
        super().__init__(sentence)
        self.status = status


class ServedDecision(NamedTuple):
    """A decision: its id, the arm to play, the round, and the probability with which the arm was
    chosen, if it is known."""

    id: str
    arm: str
    t: int
    probability: float | None = None


class _Request(NamedTuple, Generic[T]):
    """A request. read: what the caller gets from the data of the answer."""

    read: Callable[[Json], T]
    method: str
    path: str
    body: object = None
    min_timeout: float = 0.0

    def options(self, timeout: float) -> Json:
        """The arguments for httpx. timeout: seconds for one try."""
        longer = httpx.Timeout(max(timeout, self.min_timeout), connect=timeout)
        return {"method": self.method, "url": self.path, "json": self.body, "timeout": longer}

    def result(self, answer: httpx.Response) -> T:
        """What an answer says; raises ServiceError for a refusal, TransportError to ask again."""
        if answer.status_code in _RETRIED:
            raise httpx.TransportError(answer.text)
        if answer.status_code < 400:
            return self.read(answer.json())
        try:
            sentence = answer.json()["error"]
        except (ValueError, KeyError, TypeError):
            sentence = f"The service answered {answer.status_code}."
        raise ServiceError(sentence, answer.status_code)


def _pauses(patience: float) -> Iterator[float]:
    """The pauses between retries, for `patience` seconds: exponential backoff with jitter."""
    end, pause = time.monotonic() + patience, _FIRST_RETRY_SECONDS
    while True:
        yield pause * random.uniform(0.5, 1.0)
        pause = min(2.0 * pause, _MAX_RETRY_SECONDS)
        if time.monotonic() >= end:
            return


def _path(*parts: str) -> str:
    """The address. A name of nothing but points would be taken for a folder's."""
    return "/v1/" + "/".join(quote(each, "").replace(".", "%2E") for each in parts)


def _create(
    name: str, arms: Iterable[str], policy: Spec, family: Spec, more: Mapping[str, object]
) -> _Request[Json]:
    body = {"arms": list(arms), "policy": policy, "family": family, **more}
    return _Request(dict, "PUT", _path("experiments", name), body, _CREATE_TIMEOUT_SECONDS)


def _plain(context: Any) -> Any:
    """The context as data that JSON can hold, whatever its numbers are: NumPy's too."""
    if isinstance(context, Mapping):
        return {name: _plain(each) for name, each in context.items()}
    if context is None or isinstance(context, (str, bool)):
        return context
    return [_plain(each) for each in context] if isinstance(context, Iterable) else float(context)


def _asked(id: str | None, context: Context | None, among: Iterable[str] | None) -> Json:
    """The body that asks for a decision."""
    body: Json = {"id": id or new_id()}
    if among is not None:
        body["among"] = among if isinstance(among, str) else list(among)
    if context is not None:
        body["context"] = _plain(context)
    return body


def _httpx_options(url: str, key: str | None) -> Json:
    """The arguments for httpx; refused if nothing could ever be reached by them."""
    is_text = isinstance(url, str)
    try:
        right = is_text and url.startswith(("http://", "https://")) and bool(httpx.URL(url).host)
    except (httpx.InvalidURL, ValueError):
        right = False
    if not right:
        meant = f" Did you mean 'http://{url}'?" if is_text and _PLACE.fullmatch(url) else ""
        allowed = "an address that begins with http:// or https://"
        raise ParameterError("Client", "url", allowed, url, meant)
    if key is not None and not (isinstance(key, str) and _KEY.fullmatch(key)):
        raise ParameterError("Client", "key", "what `rbmle service key create` printed")
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    return {"base_url": url.rstrip("/"), "headers": headers}


class Client:
    """The service at an address.

    url: as `rbmle serve` prints it, with http:// or https://. key: what `rbmle service key create`
    printed.
    timeout: seconds for one try; creating an experiment may take longer, because it is compiled.
    patience: seconds for which a request is retried if the service cannot be reached.

    All methods are safe to call from several threads.

        with rbmle.Client("http://127.0.0.1:8000") as client:
            client.create("shop", ["a", "b"], policy="ts", family="bernoulli")
            choice = client.decide("shop", id="visit-7")
            client.reward("visit-7", 1.0)
    """

    def __init__(
        self, url: str = "http://127.0.0.1:8000", key: str | None = None, timeout: float = 10.0,
        patience: float = 30.0, transport: httpx.BaseTransport | None = None,
    ) -> None:  # fmt: skip
        self._http = httpx.Client(**_httpx_options(url, key), transport=transport)
        self._timeout, self._patience = timeout, patience

    def create(
        self, name: str, arms: Iterable[str], policy: Spec = "rbmle", family: Spec = "bernoulli",
        **more: object,
    ) -> Json:  # fmt: skip
        """Create an experiment; the same again does nothing.

        The first of its kind on a machine is compiled, which this waits for.
        more: evidence, seed, horizon, ties, patience, reward_wait_s, default_reward,
        probabilities, consistency, cost, objective, price, budget, guardrails.
        """
        request = _create(name, arms, policy, family, more)
        while "compiling" in (created := self._send(request)):
            time.sleep(_COMPILE_POLL_SECONDS)
        return created

    def decide(
        self, experiment: str, id: str | None = None, context: Context | None = None,
        among: Iterable[str] | None = None,
    ) -> ServedDecision:  # fmt: skip
        """The arm to play now. id: your name for the decision; else one is made.

        context: for evidence that reads features, those of each active arm by its name; or one
        list for all arms, if each has a theta of its own; with an `Encode`, a row.
        among: the candidates, some of the active arms; by default all of them.
        """
        body = _asked(id, context, among)
        path = _path("experiments", experiment, "decisions")
        return self._send(_Request(lambda data: ServedDecision(**data), "POST", path, body))

    def slate(
        self, experiment: str, k: int, id: str | None = None, context: Context | None = None,
        among: Iterable[str] | None = None,
    ) -> list[ServedDecision]:  # fmt: skip
        """k distinct arms in order, each with the decision of its place, whose id is `id` with a
        point and the place, from 1. The other parameters are those of `decide`."""
        body = _asked(id, context, among) | {"k": k}
        path = _path("experiments", experiment, "slates")
        request = _Request(
            lambda data: [ServedDecision(**each) for each in data["places"]], "POST", path, body
        )
        return self._send(request)

    def reward(
        self, id: str, value: float, experiment: str | None = None, cost: float | None = None,
        metrics: Mapping[str, float] | None = None,
    ) -> bool:  # fmt: skip
        """Tell the reward of a decision; False if it had been counted before.

        cost: of the decision, where costs are seen. metrics: with guardrails, {"errors": 1}.
        """
        query = f"?experiment={quote(experiment, '')}" if experiment is not None else ""
        path = _path("decisions", id, "reward") + query
        body: Json = {"value": value}
        if cost is not None:
            body["cost"] = cost
        if metrics is not None:
            body["metrics"] = {name: float(each) for name, each in metrics.items()}
        return self._send(_Request(lambda data: bool(data["counted"]), "PUT", path, body))

    def batch(self, items: Iterable[Mapping[str, Mapping[str, Any]]]) -> list[Json]:
        """Decisions, slates and rewards in one transaction; the status and the body of each."""
        sent = [{key: dict(value) for key, value in each.items()} for each in items]
        asked = [each for item in sent for kind, each in item.items() if kind != "reward"]
        for decision in asked:
            decision.setdefault("id", new_id())
            if decision.get("context") is not None:
                decision["context"] = _plain(decision["context"])
        body = {"items": sent}
        return self._send(_Request(lambda data: list(data["answers"]), "POST", "/v1/batch", body))

    def add_arm(self, experiment: str, arm: str) -> None:
        """Add an arm."""
        path = _path("experiments", experiment, "arms")
        return self._send(_Request(lambda _: None, "POST", path, {"name": arm}))

    def set_state(self, experiment: str, arm: str, state: str) -> None:
        """Make an arm active, paused or retired."""
        path = _path("experiments", experiment, "arms", arm)
        return self._send(_Request(lambda _: None, "PATCH", path, {"state": state}))

    def experiment(self, name: str) -> Json:
        """Statistics, indices, pending decisions and shares of traffic."""
        return self._send(_Request(dict, "GET", _path("experiments", name)))

    def experiments(self) -> list[Json]:
        """All experiments that the key may see."""
        path = _path("experiments")
        return self._send(_Request(lambda data: list(data["experiments"]), "GET", path))

    def _send(self, request: _Request[T]) -> T:
        for pause in _pauses(self._patience):
            try:
                return request.result(self._http.request(**request.options(self._timeout)))
            except httpx.TransportError as problem:
                lost = str(problem)
            time.sleep(pause)
        raise ServiceError(f"{self._http.base_url} could not be reached: {lost}.")

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _for_asyncio(
    method: Callable[Concatenate[Any, P], T],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]]:
    """The method of `Client` for `AsyncClient`, whose `_send` is a coroutine."""

    @functools.wraps(method)
    async def awaited(self: AsyncClient, /, *given: P.args, **named: P.kwargs) -> T:
        return await cast("Awaitable[T]", method(self, *given, **named))

    awaited.__qualname__ = f"AsyncClient.{method.__name__}"
    return awaited


class AsyncClient:
    """The same as `Client`, for asyncio.

    All methods are awaited:

        async with rbmle.AsyncClient("http://127.0.0.1:8000") as client:
            choice = await client.decide("shop", id="visit-7")
    """

    def __init__(
        self, url: str = "http://127.0.0.1:8000", key: str | None = None, timeout: float = 10.0,
        patience: float = 30.0, transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:  # fmt: skip
        self._http = httpx.AsyncClient(**_httpx_options(url, key), transport=transport)
        self._timeout, self._patience = timeout, patience

    async def create(
        self, name: str, arms: Iterable[str], policy: Spec = "rbmle", family: Spec = "bernoulli",
        **more: object,
    ) -> Json:  # fmt: skip
        """Create an experiment; the same again does nothing."""
        request = _create(name, arms, policy, family, more)
        while "compiling" in (created := await self._send(request)):
            await asyncio.sleep(_COMPILE_POLL_SECONDS)
        return created

    decide = _for_asyncio(Client.decide)
    slate = _for_asyncio(Client.slate)
    reward = _for_asyncio(Client.reward)
    batch = _for_asyncio(Client.batch)
    add_arm = _for_asyncio(Client.add_arm)
    set_state = _for_asyncio(Client.set_state)
    experiment = _for_asyncio(Client.experiment)
    experiments = _for_asyncio(Client.experiments)

    async def _send(self, request: _Request[T]) -> T:
        for pause in _pauses(self._patience):
            try:
                return request.result(await self._http.request(**request.options(self._timeout)))
            except httpx.TransportError as problem:
                lost = str(problem)
            await asyncio.sleep(pause)
        raise ServiceError(f"{self._http.base_url} could not be reached: {lost}.")

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
