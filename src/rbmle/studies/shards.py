"""A shard: some replications of one policy on one problem, as a file that proves itself.

    "RBMLE-SH" | length of the header, 8 bytes | header, JSON | arrays | SHA-256 of all before

The header names the study's digest, the problem, the policy, the replications first..last-1 and
the checkpoints; the arrays are regret (float64), best_pulls and pulls (int64), little-endian, in
that order, row by row. Nothing in it depends on when, where or in which order it was made.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, NamedTuple

import numpy as np

from ..errors import RunError
from ..pieces import Rows
from .study import Study

MAGIC = b"RBMLE-SH"
_SUM = hashlib.sha256().digest_size
_NAME = re.compile(r"(\d+)-(\d+)-(\d+)-(\d+)\.shard")


class Place(NamedTuple):
    """Which replications of which policy on which problem, the last two by number."""

    problem: int
    policy: int
    first: int
    last: int

    @property
    def file_name(self) -> str:
        return f"{self.problem:03}-{self.policy:03}-{self.first:07}-{self.last:07}.shard"

    @classmethod
    def of_file(cls, name: str) -> Place | None:
        """The place that a file's name claims, None for other files."""
        found = _NAME.fullmatch(name)
        place = cls(*(int(each) for each in found.groups())) if found else None
        return place if place is not None and place.file_name == name else None

    def fits(self, study: Study) -> bool:
        """Whether the study has this place, with so many replications or with more."""
        return (
            self.problem < len(study.problems)
            and self.policy < len(study.policies)
            and self.first < self.last
        )


def encode(study: Study, place: Place, rows: Rows) -> bytes:
    """The bytes of a shard."""
    body = _start(study, place) + b"".join(
        np.ascontiguousarray(array, kind).tobytes()
        for array, (_, kind) in zip(rows, _layout(study, place), strict=True)
    )
    return body + hashlib.sha256(body).digest()


def decode(study: Study, place: Place, content: bytes) -> Rows:
    """The rows in a shard; whatever is not exactly what belongs in this place is refused."""
    body, checksum = content[:-_SUM], content[-_SUM:]
    if not content.startswith(MAGIC):
        raise RunError("it is not a shard" if content else "it is empty")
    if hashlib.sha256(body).digest() != checksum:
        raise RunError("its checksum is wrong, so it is torn or damaged")
    start = _start(study, place)
    if not body.startswith(start):
        raise RunError(f"it is a shard of {_owner(body)}")
    rows, offset = [], len(start)
    for shape, kind in _layout(study, place):
        count = shape[0] * shape[1]
        if len(body) < offset + 8 * count:
            raise RunError("it is too short")
        rows.append(np.frombuffer(body, kind, count, offset).reshape(shape))
        offset += 8 * count
    if offset != len(body):
        raise RunError("it is too long")
    return Rows(*rows)


def _start(study: Study, place: Place) -> bytes:
    header = {
        "digest": study.digest,
        "problem": list(study.problems)[place.problem],
        "policy": list(study.policies)[place.policy],
        "first": place.first,
        "last": place.last,
        "checkpoints": study.rounds,
        "arrays": [[*shape, kind] for shape, kind in _layout(study, place)],
    }
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode("ascii")
    return MAGIC + len(text).to_bytes(8, "little") + text


def _layout(study: Study, place: Place) -> list[tuple[tuple[int, int], str]]:
    problem = list(study.problems.values())[place.problem]
    n, rounds = place.last - place.first, len(study.rounds)
    return [((n, rounds), "<f8"), ((n, rounds), "<i8"), ((n, problem.n_arms), "<i8")]


def _owner(body: bytes) -> str:
    """Whose an intact shard is, for the sentence that refuses it."""
    try:
        size = int.from_bytes(body[8:16], "little")
        header: dict[str, Any] = json.loads(body[16 : 16 + size])
        return (
            f"study {header['digest'][:12]}: {header['policy']} on {header['problem']}, "
            f"replications {header['first']} to {header['last'] - 1}"
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return "an unknown kind"
