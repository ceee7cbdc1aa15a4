"""A block: what one task of an executor plays, and the function that plays it on a worker."""

from __future__ import annotations

import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engine.devices import check_device
from ..errors import RbmleError, RunError
from ..pieces import Rows, compile_piece, play_piece
from .parcels import unpacked
from .versions import check_versions, versions

Range = tuple[int, int]  # replications first, ..., last - 1

# Runs of this process, by their name: the array that stops their blocks. Blocks that are played on
# threads of the same process find it here; elsewhere it is not found, and is not needed.
STOPS: dict[str, NDArray[np.int64]] = {}


@dataclass(frozen=True)
class Block:
    """Replications of one policy on one problem, as data that is complete. (No tuple, because Dask
    searches tuples for its own futures.)

    content: the `Piece`, packed. ranges: the replications first, ..., last - 1 of each part.
    versions: what the worker must have. device: where the worker plays it. run: names the run.
    number: different for each block of a run, so that no two tasks are taken for one.
    """

    content: bytes
    ranges: tuple[Range, ...]
    versions: dict[str, str]
    device: str
    run: str
    number: int


class Played(NamedTuple):
    """The rows of each part of a block, and the seconds that they took, without compilation."""

    rows: list[Rows]
    seconds: float


class StoppedError(Exception):
    """The run of this block has ended: its rows are unfinished, and nobody waits for them."""


def _adjacent(ranges: Sequence[Range]) -> list[list[Range]]:
    """The ranges in groups without gaps: each group is played at once, which a GPU needs."""
    groups: list[list[Range]] = []
    for each in ranges:
        if groups and groups[-1][-1][1] == each[0]:
            groups[-1].append(each)
        else:
            groups.append([each])
    return groups


def _cut(rows: Rows, ranges: Sequence[Range]) -> list[Rows]:
    """The rows of each of some adjacent ranges."""
    begin = ranges[0][0]
    cuts = [slice(a - begin, b - begin) for a, b in ranges]
    return [Rows(rows.regret[c], rows.best_pulls[c], rows.pulls[c]) for c in cuts]


def _check_device(device: str) -> None:
    """Raise RunError, with the name of this machine, if the device is not here."""
    try:
        check_device("run", device)
    except RbmleError as problem:
        why = str(problem).rstrip(".")
        where = platform.node()
        raise RunError(f"run: the worker on {where} cannot play this study ({why}).") from None


def play_block(block: Block, stop: NDArray[np.int64] | None = None) -> Played:
    """Play a block on this thread: a pure function, for any thread, process or machine.

    stop: as in `play_piece`; by default what stops the run, if that is in this process.
    """
    check_versions(block.versions, versions(), platform.node())
    _check_device(block.device)
    if stop is None:
        stop = STOPS.get(block.run)
    piece = unpacked(block.content)
    compile_piece(piece, block.device)  # once in a process: it must not count as time to play
    begin = time.perf_counter()
    rows = [
        part
        for ranges in _adjacent(block.ranges)
        for part in _cut(
            play_piece(piece._replace(first=ranges[0][0], last=ranges[-1][1]), stop, block.device),
            ranges,
        )
    ]
    seconds = time.perf_counter() - begin
    if stop is not None and stop[0] != 0:
        raise StoppedError
    return Played(rows, seconds)
