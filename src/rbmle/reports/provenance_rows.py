"""The provenance of a run as a short table, however many processes played it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypedDict, TypeGuard

from .._io.text import count_text, number_text

_VERSIONS = ("rbmle", "numpy", "numba", "python")
_PLACE = (*_VERSIONS, "platform", "machine", "cpus")


class ProcessEntry(TypedDict, total=False):
    """A process that played some of a run, as the run folder states it."""

    rbmle: str
    numpy: str
    numba: str
    python: str
    platform: str
    machine: str
    cpus: int
    played: int
    started: str
    finished: str | None
    wall_seconds: float
    cpu_seconds: float


def provenance_rows(provenance: Mapping[str, object]) -> list[tuple[str, str]]:
    """The provenance as pairs of a word and its value.

    Processes with the same versions on the same machine are summed up: how many they were, how many
    replications they played, from when to when, and the time they took.
    """
    rows: list[tuple[str, str]] = []
    for key, value in provenance.items():
        if key == "invocations" and _entries(value):
            rows += _processes(value)
        else:
            rows.append((str(key), _plain(value)))
    return rows


def _entries(value: object) -> TypeGuard[Sequence[ProcessEntry]]:
    return isinstance(value, Sequence) and all(isinstance(each, Mapping) for each in value)


def _processes(entries: Sequence[ProcessEntry]) -> list[tuple[str, str]]:
    alike: dict[str, list[ProcessEntry]] = {}
    for each in entries:
        alike.setdefault(_plain([each.get(key) for key in _PLACE]), []).append(each)
    rows = []
    for group in alike.values():
        first = group[0]
        rows.append(("versions", ", ".join(f"{key} {first.get(key, '?')}" for key in _VERSIONS)))
        if "platform" in first:
            cpus = first.get("cpus") or 0
            rows.append(("machine", f"{first['platform']}, {count_text(cpus, 'processor')}"))
        rows.append(("played", _played(group)))
    return rows


def _played(group: Sequence[ProcessEntry]) -> str:
    played = sum(each.get("played") or 0 for each in group)
    stopped = sum(each.get("finished") is None for each in group)
    said = (
        f"{count_text(played, 'replication')} by {count_text(len(group), 'process', 'processes')}"
    )
    if stopped:
        said += f", {stopped:,} of them interrupted"
    begun = min(str(each.get("started") or "") for each in group)
    ended = max(str(each.get("finished") or each.get("started") or "") for each in group)
    wall = sum(each.get("wall_seconds") or 0.0 for each in group)
    cpu = sum(each.get("cpu_seconds") or 0.0 for each in group)
    return (
        f"{said}, {begun} to {ended}, {number_text(wall)} s on the clock, "
        f"{number_text(cpu)} s of processors"
    )


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str, sort_keys=True)
