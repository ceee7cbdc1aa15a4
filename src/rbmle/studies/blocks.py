"""A block: what one task of an executor plays, and the function that plays it on a worker."""

from __future__ import annotations

import platform
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..pieces import Rows, compile_piece, play_piece
from .parcels import unpacked
from .versions import check_versions, versions

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
    ranges: tuple[tuple[int, int], ...]
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


def play_block(block: Block, stop: NDArray[np.int64] | None = None) -> Played:
    """Play a block on this thread: a pure function, for any thread, process or machine.

    stop: as in `play_piece`; by default what stops the run, if that is in this process.
    """
    check_versions(block.versions, versions(), platform.node())
    if stop is None:
        stop = STOPS.get(block.run)
    piece = unpacked(block.content)
    compile_piece(piece)  # once in a process: it must not count as time to play
    begin = time.perf_counter()
    rows = [play_piece(piece._replace(first=a, last=b), stop) for a, b in block.ranges]
    seconds = time.perf_counter() - begin
    if stop is not None and stop[0] != 0:
        raise StoppedError
    return Played(rows, seconds)
