"""`verify`: recompute every decision of the log, and compare all that is stored."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import msgspec
from msgspec import MsgspecError

from ..errors import RbmleError
from ..policies.arms import origin_of
from .contexts import features_of_arm, written_vector
from .definition import Definition
from .experiment import Experiment, LogError
from .rows import Kind, Row
from .snapshot import Remade
from .storage import Storage, StorageError, Stored

# What is raised where what is stored cannot be used.
UNUSABLE = (RbmleError, LookupError, TypeError, ValueError, MsgspecError)


class Finding(NamedTuple):
    """What was found about one experiment. wrong: the first disagreement in one sentence, or "".
    rows: how many rows agree, from the first."""

    experiment: str
    decisions: int
    rewards: int
    expired: int
    wrong: str
    rows: int


def verify(storage: Storage) -> list[Finding]:
    """Replay the log of each experiment; works while the service runs, and takes no lock.

    Each decision is chosen again from the rows before it. Each reward must belong to one decision
    that has no other; each statistic must be what the rows add up to; the stored snapshot must be
    what the rows before it give, to the bit.
    """
    with storage.reading():
        return [finding(storage, each) for each in storage.experiments()]


def finding(storage: Storage, stored: Stored, with_snapshot: bool = True) -> Finding:
    """Replay the log of one experiment; within a transaction."""
    sums, wrong = None, ""
    snapshot = storage.snapshot(stored.number) if with_snapshot else None
    try:
        definition = Definition.read(stored.definition)
        sums = _Sums(Experiment(stored.number, stored.name, definition, stored.at))
        _replay(storage, stored, sums, snapshot)
    except StorageError:
        raise  # nothing is known of the rows
    except LogError as problem:
        wrong = str(problem)
    except UNUSABLE as problem:
        wrong = f"{stored.name}: row {sums.rows + 1 if sums else 1} cannot be applied ({problem})."
    if sums is None:
        return Finding(stored.name, 0, 0, 0, wrong, 0)
    known = sums.of
    return Finding(stored.name, known.made, known.rewarded, known.expired, wrong, sums.rows)


def _replay(storage: Storage, stored: Stored, sums: _Sums, snapshot: bytes | None) -> None:
    experiment = sums.of
    before = Experiment(stored.number, stored.name, experiment.definition, stored.at)
    if snapshot is not None:
        try:
            before.restore(snapshot)
        except UNUSABLE as problem:
            why = f"{stored.name}: the snapshot cannot be read ({type(problem).__name__}"
            raise LogError(f"{why}: {problem}).") from None
    remade = None
    if experiment.definition.uses_snapshots:
        remade = Remade(experiment, storage.bases(stored.number))
    for rows in storage.log(stored.number):
        for row in rows:
            if row.seq == 1:
                if row.kind != Kind.CREATED or row.text != stored.definition:
                    raise LogError(f"{stored.name}: row 1 is not its definition.")
                sums.rows = 1
                continue
            if row.kind in (Kind.REWARD, Kind.EXPIRED):
                sums.check(row)
            elif row.context is not None and not (row.kind == Kind.DECISION and sums.reads):
                raise LogError(f"{stored.name}: row {row.seq} has a context that nobody reads.")
            if row.told is not None and row.kind != Kind.REWARD:
                raise LogError(f"{stored.name}: row {row.seq} tells a cost, and is no reward.")
            if row.among is not None and row.kind != Kind.DECISION:
                raise LogError(f"{stored.name}: row {row.seq} has candidates, and no choice.")
            if remade is not None and row.basis is not None:
                remade.check(row)
            elif row.basis is not None or (row.kind == Kind.DECISION and row.value is not None):
                raise LogError(f"{stored.name}: row {row.seq} is not one of serial mode.")
            experiment.apply([row], recompute=True)
            if remade is not None:
                remade.keep()
            sums.count(row)
            if snapshot is not None and row.seq == before.seq:
                resolved = before.deadlines.resolved
                waits = next(iter(sums.waiting), resolved + 1) <= resolved
                if waits or experiment.plain() != before.plain():
                    raise LogError(
                        f"{stored.name}: the snapshot at row {row.seq} is not what the rows give."
                    )
                snapshot = None
    if snapshot is not None and before.seq != experiment.seq:
        raise LogError(f"{stored.name}: the snapshot is of row {before.seq}, which is missing.")
    sums.compare()


class _Sums:
    """The statistics of the arms, added up from the rows alone."""

    def __init__(self, experiment: Experiment) -> None:
        self.of, self.reads = experiment, experiment.definition.reads > 0
        self.rows = 0  # how many were added
        self.waiting: dict[int, Row] = {}
        self.pulls: Counter[int] = Counter()
        self.totals: dict[int, float] = {}
        self.squares: dict[int, float] = {}
        self.origins: dict[int, float] = {}

    def check(self, row: Row) -> None:
        """The reward must belong to a decision without one, be allowed, and come in time."""
        name, wait = self.of.name, self.of.definition.wait
        decision = self.waiting.get(row.of or 0)
        if decision is None or (decision.arm, decision.number) != (row.arm, row.number):
            raise LogError(f"{name}: row {row.seq} belongs to no decision that waits for a reward.")
        if row.context is not None and row.context != _features(decision):
            raise LogError(f"{name}: row {row.seq} has other features than its decision.")
        late = wait is not None and decision.at + wait <= row.at
        if row.kind == Kind.REWARD:
            if late or row.value is None:
                raise LogError(f"{name}: row {row.seq} is a reward after its deadline.")
            self.of.checked(row.value)
            self.of.checked_extras(row.arm or 0, msgspec.json.decode(row.told or "{}"))
        elif not late or row.value != self.of.definition.default:
            raise LogError(f"{name}: row {row.seq} is not the end of a deadline.")

    def count(self, row: Row) -> None:
        """Add the row."""
        self.rows, arm = row.seq, row.arm or 0
        if row.kind == Kind.DECISION:
            self.waiting[row.seq] = row
        elif row.kind in (Kind.REWARD, Kind.EXPIRED):
            del self.waiting[row.of or 0]
            if row.value is not None:
                origin = self.origins.setdefault(arm, origin_of(row.value))
                self.pulls[arm] += 1
                self.totals[arm] = self.totals.get(arm, 0.0) + row.value
                self.squares[arm] = self.squares.get(arm, 0.0) + (row.value - origin) ** 2

    def compare(self) -> None:
        """Each arm's statistics must be the sums."""
        for place, arm in enumerate(self.of.arms):
            pending = sum(each.arm == place for each in self.waiting.values())
            known = (arm.pulls, arm.total, arm.squares, len(arm.pending) + arm.lost)
            summed = (
                self.pulls[place], self.totals.get(place, 0.0), self.squares.get(place, 0.0),
                pending,
            )  # fmt: skip
            if known != summed:
                raise LogError(
                    f"{self.of.name}: the statistics of {arm.name!r} are {known}, not {summed}."
                )


def _features(decision: Row) -> str | None:
    """The features of the arm that was chosen, as a later row would have them."""
    if decision.context is None:
        return None
    return written_vector(features_of_arm(decision.context, decision.arm or 0))
