"""`Ahead`: requests of experiments in snapshot mode, worked out before the lock is taken.

All that takes time, reading, choosing, making rows and answers, is done from one state of the
database that was read without a lock. Then one statement takes the lock and appends the rows after
whatever is the last by then, unless the arms have changed, or some row is there already. In that
case nothing is appended, and `Transaction` carries the requests out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from ..errors import ParameterError
from .experiment import Experiment
from .experiment_cache import Cache, QuarantineError
from .messages import COUNTED, Answer, Decide, Decided, Reward, answer
from .rows import Kind, Row
from .snapshot import decisions_for, to_be_made, uses_snapshots
from .storage import Key, Storage
from .transaction import Request


class _Done(NamedTuple):
    """A row to append, and what the request at this place is told once it is."""

    place: int
    row: Row
    told: Answer


class Ahead:
    """Requests, each with its key. answers: None for those that are not carried out.

    It is made within a transaction that reads. None in place of a request leaves it out.
    """

    def __init__(
        self, storage: Storage, cache: Cache, requests: Sequence[tuple[Key, Request] | None]
    ) -> None:
        self._storage, self._cache, self._requests = storage, cache, requests
        self.answers: list[Answer | None] = [None] * len(requests)
        known = [each[1] for each in requests if each is not None]
        ids = {each.id for each in known if isinstance(each, (Decide, Reward)) and each.id}
        self._named: dict[str, list[Row]] = {}
        for row in storage.decisions(sorted(ids)) if ids else []:
            self._named.setdefault(row.name(), []).append(row)
        asked: dict[int, list[tuple[int, Request]]] = {}
        for place, each in enumerate(requests):
            meant = None if each is None else self._meant(*each)
            if meant is not None and each is not None:
                asked.setdefault(meant, []).append((place, each[1]))
        self._plans = [self._plan(number, some) for number, some in asked.items()]

    def _meant(self, key: Key, request: Request) -> int | None:
        """The number of the experiment in snapshot mode that the request is for, if it is."""
        which: list[str | int] = []
        if isinstance(request, Decide):
            which = [request.experiment]
        elif isinstance(request, Reward):
            which = [row.experiment for row in self._named.get(request.id, ())]
        found = self._cache.cached(which[0]) if len(which) == 1 else None
        if found is None or not uses_snapshots(found) or not key.sees(found.name):
            return None
        return found.number if request.experiment in (None, found.name) else None

    def _plan(self, number: int, asked: list[tuple[int, Request]]) -> tuple[int, list[_Done]]:
        """The last row of an experiment, and what is to be appended after it."""
        known = self._cache.cached(number)
        assert known is not None
        with suppress(QuarantineError):  # `Transaction` tells
            self._cache.catch_up(known)
            if not self._cache.wants_snapshot(known):  # it writes that, too
                return known.seq, self._rows(known, asked)
        return 0, []

    def _rows(self, known: Experiment, asked: list[tuple[int, Request]]) -> list[_Done]:
        """Rows whose `seq` and, of decisions, `number` count from those that will be the last."""
        wanted = to_be_made(known, [each for _, each in asked], self._named)
        made, left = deque(decisions_for(known, wanted)), deque(wanted)
        closed = self._closed(known, asked)
        done: list[_Done] = []
        for place, each in asked:
            seq = len(done) + 1
            if left and each is left[0]:
                left.popleft()
                id, basis, seed, arm, t, p = made.popleft()
                n = len(wanted) - len(left)
                row = Row(known.number, seq, int(Kind.DECISION), 0.0, id, arm, t, n)
                row = row._replace(value=float(seed), probability=p, basis=basis)
                told = answer(200, Decided(id, known.arms[arm].name, t, p))
                done.append(_Done(place, row, told))
            elif isinstance(each, Reward):
                of = self._named[each.id][0]
                with suppress(ParameterError):  # `Transaction` refuses it
                    value = known.checked(each.value)
                    if of.seq not in closed:
                        closed.add(of.seq)
                        row = Row(known.number, seq, int(Kind.REWARD), 0.0, None, of.arm)
                        row = row._replace(number=of.number, of=of.seq, value=value)
                        done.append(_Done(place, row, COUNTED))
        return done

    def _closed(self, known: Experiment, asked: list[tuple[int, Request]]) -> set[int]:
        """Decisions whose rewards are left: those that have one, and all that have a deadline,
        which must not pass before the lock is taken."""
        seqs = [self._named[each.id][0].seq for _, each in asked if isinstance(each, Reward)]
        if known.definition.wait is not None:
            return set(seqs)
        return self._storage.closed(known.number, seqs) if seqs else set()

    def _key(self, place: int) -> int | None:
        """The number of the key that the request at this place came with, if it was one."""
        asked = self._requests[place]
        return asked[0].number or None if asked is not None else None

    def append(self, now: float) -> None:
        """Append what was worked out, and fill `answers`; after the transaction that read."""
        for basis, done in self._plans:
            if done:
                rows = [each.row._replace(key=self._key(each.place)) for each in done]
                repairs = self._cache.repairs(rows[0].experiment)
                if self._storage.append_next(rows, now, basis, repairs):
                    for each in done:
                        self.answers[each.place] = each.told
