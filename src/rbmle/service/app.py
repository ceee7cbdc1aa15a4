"""`App`, the ASGI application of a worker: reads requests, asks the committer, and answers."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib import resources
from time import perf_counter
from typing import Concatenate, ParamSpec, TypeVar

import msgspec
from msgspec.structs import asdict
from starlette.responses import Response, StreamingResponse
from starlette.routing import Router
from starlette.types import Receive, Scope, Send

from ..errors import ParameterError, integer
from . import clock, messages, shown
from .callers import Callers, Edge
from .committer import Committer, ReadingThread
from .compiling import Compiler, is_ours
from .definition import Definition
from .experiment_cache import NotCompiledError
from .http import NOTHING, Call, Endpoint, Operation, openapi, pattern_of
from .keys import Keys
from .ledger import Ledger
from .messages import Answer, RefusedError, a_label, answer, no_experiment, refusal
from .meters import Meters
from .requests import AddArm, Create, End, SetState
from .storage import Key, StorageError, open_storage
from .transaction import Request
from .views import events, experiment_details, experiment_list, metrics, with_conclusions

# Seconds that creating an experiment waits for its code: loading it from the cache takes half of
# that. If it must be compiled, the answer says so, and the first decision waits.
_COMPILE_SECONDS = 1.0
_PAGE = {  # the files of the page, which are part of the package: no build step
    "page.html": "text/html",
    "page.css": "text/css",
    **dict.fromkeys(("page.js", "arms.js", "chart.js", "service.js"), "text/javascript"),
}
T = TypeVar("T")
P = ParamSpec("P")
_METRICS, _LINES = "text/plain", "application/x-ndjson"


class App:
    """The ASGI application of one worker. needs_keys: even while there is no key. offset: of the
    service's clock; by default this worker is all of the service."""

    def __init__(
        self, database: str, needs_keys: bool = False, offset: float | None = None,
        edge: Edge | None = None, meters: Meters | None = None,
    ) -> None:  # fmt: skip
        self.database, self.meters = database, meters or Meters()
        self.callers = Callers(Keys(needs_keys), edge or Edge(), self.meters)
        self.clock = clock.SteadyClock(clock.offset() if offset is None else offset)
        self.committer: Committer
        self.reader: ReadingThread
        self.compiler = Compiler()
        paths: dict[str, dict[str, Operation]] = {}
        for each in OPERATIONS:
            paths.setdefault(each.path, {})[each.method] = each
        self._routes = [
            (pattern_of(path), Endpoint(self, self.callers, path, methods))
            for path, methods in paths.items()
        ]
        self._elsewhere = Endpoint(self, self.callers, "other", {})
        self._router = Router(lifespan=self.lifespan)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or take part in the server's start and stop.

        The address is looked up as it came: a name may hold any character, also a slash, if it is
        written with percent signs. Starlette's router takes 2 us more for that.
        """
        if scope["type"] != "http":
            await self._router(scope, receive, send)
            return
        try:
            scope["path"] = path = scope["raw_path"].decode()
        except UnicodeDecodeError:
            scope["path"] = path = ""  # there is nothing
        for pattern, endpoint in self._routes:
            found = pattern.fullmatch(path)
            if found is not None:
                await endpoint(scope, receive, send, found.groupdict())
                return
        await self._elsewhere(scope, receive, send, {})

    @asynccontextmanager
    async def lifespan(self, _: object = None) -> AsyncIterator[None]:
        """From the start of the server to its stop."""
        loop = asyncio.get_running_loop()
        self.committer = Committer(lambda: self._ledger(self.callers.keys), loop)
        # Its own keys: it may see an older state of the database than the committer.
        keys = Keys(self.callers.keys.needed)
        self.reader = ReadingThread(lambda: self._ledger(keys), loop, self.committer.busy)
        self.callers.read_keys = lambda: self.committer.ask(lambda _: None)  # it reads the keys
        self.meters.commits, self.meters.queue = self.committer.seconds, self.committer.waiting
        await asyncio.to_thread(_description)
        tasks = [asyncio.create_task(each) for each in (self._warm(), self.meters.store())]
        yield
        for task in tasks:
            task.cancel()
        for each in (self.committer, self.reader):
            await asyncio.to_thread(each.stop)

    def _ledger(self, keys: Keys) -> Ledger:
        storage = open_storage(self.database, create=False, timeouts=True)
        return Ledger(storage, keys, self.clock, self.compiler.has)

    async def _run(self, call: Call, *requests: Request) -> list[Answer]:
        """Carry out the requests in one transaction."""
        asked = [(call.key, each) for each in requests]
        return await self._once_compiled(call, lambda: self.committer.submit(asked))

    async def _once_compiled(
        self, call: Call, ask: Callable[[], Awaitable[T]], seconds: float | None = None
    ) -> T:
        """What the database answers, when the code of the experiments is there: compiling takes up
        to a minute, and must not keep the requests for others waiting. seconds: the longest wait,
        after which the request is refused."""
        while True:
            begin = perf_counter()
            try:
                try:
                    return await ask()
                finally:
                    call.spent["database"] = perf_counter() - begin
            except NotCompiledError as problem:
                del call.spent["database"]  # it is asked again
                await self._compile(call, problem.definition, seconds)
                progress = self.compiler.progress(problem.definition)
                if progress is not None:
                    so_far = f"{progress.kind} is being compiled, for {progress.seconds:g} s so far"
                    sentence = f"The experiment {problem.name!r} is not ready: {so_far}."
                    raise RefusedError(refusal(503, sentence)) from None

    # Decisions and rewards

    async def decide(self, call: Call, body: messages.NewDecision) -> Answer:
        """Choose an arm."""
        asked = messages.Decide(experiment=call.name, **asdict(body))
        return (await self._run(call, _checked(asked)))[0]

    async def slate(self, call: Call, body: messages.NewSlate) -> Answer:
        """Choose several distinct arms, in order."""
        asked = messages.FillSlate(experiment=call.name, **asdict(body))
        return (await self._run(call, _checked(asked)))[0]

    async def reward(self, call: Call, body: messages.NewReward) -> Answer:
        """Tell the reward of a decision."""
        given = body.value, body.cost, body.metrics
        only, id = call.query.get("experiment"), call.names["id"]
        return (await self._run(call, messages.Reward(*given, id=id, experiment=only)))[0]

    async def batch(self, call: Call, body: messages.BatchRequest) -> Answer:
        """Decisions, slates and rewards in one transaction."""
        n = sum(1 if each.slate is None else max(each.slate.k, 1) for each in body.items)
        if not 1 <= n <= messages.MAX_BATCH_ITEMS:
            raise ParameterError("batch", "items", f"a list of 1 to {messages.MAX_BATCH_ITEMS}", n)
        requests = [_item(each, place) for place, each in enumerate(body.items)]
        answers = await self._run(call, *requests)
        made = [messages.BatchAnswer(each.status, msgspec.Raw(each.body)) for each in answers]
        return answer(200, messages.BatchAnswers(made))

    # Experiments and arms

    async def create(self, call: Call, body: messages.NewExperiment) -> Answer:
        """Create an experiment."""
        a_label("name", call.name)
        definition = await asyncio.to_thread(Definition.of, body)
        patience = _COMPILE_SECONDS if is_ours(definition) else None
        await self._compile(call, definition, patience)
        (created,) = await self._run(call, Create(call.name, definition))
        progress = self.compiler.progress(definition)
        if created.status < 300 and progress is not None:
            plain = asdict(definition.plain())
            return answer(
                created.status, messages.Created(name=call.name, **plain, compiling=progress)
            )
        return created

    async def _compile(self, call: Call, definition: Definition, seconds: float | None) -> None:
        begin = perf_counter()
        await self.compiler.wait(definition, seconds)
        call.spent["compiling"] = perf_counter() - begin

    async def _warm(self) -> None:
        """Compile what the stored experiments need, before the first request asks for it."""
        try:
            stored = await self.committer.ask(lambda ledger: ledger.storage.experiments())
        except StorageError:
            return  # it is compiled when it is asked for
        await self.compiler.warm([each.definition for each in stored])

    async def add_arm(self, call: Call, body: messages.NewArm) -> Answer:
        """Add an arm."""
        return (await self._run(call, AddArm(call.name, a_label("name", body.name))))[0]

    async def set_state(self, call: Call, body: messages.NewState) -> Answer:
        """Make an arm active, paused or retired."""
        return (await self._run(call, SetState(call.name, call.names["arm"], body.state)))[0]

    async def end(self, call: Call) -> Answer:
        """End an experiment: no more decisions; rewards of those that were made still count."""
        return (await self._run(call, End(call.name)))[0]

    # Looking

    def _look(
        self, call: Call, view: Callable[Concatenate[Ledger, Key, P], T],
        *given: P.args, **named: P.kwargs,
    ) -> Awaitable[T]:  # fmt: skip
        """What a view shows to the key of the call."""
        key = call.key
        return self.reader.ask(lambda ledger: view(ledger, key, *given, **named), key)

    async def experiments(self, call: Call) -> Answer:
        """All experiments."""
        return answer(200, shown.Overviews(await self._look(call, experiment_list)))

    async def experiment(self, call: Call) -> Answer:
        """One experiment."""
        found = await self._once_compiled(
            call, lambda: self._look(call, experiment_details, call.name), _COMPILE_SECONDS
        )
        if found is None:
            return no_experiment(call.name)
        return answer(200, await asyncio.to_thread(with_conclusions, *found))

    async def events(self, call: Call) -> Answer | Response:
        """The log, one JSON object a line."""
        after = call.query.get("after", "0")
        if not (after.isascii() and after.isdecimal() and len(after) < 19):
            raise ParameterError("events", "after", "a whole number in [0, 1e18)", after)
        first = await self._look(call, events, call.name, int(after))
        if first is None:
            return no_experiment(call.name)
        return StreamingResponse(self._lines(call, first), media_type=_LINES)

    async def _lines(self, call: Call, part: tuple[bytes, int] | None) -> AsyncIterator[bytes]:
        while part is not None:
            lines, after = part
            yield lines
            part = await self._look(call, events, call.name, after) if after else None

    async def health(self, call: Call) -> Answer:
        """The server runs."""
        return answer(200, messages.Health("ok"))

    async def ready(self, call: Call) -> Answer:
        """It can write, and has compiled what the experiments need that it found at its start."""
        if self.compiler.starting:
            return refusal(503, f"{self.compiler.starting} is being compiled.")
        bad = sorted(await self.committer.do(Ledger.try_to_write))
        await self.callers.read_keys()  # names are for keys, also if the first has just been made
        trusted = call.trusted and self.callers.keys.allows(call.key)
        names = [each for each in bad if trusted and call.key.sees(each)]
        return answer(200, messages.Ready("ready", len(bad), names))

    async def metrics(self, call: Call) -> Response:
        """The metrics, for Prometheus."""
        text = await self._look(call, metrics) + await asyncio.to_thread(self.meters.text)
        return Response(text, media_type=f"{_METRICS}; version=0.0.4; charset=utf-8")

    async def openapi(self, call: Call) -> Answer:
        """This description."""
        return _description()

    async def page(self, call: Call) -> Answer | Response:
        """The page, and its files."""
        name = call.names.get("file", "page.html")
        return _page_file(name) if name in _PAGE else NOTHING


_BY_NAME = "/v1/experiments/{name}"
_ARMS = f"{_BY_NAME}/arms"
_MADE = (404, 409, 410)  # how decisions, and their rewards, are refused
OPERATIONS = (
    Operation("POST", f"{_BY_NAME}/decisions", App.decide, "write", messages.Decided, _MADE),
    Operation("POST", f"{_BY_NAME}/slates", App.slate, "write", messages.Slate, _MADE),
    Operation(
        "PUT", "/v1/decisions/{id}/reward", App.reward, "write", messages.RewardCounted, _MADE,
        ("experiment",),
    ),
    Operation("POST", "/v1/batch", App.batch, "write", messages.BatchAnswers),
    Operation("PUT", _BY_NAME, App.create, "admin", messages.Created, (201, 404, 409)),
    Operation("GET", _BY_NAME, App.experiment, "read", shown.Details, (404,)),
    Operation("GET", "/v1/experiments", App.experiments, "read", shown.Overviews),
    Operation("POST", f"{_BY_NAME}/end", App.end, "admin", messages.Ended, (404,)),
    Operation("POST", _ARMS, App.add_arm, "admin", messages.ArmState, (201, 404, 409)),
    Operation("PATCH", f"{_ARMS}/{{arm}}", App.set_state, "admin", messages.ArmState, (404, 409)),
    Operation("GET", f"{_BY_NAME}/events", App.events, "read", _LINES, (404,), ("after",)),
    Operation("GET", "/healthz", App.health, "", messages.Health),
    Operation("GET", "/readyz", App.ready, "", messages.Ready),
    Operation("GET", "/metrics", App.metrics, "read", _METRICS),
    Operation("GET", "/openapi.json", App.openapi),
    Operation("GET", "/", App.page),
    Operation("GET", "/page/{file}", App.page),
)  # fmt: skip


def _item(item: messages.BatchItem, place: int) -> messages.Asked:
    given = [each for each in (item.decision, item.slate, item.reward) if each is not None]
    if len(given) != 1:
        allowed = "one of 'decision', 'slate' and 'reward'"
        raise ParameterError("batch", f"item {place}", allowed)
    return _checked(given[0])


def _checked(asked: messages.Asked) -> messages.Asked:
    """The request, if the ids of its decisions and the size of a slate are allowed."""
    if isinstance(asked, messages.FillSlate):
        integer("service", "k", asked.k, f"[1, {messages.MAX_BATCH_ITEMS}]")
    if not isinstance(asked, messages.Reward) and asked.id is not None:
        a_label(
            "id", f"{asked.id}.{asked.k}" if isinstance(asked, messages.FillSlate) else asked.id
        )
    return asked


@functools.cache
def _description() -> Answer:
    return Answer(200, msgspec.json.encode(openapi(OPERATIONS)))


@functools.cache
def _page_file(name: str) -> Response:
    content = resources.files(__package__).joinpath("web", name).read_bytes()
    return Response(content, media_type=_PAGE[name])
