"""`Ahead`: requests of experiments in snapshot mode, worked out before the lock is taken.

All that takes time, choosing, making rows and answers, is done from the state that this worker has.
Then one trip to the database takes the lock, appends the rows after whatever is the last by then,
commits, and brings back the rows of others, so that the state is new again. If the arms have
changed, or some row is there already, nothing is appended, and `Transaction` carries the requests
out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from math import inf
from time import monotonic
from typing import NamedTuple

from ..errors import ParameterError
from .contexts import candidates
from .experiment import Experiment
from .experiment_cache import Cache, QuarantineError
from .ids import place_of
from .keys import Keys
from .messages import COUNTED, Answer, Decide, Reward, answer
from .next_rows import Next
from .rows import Kind, Open, Row
from .snapshot import MAX_AGE_SECONDS, decisions_for
from .storage import Key, Storage
from .transaction import Keyed, decided

# The state is read again when it is older, so that there is time to decide.
_REFRESH_SECONDS = MAX_AGE_SECONDS / 2


class _Asked(NamedTuple):
    """A request, its key, and its place among all."""

    place: int
    key: Key
    request: Decide | Reward


class _Plan(NamedTuple):
    """What is to be appended to an experiment, and what callers are told once it is."""

    known: Experiment
    wanted: Next
    answers: dict[int, Answer]


class Ahead:
    """Requests that are carried out together; within no transaction. It is used once."""

    def __init__(self, storage: Storage, cache: Cache, keys: Keys) -> None:
        self._storage, self._cache, self._keys = storage, cache, keys
        self._generation = storage.generation
        # Decisions that rewards name: experiment, place in its log, and what is known of it. None
        # if it has a reward, or is too old to be remembered.
        self._decided: dict[str, list[tuple[int, int, Open | None]]] = {}

    def run(self, requests: Sequence[Keyed], now: float) -> list[Answer | None]:
        """The answers to what was carried out, and is durable; None for what is left."""
        asked = [
            _Asked(place, key, each)
            for place, (key, each) in enumerate(requests)
            if isinstance(each, (Decide, Reward)) and self._keys.allows(key)
        ]
        self._read(asked)
        meant: dict[int, list[_Asked]] = {}
        for each in asked:
            number = self._meant(each)
            if number is not None:
                meant.setdefault(number, []).append(each)
        answers: list[Answer | None] = [None] * len(requests)
        known = self._cache.snapshots
        plans = [self._plan(known[each], meant[each], now) for each in sorted(meant)]
        plans = [each for each in plans if each.wanted.rows]
        began = monotonic()
        wanted = [each.wanted for each in plans]
        done = self._storage.append_next(wanted, self._generation) if plans else []
        for plan, rows in zip(plans, done, strict=True):
            if rows is not None:
                for place, made in plan.answers.items():
                    answers[place] = made
                with suppress(QuarantineError):  # they are committed: the next request is told
                    self._cache.advance(plan.known, rows, began)
        return answers

    def _read(self, asked: Sequence[_Asked]) -> None:
        """Read new rows, if the state is not new enough, and decisions that nobody remembers."""
        cache, requests = self._cache, [each.request for each in asked]
        names = {each.experiment for each in requests if isinstance(each, Decide)}
        used = {number for number, known in cache.snapshots.items() if known.name in names}
        for each in requests:
            if isinstance(each, Reward):
                self._decided[each.id] = found = [
                    (known.number, known.recent[each.id], known.open.get(known.recent[each.id]))
                    for known in cache.snapshots.values()
                    if each.id in known.recent
                ]
                used |= {number for number, _, _ in found}
        unknown = [id for id, found in self._decided.items() if not (found or place_of(id))]
        if not unknown and not any(map(self._is_old, used)):
            return
        with self._storage.reading():
            if self._storage.generation != self._generation:
                return  # `Ledger` invalidates the cache
            for row in self._storage.decisions(unknown) if unknown else ():
                self._decided[row.name()].append((row.experiment, row.seq, Open.of(row)))
                used.add(row.experiment)
            for number in filter(self._is_old, used):
                with suppress(QuarantineError):  # `Transaction` tells
                    cache.catch_up(cache.snapshots[number])

    def _is_old(self, number: int) -> bool:
        """Whether it is an experiment in snapshot mode whose new rows should be read."""
        known = self._cache.snapshots.get(number)
        return known is not None and self._cache.read_at(known) < monotonic() - _REFRESH_SECONDS

    def _meant(self, asked: _Asked) -> int | None:
        """The number of the experiment in snapshot mode that the request is for, if it is."""
        request, which = asked.request, list[str | int]()
        if isinstance(request, Decide):
            which = [request.experiment]
        else:
            which = [each[0] for each in self._decided[request.id]]
        found = self._cache.cached(which[0]) if len(which) == 1 else None
        if found is None or found.number not in self._cache.snapshots:
            return None
        if not asked.key.sees(found.name) or request.experiment not in (None, found.name):
            return None
        return None if self._cache.wants_snapshot(found) else found.number

    def _plan(self, known: Experiment, asked: Sequence[_Asked], now: float) -> _Plan:
        at, until = known.moment(now), inf
        rows, answers, ids = list[Row](), dict[int, Answer](), list[str]()
        left = deque(_to_be_made(known, asked))
        last = self._cache.read_at(known) + MAX_AGE_SECONDS
        made = deque(decisions_for(known, left, last))
        for place, key, request in asked:
            if isinstance(request, Reward):
                found = self._reward(known, request, now)
                if found is None:
                    continue
                row, deadline = found
                until = min(until, deadline)
                answers[place] = COUNTED
                if request.experiment is None:
                    ids.append(request.id)
            elif made and request is left[0]:
                left.popleft()
                row = made.popleft()
                answers[place] = answer(200, decided(known, row))
            else:
                continue
            seq = known.seq + len(rows) + 1
            rows.append(row._replace(seq=seq, at=at, key=key.number or None))
        repairs, keys = self._cache.repairs(known.number), self._keys.version
        wanted = Next(known.number, known.seq, rows, at, repairs, keys, ids, until)
        return _Plan(known, wanted, answers)

    def _reward(self, known: Experiment, request: Reward, now: float) -> tuple[Row, float] | None:
        """The row of a reward, and the deadline of its decision; None if it is left."""
        ((_, of, waiting),) = self._decided.pop(request.id, [(0, 0, None)])
        if waiting is None or known.late(waiting, now) or request.more():
            return None
        try:
            value = known.checked(request.value)
        except ParameterError:  # `Transaction` refuses it
            return None
        given = waiting.arm, None, waiting.number, of, value
        row = Row(known.number, 0, int(Kind.REWARD), 0.0, None, *given)
        return row, waiting.at + (known.definition.wait or inf)


def _to_be_made(known: Experiment, asked: Sequence[_Asked]) -> list[Decide]:
    """The requests for decisions that are not refused, nor known to be made."""
    found: list[Decide] = []
    seen: set[str | None] = set()
    for _, _, each in asked:
        if not isinstance(each, Decide) or each.context is not None or known.ended:
            continue
        id = each.id
        with suppress(ParameterError):  # `Transaction` refuses it
            candidates(each.among, known.live.arms)
            if id is not None and (id in seen or id in known.recent or place_of(id)):
                continue
            seen.add(id)
            found.append(each)
    return found
