"""The HTTP side: a bare ASGI application. It reads requests, asks the committer, and answers."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from typing import Any

import msgspec

from ..errors import ParameterError
from .answers import NO_KEY, Answer, answer, no_experiment, refusal
from .bodies import (
    MOST_ITEMS,
    Asked,
    Created,
    Item,
    NewArm,
    NewState,
    Several,
    Told,
    a_label,
    check_id,
)
from .committer import Committer, unavailable
from .definition import Definition
from .keys import Key, Keys
from .ledger import Ledger
from .messages import (
    JSON,
    Receive,
    RefusedError,
    Scope,
    Send,
    begin,
    query_of,
    read,
    send_answer,
    token_of,
    whole_body,
)
from .metrics import exposition
from .openapi import openapi
from .page import page_file
from .paths import Route, found, methods_of
from .requests import AddArm, Create, Decide, Request, Reward, SetState
from .views import events, experiment_list, experiment_view

_EVENTS_AT_ONCE = 5_000  # rows that are read in one transaction
_told, _asked = msgspec.json.Decoder(Told), msgspec.json.Decoder(Asked)
_NOTHING_ASKED = Asked()  # no body is as good as an empty one


class App:
    """The ASGI application of one worker."""

    def __init__(self, keys: Keys, committer: Callable[[], Committer]) -> None:
        self.keys, self._start = keys, committer
        self.committer: Committer
        self._prepared: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or take part in the server's start and stop."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self.committer = self._start()
                self.committer.start()
                await send({"type": "lifespan.startup.complete"})
            else:
                await asyncio.get_running_loop().run_in_executor(None, self.committer.stop)
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind = JSON
        try:
            route, names = found(scope["raw_path"])
            if route is None:
                raise RefusedError(refusal(404, "There is nothing at this address."))
            work = _ROUTES.get((route, scope["method"]))
            if work is None:
                allowed = ", ".join(methods_of(route, _ROUTES))
                raise RefusedError(refusal(405, f"Use {allowed} here."))
            told = await work(self, scope, receive, send, names)
            if told is None:  # it has answered by itself
                return
            if isinstance(told, tuple) and len(told) == 3:
                kind, told = told[2], Answer(*told[:2])
        except RefusedError as problem:
            told = problem.answer
        except ParameterError as problem:
            told = refusal(422, str(problem))
        except Exception as problem:
            told = unavailable(problem)
        await send_answer(send, told, kind)

    # Keys

    async def _key(self, scope: Scope, role: str, experiment: str | None = None) -> Key:
        """The key of the request, if it may do this. One that is not known yet is looked up."""
        token = token_of(scope)
        key = self.keys.of(token)
        known = key is not None and not (self.keys.open and token is not None)
        if not known and (token is not None or not self.keys.loaded):
            await self.committer.ask(lambda ledger: ledger.keys.refresh(ledger.storage))
            key = self.keys.of(token)
        if key is None:
            raise RefusedError(NO_KEY)
        if experiment is not None and key.experiment not in (None, experiment):
            raise RefusedError(no_experiment(experiment))
        if not key.may(role):
            raise RefusedError(
                refusal(403, f"This needs a key of role {role}; yours is {key.role}.")
            )
        return key

    async def _run(self, request: Request) -> Answer:
        return (await self.committer.submit((request,)))[0]

    async def _ask(self, key: Key, question: Callable[[Ledger], Any]) -> Any:
        """Ask the ledger, if the key is still valid when it answers."""

        def asked(ledger: Ledger) -> Any:
            ledger.keys.refresh(ledger.storage)
            return question(ledger) if ledger.keys.allows(key) else NO_KEY

        told = await self.committer.ask(asked)
        if told is NO_KEY:
            raise RefusedError(NO_KEY)
        return told

    # Decisions and rewards

    async def decide(self, scope: Scope, receive: Receive, send: Send, names: Any) -> Answer:
        name = names[0]
        key = await self._key(scope, "write", name)
        body = await whole_body(receive)
        asked = read(_asked, body) if body else _NOTHING_ASKED
        id = check_id(asked.id)
        if name not in self._prepared:
            await self._prepare(key, name)
        return await self._run(Decide(key, name, id, asked.context))

    async def reward(self, scope: Scope, receive: Receive, send: Send, names: Any) -> Answer:
        key = await self._key(scope, "write")
        value = read(_told, await whole_body(receive)).value
        only = query_of(scope, {"experiment"}).get("experiment")
        return await self._run(Reward(key, only, names[0], value))

    async def batch(self, scope: Scope, receive: Receive, send: Send, names: Any) -> Answer:
        key = await self._key(scope, "write")
        items = read(_several, await whole_body(receive)).items
        if not 1 <= len(items) <= MOST_ITEMS:
            raise ParameterError("batch", "items", f"a list of 1 to {MOST_ITEMS}", len(items))
        requests = [_request(key, each, place) for place, each in enumerate(items)]
        for name in {each.experiment for each in requests} - {None, *self._prepared}:
            await self._prepare(key, name or "")
        answers = await self.committer.submit(requests)
        parts = b",".join(b'{"status":%d,"body":%b}' % each for each in answers)
        return Answer(200, b'{"answers":[%b]}' % parts)

    # Experiments and arms

    async def create(self, scope: Scope, receive: Receive, send: Send, names: Any) -> Answer:
        name = a_label("name", names[0])
        key = await self._key(scope, "admin", name)
        definition = Definition.of(read(_created, await whole_body(receive)))
        await _compiled(definition)
        told = await self._run(Create(key, name, definition))
        if told.status < 300:
            self._prepared.add(name)
        return told

    async def _prepare(self, key: Key, name: str) -> None:
        """Compile what the experiment needs, if this worker has not met it yet.

        That takes up to seconds, and must not keep the requests for other experiments waiting.
        """

        def stored(ledger: Ledger) -> str | None:
            found = ledger.storage.named(name)
            return None if found is None else found.definition

        text = await self._ask(key, stored)
        if text is not None:
            await _compiled(Definition.read(text))
            self._prepared.add(name)

    async def add_arm(self, scope: Scope, receive: Receive, send: Send, names: Any) -> Answer:
        key = await self._key(scope, "admin", names[0])
        arm = a_label("name", read(_new_arm, await whole_body(receive)).name)
        return await self._run(AddArm(key, names[0], arm))

    async def set_state(self, scope: Scope, receive: Receive, send: Send, names: Any) -> Answer:
        key = await self._key(scope, "admin", names[0])
        state = read(_new_state, await whole_body(receive)).state
        return await self._run(SetState(key, names[0], names[1], state))

    # Looking

    async def experiments(self, scope: Scope, receive: Receive, send: Send, names: Any) -> Answer:
        key = await self._key(scope, "read")
        shown = await self._ask(key, lambda ledger: experiment_list(ledger, key))
        return answer(200, {"experiments": shown})

    async def experiment(self, scope: Scope, receive: Receive, send: Send, names: Any) -> Answer:
        key = await self._key(scope, "read", names[0])
        shown = await self._ask(key, lambda ledger: experiment_view(ledger, key, names[0]))
        return no_experiment(names[0]) if shown is None else answer(200, shown)

    async def events(self, scope: Scope, receive: Receive, send: Send, names: Any) -> Any:
        key = await self._key(scope, "read", names[0])
        given = query_of(scope, {"after"}).get("after", "0")
        if not (given.isascii() and given.isdecimal() and len(given) < 19):
            raise ParameterError("events", "after", "a whole number in [0, inf)", given)
        after, begun, encode = int(given), False, msgspec.json.Encoder().encode
        while True:
            place = after

            def rows(ledger: Any, place: int = place) -> Any:
                return events(ledger, key, names[0], place, _EVENTS_AT_ONCE)

            part = await self._ask(key, rows)
            if part is None:
                return no_experiment(names[0])
            if not begun:
                await begin(send, 200, b"application/x-ndjson")
                begun = True
            text = b"".join(encode(each.event()) + b"\n" for each in part)
            more = len(part) == _EVENTS_AT_ONCE
            await send({"type": "http.response.body", "body": text, "more_body": more})
            if not more:
                return None
            after = part[-1].seq

    async def health(self, scope: Scope, receive: Receive, send: Send, names: Any) -> Answer:
        return answer(200, {"status": "ok"})

    async def ready(self, scope: Scope, receive: Receive, send: Send, names: Any) -> Answer:
        await self.committer.do(lambda ledger: ledger.try_to_write())
        return answer(200, {"status": "ready"})

    async def metrics(self, scope: Scope, receive: Receive, send: Send, names: Any) -> Any:
        key = await self._key(scope, "read")
        shown = await self._ask(key, lambda ledger: experiment_list(ledger, key))
        return 200, exposition(shown).encode(), b"text/plain; version=0.0.4; charset=utf-8"

    async def openapi(self, scope: Scope, receive: Receive, send: Send, names: Any) -> Answer:
        return answer(200, openapi())

    async def page(self, scope: Scope, receive: Receive, send: Send, names: Any) -> Any:
        return page_file(names[0] if names else "page.html")


_ROUTES: dict[tuple[Route, str], Any] = {
    (Route.DECISIONS, "POST"): App.decide,
    (Route.REWARD, "PUT"): App.reward,
    (Route.BATCH, "POST"): App.batch,
    (Route.EXPERIMENT, "PUT"): App.create,
    (Route.EXPERIMENT, "GET"): App.experiment,
    (Route.EXPERIMENTS, "GET"): App.experiments,
    (Route.ARMS, "POST"): App.add_arm,
    (Route.ARM, "PATCH"): App.set_state,
    (Route.EVENTS, "GET"): App.events,
    (Route.HEALTH, "GET"): App.health,
    (Route.READY, "GET"): App.ready,
    (Route.METRICS, "GET"): App.metrics,
    (Route.OPENAPI, "GET"): App.openapi,
    (Route.PAGE, "GET"): App.page,
    (Route.PAGE_FILE, "GET"): App.page,
}
_several, _created = msgspec.json.Decoder(Several), msgspec.json.Decoder(Created)
_new_arm, _new_state = msgspec.json.Decoder(NewArm), msgspec.json.Decoder(NewState)


async def _compiled(definition: Definition) -> None:
    """Compile what the experiment needs, in a thread of its own.

    Compiling leaves some 100,000 objects that stay. Python would look through all of them for
    unreachable cycles now and then, and nothing would be answered for 0.1 s: it is told not to.
    """
    await asyncio.get_running_loop().run_in_executor(None, definition.prepare)
    gc.freeze()


def _request(key: Key, item: Item, place: int) -> Request:
    if (item.decision is None) == (item.reward is None):
        raise ParameterError("batch", f"item {place}", "either a 'decision' or a 'reward'")
    if item.decision is not None:
        asked = item.decision
        return Decide(key, asked.experiment, check_id(asked.id), asked.context)
    assert item.reward is not None
    return Reward(key, item.reward.experiment, item.reward.id, item.reward.value)
