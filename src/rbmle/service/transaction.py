"""`Transaction`: requests carried out in order, under the locks of their experiments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain
from math import inf
from typing import Any

from msgspec.structs import asdict

from ..errors import BudgetError, ParameterError, did_you_mean
from ..live.live_arm import Name
from ..random import MAX_ARMS
from . import messages
from .contexts import candidates
from .deadlines import Deadlines
from .experiment import STATES, Experiment
from .experiment_cache import Cache, QuarantineError
from .ids import place_of
from .keys import Keys
from .messages import Answer, ArmState, Decide, FillSlate, Reward, answer, no_experiment, refusal
from .requests import AddArm, Create, End, SetState
from .rows import Kind, Open, Row
from .storage import ChangedError, Key, Storage

Request = Create | Decide | FillSlate | Reward | AddArm | SetState | End
Keyed = tuple[Key, Request]  # a request, and the key that it came with


class Transaction:
    """One transaction. touched: filled with the experiments whose state may be ahead of what is
    committed."""

    def __init__(self, storage: Storage, cache: Cache, touched: dict[int, Experiment]) -> None:
        self.storage, self.cache, self.touched = storage, cache, touched
        self.rows: list[Row] = []
        self.current = set[int]()  # the experiments that are up to date
        self.created: dict[str | None, Create] = {}  # by name, who asked for it
        self.sliced: list[Deadlines] = []  # of which a slice was looked through
        self.named: dict[str, list[Row]] = {}  # decisions by the caller's id
        self.places: dict[str, tuple[int, int] | None] = {}  # of rewarded decisions: `place_of`
        self.closed: dict[tuple[int, int | None], Row] = {}  # outcomes of this transaction
        self.now = 0.0

    def run(
        self, requests: Sequence[Keyed], keys: Keys, clock: Callable[[], float], sweep: bool
    ) -> list[Answer]:
        """Carry out the requests in order, and append their rows; `Ledger.run` says more."""
        new = [(key, each) for key, each in requests if isinstance(each, Create)]
        if new:
            keys.refresh(self.storage)
            self._create([each for each in new if keys.allows(each[0])], clock())
        self._lock([each for _, each in requests], due=clock() if sweep else -inf)
        keys.refresh(self.storage)
        made = self.created  # that is not refused, though its key may have stopped since
        allowed = [keys.allows(key) or made.get(each.experiment) is each for key, each in requests]
        self.now = clock()
        for each in list(self.touched.values()):
            if each.number in self.current and each.due(self.now):
                self._expire(each)
        self.closed = {(each.experiment, each.of): each for each in self.rows}
        answers = [
            self._answer(key, each) if good else messages.NO_KEY
            for (key, each), good in zip(requests, allowed, strict=True)
        ]
        if self.rows:
            self.storage.append(self.rows)
        for known in self.touched.values():
            self.cache.save_snapshot(known)
        if sweep:
            keys.save_uses(self.storage)
        return answers

    def _create(self, requests: Sequence[tuple[Key, Create]], now: float) -> None:
        """Create what is to be created, in the order of names: two workers that create the same
        experiments cannot wait for each other in a circle."""
        wanted = {each.experiment: (key, each) for key, each in reversed(requests)}
        for name in sorted(wanted):
            with suppress(QuarantineError):
                if self.cache.find(name) is None:
                    key, asked = wanted[name]
                    stored = self.storage.create(
                        name, asked.definition.text(), now, key.number or None
                    )
                    if stored is not None:
                        self.created[name] = asked
                        self.touched[stored.number] = self.cache.load(stored)

    def _lock(self, requests: Sequence[Request], due: float) -> None:
        """Lock the experiments that the requests name, and those with a deadline until `due`, and
        bring them up to date."""
        for name, plays in {(each.experiment, not isinstance(each, Create)) for each in requests}:
            if name is not None:
                self._touch(name, plays)
        self.places = {each.id: place_of(each.id) for each in requests if isinstance(each, Reward)}
        numbers = {place[0] for place in self.places.values() if place is not None}
        rows = self._find([id for id, place in self.places.items() if place is None])
        for number in numbers.union(row.experiment for row in rows):
            self._touch(number)
        if due > -inf:
            self.touched.update({known.number: known for known in self.cache.due(due)})
        if self.touched:
            self.storage.lock(sorted(self.touched))
            for known in list(self.touched.values()):
                self._catch_up(known)
            repairs = self.storage.locked()
            if any(repairs.get(each) != self.cache.repairs(each) for each in self.touched):
                raise ChangedError("service: the experiment was changed by a command. Try again.")
        asked = {each.id for each in requests if isinstance(each, Decide) and each.id is not None}
        for slate in (each for each in requests if isinstance(each, FillSlate)):
            asked.update(id for id in slate.ids() if id is not None)
        for id in asked:  # read again under the lock
            self.named.pop(id, None)
        self._find(sorted(asked))

    def _find(self, ids: Sequence[str]) -> list[Row]:
        """Read the decisions that callers gave these ids."""
        rows = self.storage.decisions(ids) if ids else []
        for row in rows:
            self.named.setdefault(row.name(), []).append(row)
        return rows

    def _touch(self, which: str | int, plays: bool = True) -> None:
        """Note that the experiment of this name, or number, is needed, if there is one. plays:
        whether its code is, too."""
        with suppress(QuarantineError):  # its requests are told when they are answered
            known = self.cache.find(which)
            if known is not None:
                self.touched[known.number] = self.cache.ready(known) if plays else known

    def _locked(self, which: str | int) -> Experiment | None:
        """The experiment of this name, or number, if it was there when the locks were taken."""
        known = self.cache.find(which)
        return known if known is not None and known.number in self.touched else None

    def _catch_up(self, known: Experiment) -> None:
        """Bring it up to date, unless its code is missing: it is created then, or compared with
        one that is to be, and learning its rewards would compile."""
        try:
            if self.cache.is_ready(known):
                self.cache.catch_up(known)
                self.current.add(known.number)
        except QuarantineError:
            del self.touched[known.number]

    def _expire(self, known: Experiment) -> None:
        """End the decisions of the next slice of the log whose deadline has passed."""
        resolved, until = known.deadlines.resolved, known.deadlines.slice(known.seq)
        waiting = self.storage.waiting(known.number, resolved, until)
        try:
            with self.cache.reading(known, resolved + 1, until):
                self.rows += known.expire(waiting, until, self.now)
                self.sliced.append(known.deadlines)
        except QuarantineError:
            del self.touched[known.number]

    def _append(self, key: Key, row: Row) -> None:
        """Append a row that this key asked for."""
        self.rows.append(row._replace(key=key.number) if key.number else row)

    def _answer(self, key: Key, request: Request) -> Answer:
        try:
            if isinstance(request, Reward):
                return self._reward(key, request)
            name = request.experiment
            known = self._locked(name) if key.sees(name) else None
            if known is None:
                return no_experiment(name)
            if isinstance(request, Decide):
                return self._decide(key, known, request)
            if isinstance(request, FillSlate):
                return self._fill(key, known, request)
            if isinstance(request, Create):
                return self._created(known, request)
            if isinstance(request, End):
                return self._end(key, known)
            return self._change(key, known, request)
        except QuarantineError as problem:
            return refusal(503, str(problem))
        except ParameterError as problem:
            for known in [each for each in self.touched.values() if not each.sound]:
                self._compute_again(known)
            status = 410 if isinstance(problem, BudgetError) else 422
            return refusal(status, str(problem.of("service", instead_of="Decider")))

    def _compute_again(self, known: Experiment) -> None:
        """A request was refused when its work had begun: compute the experiment from its rows."""
        self.cache.drop(known)
        self._touch(known.name)
        again = self.cache.catch_up(self.touched[known.number])
        again.apply(row for row in self.rows if row.experiment == again.number)

    def _created(self, known: Experiment, request: Create) -> Answer:
        if request.definition.text() != known.definition.text():
            return refusal(409, f"The experiment {known.name!r} exists and is another.")
        new = self.created.pop(known.name, None) is not None
        created = messages.Created(name=known.name, **asdict(known.definition.plain()))
        return answer(201 if new else 200, created)

    def _decide(self, key: Key, known: Experiment, request: Decide) -> Answer:
        row = self._made(known, request.id)
        if row is None:
            if (closed := _closed(known)) is not None:
                return closed
            row = self._make(key, known, request.id, request.context, request.among)
        return answer(200, decided(known, row))

    def _fill(self, key: Key, known: Experiment, request: FillSlate) -> Answer:
        """Fill the places of a slate, each by a decision among the arms that have none yet."""
        rows = [self._made(known, id) for id in request.ids()]
        left: dict[Name, None] = {}  # as the arms are ordered, which the log needs
        if None in rows:
            if (closed := _closed(known)) is not None:
                return closed
            named = candidates(request.among, known.live.arms)
            left = dict.fromkeys(named or (arm.name for arm in known.live.enabled))
            if request.k > len(left):
                allowed = f"a whole number in [1, {len(left)}], the number of candidates"
                raise ParameterError("service", "k", allowed, request.k)
            if request.k * len(left) > messages.MAX_SLATE_CANDIDATES:
                most = messages.MAX_SLATE_CANDIDATES // len(left)
                allowed = f"at most {most} with {len(left):,} candidates"
                raise ParameterError("service", "k", allowed, request.k)
            known.live.check_slate(left, request.k)
        filled = []
        for place, (id, made) in enumerate(zip(request.ids(), rows, strict=True)):
            among = list(map(str, left)) if place else request.among
            row = made or self._make(key, known, id, request.context, among)
            left.pop(known.arms[row.arm or 0].name, None)
            filled.append(decided(known, row))
        return answer(200, messages.Slate(filled))

    def _made(self, known: Experiment, id: str | None) -> Row | None:
        """The decision of this id, if there is one."""
        if id is None:
            return None
        place = place_of(id)
        if place is not None:
            row = self.storage.decision(*place) if place[0] == known.number else None
            if row is None or row.id is not None:
                raise ParameterError("service", "id", "of another form than our own", id)
            return row
        found = self.named.get(id, ())
        return next((each for each in found if each.experiment == known.number), None)

    def _make(
        self, key: Key, known: Experiment, id: str | None, context: Any, among: list[str] | None
    ) -> Row:
        """Make a decision."""
        row = known.decide(id, self.now, context, among)
        self._append(key, row)
        if row.id is not None:
            self.named.setdefault(row.id, []).append(row)
        return row

    def _reward(self, key: Key, request: Reward) -> Answer:
        found = self._found(key, request)
        if not found:
            return refusal(404, f"There is no decision {request.id!r}.")
        if len(found) > 1:
            return refusal(
                409, f"The id {request.id!r} is used in several experiments: name one of them."
            )
        known, seq, waiting = found[0]
        value = known.checked(request.value)
        extras = known.checked_extras(waiting.arm, request.more())
        outcome = None
        if seq not in known.open:
            outcome = self.closed.get((known.number, seq))
            outcome = outcome or self.storage.outcome(known.number, seq)
        if outcome is None and not known.late(waiting, self.now):
            row, *guarded = known.reward(seq, waiting, value, self.now, extras)
            for each in (row, *guarded):
                self._append(key, each)
            self.closed[known.number, seq] = row
            return messages.COUNTED
        if outcome is None or outcome.kind == Kind.EXPIRED:
            return refusal(410, f"The deadline of decision {request.id!r} has passed.")
        if (outcome.value, outcome.told) == (value, extras):
            return messages.NOT_COUNTED
        more = f", with {outcome.told}" if outcome.told else ""
        return refusal(409, f"Decision {request.id!r} has another reward, {outcome.value!r}{more}.")

    def _found(self, key: Key, request: Reward) -> list[tuple[Experiment, int, Open]]:
        """The decisions that a reward may mean: the experiment, the place in its log, and it."""
        place, rows = self.places[request.id], self.named.get(request.id, [])
        found = []
        for number, seq in [row[:2] for row in rows] if place is None else [place]:
            known = self._locked(number)
            if known is None or not key.sees(known.name):
                continue
            if request.experiment not in (None, known.name):
                continue
            waiting = known.open.get(seq)
            if waiting is None:
                made = (row for row in chain(rows, self.rows) if row[:2] == (number, seq))
                row = next(made, None) or self.storage.decision(number, seq)
                if row is None or row.kind != Kind.DECISION:
                    continue
                with self.cache.reading(known, seq, seq):
                    waiting = Open.of(row)
            found.append((known, seq, waiting))
        return found

    def _end(self, key: Key, known: Experiment) -> Answer:
        if not known.ended:
            self._append(key, known.end(self.now))
        return answer(200, messages.Ended(known.name, known.at))

    def _change(self, key: Key, known: Experiment, request: AddArm | SetState) -> Answer:
        name, arm = request.arm, known.live.arms.get(request.arm)
        if known.ended:
            return refusal(409, f"The experiment {known.name!r} has ended.")
        if isinstance(request, AddArm):
            if arm is not None:
                return answer(200, ArmState(name, known.states[arm.place]))
            if len(known.arms) >= MAX_ARMS:
                return refusal(409, f"An experiment has at most {MAX_ARMS} arms.")
            self._append(key, known.add(name, self.now))
            return answer(201, ArmState(name, "active"))
        if arm is None:
            hint = did_you_mean(name, map(str, known.live.arms))
            return refusal(404, f"There is no arm {name!r} in {known.name!r}.{hint}")
        state, now = request.state, known.states[arm.place]
        if state not in STATES:
            raise ParameterError("service", "state", "active, paused or retired", state)
        if state != now:
            if now == "retired":
                return refusal(409, f"The arm {name!r} is retired, for good.")
            if now == "active" and known.states.count("active") == 1:
                return refusal(409, f"The arm {name!r} is the only active one.")
            self._append(key, known.switch(arm.place, state, self.now))
        return answer(200, ArmState(name, state))


def _closed(known: Experiment) -> Answer | None:
    """Why no decision is made any more, or now; None if one is."""
    if known.ended:
        return refusal(410, f"The experiment {known.name!r} has ended.")
    if not known.live.enabled:
        return refusal(409, f"Guardrails have paused all arms of {known.name!r}: make one active.")
    return None


def decided(known: Experiment, row: Row) -> messages.Decided:
    """A decision as it is answered."""
    arm = known.arms[row.arm or 0].name
    return messages.Decided(row.name(), arm, row.t or 0, row.probability)
