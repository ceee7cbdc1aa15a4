"""What peers_play.py and peers_features_play.py have in common: players, and their command line.

It runs in the environment of each library, so it needs nothing but NumPy.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
WARM_UP = 100  # rounds


class Player(NamedTuple):
    """A policy of a library: how to start it from a seed, and how to play it as a user would."""

    library: str
    policy: str
    start: Callable[[int], Any]
    play: Callable[[Any, Any], Sequence[int]]  # the arms chosen, one for each round of a world
    note: str = ""  # how it deviates from ours
    problem: str = ""  # which one, if there are several


# (problem, replication, most rounds) -> what `play` is given, and the gaps (rounds, arms)
Worlds = Callable[[str, int, int], tuple[Any, Floats]]


def timed(player: Player, worlds: Worlds, replication: int, rounds: int) -> tuple[float, float]:
    """The seconds for choosing and learning, and the regret."""
    world, gaps = worlds(player.problem, replication, rounds)
    policy = player.start(replication)
    start = time.perf_counter()
    chosen = player.play(policy, world)
    seconds = time.perf_counter() - start
    return seconds, float(gaps[np.arange(len(chosen)), chosen].sum())


def plays(player: Player, worlds: Worlds, replications: list[int], budget: float) -> dict[str, Any]:
    """Play replications until the budget is spent, but at least one."""
    timed(player, worlds, replications[0], WARM_UP)
    played: dict[int, tuple[float, float]] = {}
    end = time.perf_counter() + budget
    for replication in replications:
        if played and time.perf_counter() > end:
            break
        played[replication] = timed(player, worlds, replication, sys.maxsize)
    return {
        "library": player.library,
        "policy": f"{player.policy}, {player.problem}" if player.problem else player.policy,
        "note": player.note,
        "replications": list(played),
        "seconds": [seconds for seconds, _ in played.values()],
        "regrets": [regret for _, regret in played.values()],
    }


def command_line(libraries: Mapping[str, Any]) -> argparse.ArgumentParser:
    """The options that both files take."""
    parser = argparse.ArgumentParser(description="Play the policies of one library.")
    parser.add_argument("library", choices=libraries)
    parser.add_argument("--budget", type=float, default=2.0, help="seconds for each policy")
    parser.add_argument("--replications", type=int, nargs="+", default=[0])
    return parser


def report(players: list[Player], worlds: Worlds, options: argparse.Namespace) -> None:
    """Play a library's policies and print what came of it, as one line of JSON."""
    records = [plays(each, worlds, options.replications, options.budget) for each in players]
    version = importlib.metadata.version(options.library)
    print(json.dumps({"version": version, "records": records}))
