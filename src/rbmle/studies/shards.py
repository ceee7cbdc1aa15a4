"""A shard: a file with some replications of one policy on one problem, and its own checksum.

    "RBMLE-SH" | length of the header, 8 bytes | header, JSON | arrays | SHA-256 of the preceding

The header names the study's digest, the problem, the policy, the replications first..last-1 and
the checkpoints; the arrays are regret (float64), best_pulls and pulls (int64), little-endian, in
that order, row by row. The bytes do not depend on when, where or in which order shards were made.
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


class Stretch(NamedTuple):
    """A stretch of replications, first to last - 1, of one policy on one problem.

    problem, policy: their positions in the study.
    """

    problem: int
    policy: int
    first: int
    last: int

    @property
    def file_name(self) -> str:
        """The name of the shard's file."""
        return f"{self.problem:03}-{self.policy:03}-{self.first:07}-{self.last:07}.shard"

    @classmethod
    def of_file(cls, name: str) -> Stretch | None:
        """The stretch in a shard's file name; None if it is not the name of a shard."""
        found = _NAME.fullmatch(name)
        stretch = cls(*(int(each) for each in found.groups())) if found else None
        return stretch if stretch is not None and stretch.file_name == name else None

    def fits(self, study: Study) -> bool:
        """Whether the study has this problem and policy. The study may have fewer replications."""
        return (
            self.problem < len(study.problems)
            and self.policy < len(study.policies)
            and self.first < self.last
        )


def encode(study: Study, stretch: Stretch, rows: Rows) -> bytes:
    """The bytes of a shard."""
    body = _start(study, stretch) + b"".join(
        np.ascontiguousarray(array, kind).tobytes()
        for array, (_, kind) in zip(rows, _layout(study, stretch), strict=True)
    )
    return body + hashlib.sha256(body).digest()


def decode(study: Study, stretch: Stretch, content: bytes) -> Rows:
    """The rows in a shard. A damaged shard, or one of another stretch or study, is refused."""
    body, checksum = content[:-_SUM], content[-_SUM:]
    if not content.startswith(MAGIC):
        raise RunError("it is not a shard" if content else "it is empty")
    if hashlib.sha256(body).digest() != checksum:
        raise RunError("its checksum is wrong, so it is torn or damaged")
    start = _start(study, stretch)
    if not body.startswith(start):
        raise RunError(f"it is a shard of {_owner(body)}")
    rows, offset = [], len(start)
    for shape, kind in _layout(study, stretch):
        count = shape[0] * shape[1]
        if len(body) < offset + 8 * count:
            raise RunError("it is too short")
        rows.append(np.frombuffer(body, kind, count, offset).reshape(shape))
        offset += 8 * count
    if offset != len(body):
        raise RunError("it is too long")
    return Rows(*rows)


def _start(study: Study, stretch: Stretch) -> bytes:
    header = {
        "digest": study.digest,
        "problem": list(study.problems)[stretch.problem],
        "policy": list(study.policies)[stretch.policy],
        "first": stretch.first,
        "last": stretch.last,
        "checkpoints": study.rounds,
        "arrays": [[*shape, kind] for shape, kind in _layout(study, stretch)],
    }
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode("ascii")
    return MAGIC + len(text).to_bytes(8, "little") + text


def _layout(study: Study, stretch: Stretch) -> list[tuple[tuple[int, int], str]]:
    problem = list(study.problems.values())[stretch.problem]
    n, rounds = stretch.last - stretch.first, len(study.rounds)
    return [((n, rounds), "<f8"), ((n, rounds), "<i8"), ((n, problem.n_arms), "<i8")]


def _owner(body: bytes) -> str:
    """What an intact shard holds, for the message that refuses it."""
    try:
        size = int.from_bytes(body[8:16], "little")
        header: dict[str, Any] = json.loads(body[16 : 16 + size])
        return (
            f"study {header['digest'][:12]}: {header['policy']} on {header['problem']}, "
            f"replications {header['first']} to {header['last'] - 1}"
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return "an unknown kind"
