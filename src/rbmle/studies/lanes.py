"""Lanes: what is left to play of each policy on each problem, cut into blocks of about a second.

A block costs the executor some milliseconds, whatever is in it. A second of work makes that cost
small, and is little to lose with a worker. How many replications that is, is measured: the first
blocks of a policy are small, and each block that comes back says how long it took.
"""

from __future__ import annotations

import functools
import itertools
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..engine import DECISIONS_A_BATCH
from .parcels import packed
from .shards import Stretch
from .sheet import Chunk, Sheet
from .work import Job, Work

SECONDS_A_BLOCK = 1.0
# With more workers than this, blocks are longer in proportion: a block takes about 4 ms of the
# process that hands it out and takes it back, so 200 a second keep it almost busy.
_BLOCKS_A_SECOND = 200
# The last blocks are smaller, so that all workers end together; but not below this many seconds,
# three times what a block costs besides its work (9 ms, `rbmle bench --only cluster`).
_LEAST_SECONDS = 0.03
_BYTES_A_BLOCK = 32_000_000  # of results: short horizons give many rows in a second


# Replications in the first block of a policy on a GPU, which takes as long for one of them.
_FIRST_ON_A_GPU = 4096


class Part(NamedTuple):
    """A part of a block: replications first, ..., last - 1 of a stretch, which is part of a job."""

    job: Job
    stretch: Stretch
    first: int
    last: int


class Lane:
    """What is left of one policy on one problem.

    chunks: not claimed yet. parts: claimed, to be handed out. left: replications in both.
    """

    def __init__(
        self, sheet: Sheet, policy: int, chunks: Sequence[Chunk], device: str = "cpu"
    ) -> None:
        self.sheet, self.policy, self.chunks = sheet, policy, deque(chunks)
        self.parts: deque[Part] = deque()
        gaps = [stretch for chunk in chunks for stretch in sheet.gaps(chunk)]
        self.left = sum(each.last - each.first for each in gaps)
        self._piece = sheet.piece(gaps[0])
        self.seconds, self.played = 0.0, 0  # of the blocks that came back
        study = sheet.study
        self.most = max(1, _BYTES_A_BLOCK // (8 * (2 * len(study.rounds) + sheet.problem.n_arms)))
        self.first_size = max(1, DECISIONS_A_BATCH // study.horizon)
        if device != "cpu":
            self.first_size = _FIRST_ON_A_GPU

    @functools.cached_property
    def content(self) -> bytes:
        """What a worker must know of the lane: a `Piece`, packed."""
        return packed(self._piece)

    def claim(self, work: Work, wanted: int) -> None:
        """Claim chunks until that many replications can be handed out, or no chunk is free."""
        ready = sum(part.last - part.first for part in self.parts)
        for _ in range(len(self.chunks)):
            if ready >= wanted:
                return
            chunk = self.chunks.popleft()
            before = sum(each.last - each.first for each in self.sheet.gaps(chunk))
            stretches = work.claim(chunk)
            if stretches is None:
                self.chunks.append(chunk)  # another process has it: try again later
                continue
            job = Job(chunk, stretches)
            self.parts.extend(Part(job, each, each.first, each.last) for each in stretches)
            count = sum(each.last - each.first for each in stretches)
            self.left += count - before  # others may have played some of it meanwhile
            ready += count

    def take(self, wanted: int) -> list[Part]:
        """Take at most that many of the replications that are claimed."""
        taken = []
        while self.parts and wanted:
            part = self.parts.popleft()
            cut = min(part.last, part.first + wanted)
            if cut < part.last:
                self.parts.appendleft(part._replace(first=cut))
            taken.append(part._replace(last=cut))
            self.left -= cut - part.first
            wanted -= cut - part.first
        return taken


class Lanes:
    """All lanes of a study. Problems are played one after the other, and the policies of a problem
    side by side, so that an interrupted run has about as many replications of each."""

    def __init__(self, work: Work, device: str = "cpu") -> None:
        self.work = work
        self.lanes: list[Lane] = []
        for sheet in work.sheets:
            chunks: dict[int, list[Chunk]] = {policy: [] for policy in sheet.wanted}
            for chunk in sheet.chunks():
                chunks[chunk.policy].append(chunk)
            self.lanes += [
                Lane(sheet, each, found, device) for each, found in chunks.items() if found
            ]
        for lane in self.lanes[: len(work.sheets[0].wanted)]:
            lane.content  # noqa: B018  what cannot be sent is refused now, before anything is played
        self._paces: dict[int, float] = {}  # policy -> seconds a replication, where last measured

    @property
    def empty(self) -> bool:
        """Whether everything is handed out."""
        return not any(lane.chunks or lane.parts for lane in self.lanes)

    def blocks(self, slots: int) -> Iterator[tuple[Lane, list[Part]]]:
        """The next blocks, as long as there are chunks that other processes have not claimed.

        slots: how many blocks the executor plays at the same time.
        """
        blocked: set[Lane] = set()
        while True:
            self.lanes = [lane for lane in self.lanes if lane.chunks or lane.parts]
            open_ = (lane for lane in self.lanes if lane not in blocked)
            _, first = next(itertools.groupby(open_, lambda each: each.sheet.number), (0, ()))
            lane = max(first, key=lambda each: each.left, default=None)
            if lane is None:
                return
            size = self._size(lane, slots)
            lane.claim(self.work, size)
            parts = lane.take(size)
            if parts:
                yield lane, parts
            else:
                blocked.add(lane)

    def learn(self, lane: Lane, replications: int, seconds: float) -> None:
        """Note how long some replications took."""
        lane.played += replications
        lane.seconds += seconds
        self._paces[lane.policy] = lane.seconds / lane.played

    def _pace(self, lane: Lane) -> float | None:
        """Seconds a replication: as measured on this problem, else on another; None at first."""
        return lane.seconds / lane.played if lane.played else self._paces.get(lane.policy)

    def _size(self, lane: Lane, slots: int) -> int:
        """How many replications the next block of a lane should have."""
        pace = self._pace(lane)
        if pace is None:
            return lane.first_size
        most = max(SECONDS_A_BLOCK, slots / _BLOCKS_A_SECOND)
        enough, left = 2 * slots * most, 0.0
        for each in self.lanes:
            known = self._pace(each)
            left = enough if known is None else left + known * each.left
            if left >= enough:
                break
        seconds = max(_LEAST_SECONDS, left / (2 * slots))
        return max(1, min(round(min(seconds, most) / max(pace, 1e-9)), lane.most))
