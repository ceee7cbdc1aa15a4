"""Snapshot mode: decisions are made from a state that was read, before the lock is taken.

In serial mode a worker chooses while it holds the experiment's lock, from all rows before. In
snapshot mode it chooses for all requests of its transaction from the state that it has, the
snapshot, and takes the lock only to append; `ahead.py`. A decision's row names its snapshot by the
`seq` of the last row in it, `basis`, so that `verify` can make it again.

- The decisions of one transaction follow one another: each sees those before it as pending pulls.
  Their rounds count on from the snapshot's, so a row's `t` tells where a transaction begins.
- Random numbers are a function of the experiment's seed and name and of the decision's id: workers
  that choose from the same snapshot use others. A decision without an id is given one. Its row has
  the seed that follows, so that ids can be erased.
- What cannot be appended so is decided as in serial mode: such a row has no `basis`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from time import monotonic

from ..live.candidates import only
from ..live.fork import Fork
from .contexts import candidates, candidates_of, written_candidates
from .experiment import Experiment, LogError
from .ids import new_id
from .messages import Decide
from .rows import Kind, Row

MAX_AGE_SECONDS = 0.1  # of a snapshot, from when reading it began until a decision is made from it
_CLOSE = 1e-6  # of two probabilities, which are computed by quadrature: what that promises


def decisions_for(known: Experiment, wanted: Iterable[Decide], until: float) -> list[Row]:
    """Make the wanted decisions from the state as it is now: their rows, if no other comes between.

    until: when the state is too old, by `monotonic`; decisions after that are left out.
    """
    fork, made = Fork(known.live), list[Row]()
    for each in wanted:
        if monotonic() > until:
            break
        id = new_id() if each.id is None else each.id
        seed = seed_of(known, id)
        with only(fork, candidates(each.among, fork.arms)):
            arm, t, p = fork.choose(seed)
        place, n = known.seq + 1 + len(made), known.live.number + len(made)
        row = Row(known.number, place, int(Kind.DECISION), known.at, id, arm, t, n, None,
                  float(seed), probability=p, basis=known.seq,
                  among=written_candidates(each.among, known.live.arms))  # fmt: skip
        made.append(row)
    return made


def seed_of(known: Experiment, id: str) -> int:
    """The seed of a decision's random numbers: 53 bits, which a float holds."""
    place = f"{known.definition.settings.seed}\n{known.name}\n{id}"
    return int.from_bytes(hashlib.blake2b(place.encode(), digest_size=8).digest(), "big") >> 11


class Remade:
    """Makes the decisions of a log again. last_use: for each snapshot, the last row that names it;
    the snapshot is kept until then."""

    def __init__(self, known: Experiment, last_use: Mapping[int, int]) -> None:
        self._known, self._last_use = known, last_use
        self._forks: dict[int, Fork] = {}
        self._basis, self._fork = 0, Fork(known.live)  # of the last decision
        self.keep()

    def keep(self) -> None:
        """Keep the present state if a decision was made from it; forget those that are done."""
        seq = self._known.seq
        if seq in self._last_use:
            self._forks[seq] = Fork(self._known.live)
        for each in [each for each in self._forks if self._last_use[each] <= seq]:
            del self._forks[each]

    def check(self, row: Row) -> None:
        """Raise LogError if this decision, which comes next, is another when it is made again."""
        known, basis = self._known, row.basis or 0
        if basis != self._basis or row.t != self._fork.rounds + 1:  # a transaction begins
            if basis not in self._forks:
                raise LogError(f"{known.name}: row {row.seq} names no snapshot.")
            self._basis, self._fork = basis, Fork(self._forks[basis])
        seed = -1 if row.value is None else int(row.value)
        if seed < 0 or (row.id is not None and seed != seed_of(known, row.id)):
            raise LogError(f"{known.name}: row {row.seq} has another seed than its id gives.")
        with only(self._fork, candidates_of(row.among, known.arms)):
            choice = self._fork.choose(seed)
        stored = row.arm, row.t, row.probability
        close = row.probability is not None and abs(choice[2] - row.probability) <= _CLOSE
        if stored[:2] != choice[:2] or not close:
            raise LogError(
                f"{known.name}: row {row.seq} has arm, round and probability {stored}; "
                f"from the rows up to {basis} they must be {tuple(choice)}."
            )
