"""`Ledger`: carries out many requests in one transaction, under the locks of their experiments."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from ..errors import ParameterError, did_you_mean
from ..random import MAX_ARMS
from .answers import (
    COUNTED,
    NO_KEY,
    NOT_COUNTED,
    Answer,
    answer,
    no_decision,
    no_experiment,
    refusal,
)
from .cache import Cache
from .experiment import STATES, Experiment, Open
from .keys import Key, Keys
from .requests import AddArm, Create, Decide, Request, Reward, SetState
from .rows import Kind, Row, place_of
from .storage import Storage, StorageError

T = TypeVar("T")
_SECONDS_A_TRY = 1.0  # between two tries to write that nobody but /readyz needs; a choice


class Ledger:
    """The service without HTTP: requests in, answers out, everything durable in between.

    It is used by one thread at a time.
    """

    def __init__(
        self, storage: Storage, keys: Keys | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self.storage, self.keys, self.clock = storage, keys or Keys(), clock
        self.cache = Cache(storage)
        self._generation = storage.generation
        self._cannot_write = ""  # why the last try to write failed
        self._last_try = -_SECONDS_A_TRY

    def run(self, requests: Sequence[Request], sweep: bool = False) -> list[Answer]:
        """Carry out the requests in order, in one transaction; the answers are true on return.

        sweep: also end the decisions of all experiments whose deadline has passed. If anything
        goes wrong with the database, nothing has changed, and StorageError is raised.
        """
        touched: dict[int, Experiment] = {}
        try:
            with self.storage.writing():
                self._renew()
                batch = _Batch(self, touched)
                answers = batch.run(requests, sweep)
        except BaseException as problem:
            for each in touched.values():
                self.cache.drop(each)
            if isinstance(problem, StorageError):
                self._tried(problem)
            raise
        if batch.rows:
            self._tried(None)
        return answers

    def try_to_write(self) -> None:
        """Raise StorageError if nothing can be written now, because the disk is full for instance.

        What was found is taken for true for a second, so that nobody can make the disk busy by
        asking; and while rows are written all the time, that is known without trying.
        """
        if time.monotonic() - self._last_try > _SECONDS_A_TRY:
            try:
                with self.storage.writing():
                    self._renew()
                    self.storage.write_something()
            except StorageError as problem:
                self._tried(problem)
            else:
                self._tried(None)
        if self._cannot_write:
            raise StorageError(self._cannot_write)

    def _tried(self, problem: StorageError | None) -> None:
        self._cannot_write, self._last_try = str(problem or ""), time.monotonic()

    def ask(self, question: Callable[[Ledger], T]) -> T:
        """The answer to a question that only reads; no lock is taken."""
        with self.storage.reading():
            self._renew()
            return question(self)

    def _renew(self) -> None:
        """Forget everything if the database was opened again: it may be another one."""
        if self.storage.generation != self._generation:
            self._generation = self.storage.generation
            self.cache = Cache(self.storage)
            self.keys.forget()

    def refresh(self) -> None:
        """Read the keys and all experiments, without any lock."""
        with self.storage.reading():
            self._renew()
            self.keys.refresh(self.storage)
            self.cache.load_all()
            for each in self.cache.all():
                self.cache.catch_up(each)

    def due(self, now: float) -> bool:
        """Whether a decision that is known here has passed its deadline."""
        return any(each.deadline() <= now for each in self.cache.all())


class _Batch:
    """One transaction of the ledger."""

    def __init__(self, ledger: Ledger, touched: dict[int, Experiment]) -> None:
        """touched: filled with the experiments whose state may be ahead of what is committed."""
        self.ledger, self.storage, self.cache = ledger, ledger.storage, ledger.cache
        self.touched = touched
        self.rows: list[Row] = []
        self.created: set[str] = set()
        self.named: dict[str, list[Row]] = {}  # decisions by the caller's id
        self.closed: dict[tuple[int, int | None], Row] = {}  # outcomes of this transaction
        self.now = 0.0

    def run(self, requests: Sequence[Request], sweep: bool) -> list[Answer]:
        self.ledger.keys.refresh(self.storage)
        allows = self.ledger.keys.allows
        allowed = [allows(each.key) for each in requests]
        valid = [each for each, good in zip(requests, allowed, strict=True) if good]
        self._create(valid)
        self._lock(valid, sweep)
        self.now = self.ledger.clock()
        for each in self.touched.values():
            self.rows += each.expire(self.now)
        self.closed = {(each.experiment, each.of): each for each in self.rows}
        answers = [
            self._answer(each) if good else NO_KEY
            for each, good in zip(requests, allowed, strict=True)
        ]
        if self.rows:
            self.storage.append(self.rows)
        for known in self.touched.values():
            self.cache.keep_snapshot(known)
        return answers

    def _create(self, requests: Sequence[Request]) -> None:
        """Create what is to be created, in the order of names: two workers that create the same
        experiments cannot wait for each other in a circle."""
        wanted = {each.experiment: each for each in reversed(requests) if isinstance(each, Create)}
        for name in sorted(wanted):
            if name not in self.cache:
                text = wanted[name].definition.text()
                stored = self.storage.create(name, text, self.ledger.clock())
                if stored is not None:
                    self.created.add(name)
                    self.touched[stored.number] = self.cache.load(stored)

    def _lock(self, requests: Sequence[Request], sweep: bool) -> None:
        """Lock the experiments that the requests name, and bring them up to date."""
        for name in {each.experiment for each in requests if each.experiment is not None}:
            self._touch(self.cache.named(name))
        told = [each.id for each in requests if isinstance(each, Reward)]
        ids = [id for id in told if place_of(id) is None]
        for id in told:
            place = place_of(id)
            if place is not None:
                self._touch(self.cache.numbered(place[0]))
        for row in self.storage.decisions(ids) if ids else ():
            self._touch(self.cache.numbered(row.experiment))
            self.named.setdefault(row.name(), []).append(row)
        if sweep:
            now = self.ledger.clock()
            for known in self.cache.all():
                if known.deadline() <= now:
                    self._touch(known)
        if self.touched:
            self.storage.lock(sorted(self.touched))
        for known in self.touched.values():
            self.cache.catch_up(known)
        asked = {each.id for each in requests if isinstance(each, Decide) and each.id is not None}
        for id in asked:  # what was found before the lock may not be all
            self.named.pop(id, None)
        for row in self.storage.decisions(sorted(asked)) if asked else ():
            self.named.setdefault(row.name(), []).append(row)

    def _touch(self, experiment: Experiment | None) -> None:
        if experiment is not None:
            self.touched[experiment.number] = experiment

    def _answer(self, request: Request) -> Answer:
        try:
            if isinstance(request, Decide):
                return self._decide(request)
            if isinstance(request, Reward):
                return self._reward(request)
            if isinstance(request, Create):
                return self._created(request)
            return self._change(request)
        except ParameterError as problem:
            for known in [each for each in self.touched.values() if not each.sound]:
                self._compute_again(known)
            return refusal(422, str(problem.of("service", instead_of="Decider")))

    def _compute_again(self, known: Experiment) -> None:
        """A request was refused when its work had begun: compute the experiment from its rows."""
        self.cache.drop(known)
        stored = self.storage.named(known.name)
        assert stored is not None
        again = self.cache.load(stored)
        self.cache.catch_up(again)
        again.apply(row for row in self.rows if row.experiment == again.number)
        self.touched[again.number] = again

    def _experiment(self, key: Key, name: str) -> Experiment | None:
        hidden = key.experiment is not None and key.experiment != name
        return None if hidden else self.cache.named(name)

    def _created(self, request: Create) -> Answer:
        known = self._experiment(request.key, request.experiment)
        if known is None:
            return no_experiment(request.experiment)
        if request.definition.text() != known.definition.text():
            return refusal(409, f"The experiment {known.name!r} exists and is another.")
        new = known.name in self.created
        self.created.discard(known.name)
        return answer(201 if new else 200, {"name": known.name, **known.definition.plain()})

    def _decide(self, request: Decide) -> Answer:
        known = self._experiment(request.key, request.experiment)
        if known is None:
            return no_experiment(request.experiment)
        row, id = None, request.id
        if id is not None:
            place = place_of(id)
            if place is not None:
                row = self.storage.decision(*place) if place[0] == known.number else None
                if row is None or row.id is not None:
                    raise ParameterError("service", "id", "of another form than our own", id)
            else:
                found = self.named.get(id, ())
                row = next((each for each in found if each.experiment == known.number), None)
        if row is None:
            row = known.decide(id, self.now, request.context)
            self.rows.append(row)
            if id is not None:
                self.named.setdefault(id, []).append(row)
        arm = known.arms[row.arm or 0].name
        return answer(200, {"id": row.name(), "arm": arm, "t": row.t})

    def _reward(self, request: Reward) -> Answer:
        found = self._found(request)
        if not found:
            return no_decision(request.id)
        if len(found) > 1:
            return refusal(
                409, f"The id {request.id!r} is used in several experiments: name one of them."
            )
        known, seq, waiting = found[0]
        value = known.checked(request.value)
        outcome = None
        if seq not in known.open:
            outcome = self.closed.get((known.number, seq))
            outcome = outcome or self.storage.outcome(known.number, seq)
        if outcome is None:
            row = known.reward(seq, waiting, value, self.now)
            self.rows.append(row)
            self.closed[known.number, seq] = row
            return COUNTED
        if outcome.kind == Kind.EXPIRED:
            return refusal(410, f"The deadline of decision {request.id!r} has passed.")
        if outcome.value == value:
            return NOT_COUNTED
        return refusal(409, f"Decision {request.id!r} has another reward, {outcome.value!r}.")

    def _found(self, request: Reward) -> list[tuple[Experiment, int, Open]]:
        """The decisions that a reward may mean: the experiment, the place in its log, and it."""
        place = place_of(request.id)
        rows = self.named.get(request.id, [])
        if place is not None:
            known = self.touched.get(place[0])
            if known is None or not _may_mean(request, known):
                return []
            waiting = known.open.get(place[1])
            if waiting is not None:
                return [(known, place[1], waiting)]
            row = next((each for each in self.rows if each[:2] == place), None)
            row = row or self.storage.decision(*place)
            rows = [] if row is None or row.kind != Kind.DECISION else [row]
        found = []
        for row in rows:
            known = self.touched.get(row.experiment)
            if known is not None and _may_mean(request, known):
                found.append((known, row.seq, known.open.get(row.seq) or Open.of(row)))
        return found

    def _change(self, request: AddArm | SetState) -> Answer:
        known = self._experiment(request.key, request.experiment)
        if known is None:
            return no_experiment(request.experiment)
        place = known.places.get(request.arm)
        if isinstance(request, AddArm):
            if place is None:
                if len(known.arms) >= MAX_ARMS:
                    return refusal(409, f"An experiment has at most {MAX_ARMS} arms.")
                self.rows.append(known.add(request.arm, self.now))
                return answer(201, {"name": request.arm, "state": "active"})
            return answer(200, {"name": request.arm, "state": known.states[place]})
        if place is None:
            hint = did_you_mean(request.arm, map(str, known.places))
            return refusal(404, f"There is no arm {request.arm!r} in {known.name!r}.{hint}")
        if request.state not in STATES:
            raise ParameterError("service", "state", "active, paused or retired", request.state)
        return self._switch(known, place, request.state)

    def _switch(self, known: Experiment, place: int, state: str) -> Answer:
        name, now = known.arms[place].name, known.states[place]
        if state != now:
            if now == "retired":
                return refusal(409, f"The arm {name!r} is retired, for good.")
            others = any(each == "active" for at, each in enumerate(known.states) if at != place)
            if state != "active" and not others:
                return refusal(409, f"The arm {name!r} is the only active one.")
            self.rows.append(known.switch(place, state, self.now))
        return answer(200, {"name": name, "state": state})


def _may_mean(request: Reward, known: Experiment) -> bool:
    """Whether the request can be about this experiment, and its key may see it."""
    return request.key.experiment in (None, known.name) and request.experiment in (None, known.name)
