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

import numpy as np

from ..engine.plan import Rows, Task
from ..errors import RunError
from .study import Study

MAGIC = b"RBMLE-SH"
_SUM = hashlib.sha256().digest_size
_NAME = re.compile(r"(\d+)-(\d+)-(\d+)-(\d+)\.shard")


def file_name(task: Task) -> str:
    """The name of the shard's file."""
    return f"{task.problem:03}-{task.policy:03}-{task.first:07}-{task.last:07}.shard"


def task_of(name: str) -> Task | None:
    """The task in a shard's file name; None if it is not the name of a shard."""
    found = _NAME.fullmatch(name)
    task = Task(*(int(each) for each in found.groups())) if found else None
    return task if task is not None and file_name(task) == name else None


def fits(study: Study, task: Task) -> bool:
    """Whether the study has this problem and policy. The study may have fewer replications."""
    known = task.problem < len(study.problems) and task.policy < len(study.policies)
    return known and task.first < task.last


def encode(study: Study, task: Task, rows: Rows) -> bytes:
    """The bytes of a shard."""
    body = _start(study, task) + b"".join(
        np.ascontiguousarray(array, kind).tobytes()
        for array, (_, kind) in zip(rows, _layout(study, task), strict=True)
    )
    return body + hashlib.sha256(body).digest()


def decode(study: Study, task: Task, content: bytes) -> Rows:
    """The rows in a shard. A damaged shard, or one of another task or study, is refused."""
    body, checksum = content[:-_SUM], content[-_SUM:]
    if not content.startswith(MAGIC):
        raise RunError("it is not a shard" if content else "it is empty")
    if hashlib.sha256(body).digest() != checksum:
        raise RunError("its checksum is wrong, so it is torn or damaged")
    start = _start(study, task)
    if not body.startswith(start):
        raise RunError(f"it is a shard of {_owner(body)}")
    rows, offset = [], len(start)
    for shape, kind in _layout(study, task):
        count = shape[0] * shape[1]
        if len(body) < offset + 8 * count:
            raise RunError("it is too short")
        rows.append(np.frombuffer(body, kind, count, offset).reshape(shape))
        offset += 8 * count
    if offset != len(body):
        raise RunError("it is too long")
    return Rows(*rows)


def _start(study: Study, task: Task) -> bytes:
    header = {
        "digest": study.digest,
        "problem": list(study.problems)[task.problem],
        "policy": list(study.policies)[task.policy],
        "first": task.first,
        "last": task.last,
        "checkpoints": study.rounds,
        "arrays": [[*shape, kind] for shape, kind in _layout(study, task)],
    }
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode("ascii")
    return MAGIC + len(text).to_bytes(8, "little") + text


def _layout(study: Study, task: Task) -> list[tuple[tuple[int, int], str]]:
    n, rounds, arms = task.size, len(study.rounds), study.plan.problems[task.problem].n_arms
    return [((n, rounds), "<f8"), ((n, rounds), "<i8"), ((n, arms), "<i8")]


def _owner(body: bytes) -> str:
    """What an intact shard holds, for the message that refuses it."""
    try:
        size = int.from_bytes(body[8:16], "little")
        header = json.loads(body[16 : 16 + size])
        return (
            f"study {header['digest'][:12]}: {header['policy']} on {header['problem']}, "
            f"replications {header['first']} to {header['last'] - 1}"
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return "an unknown kind"
