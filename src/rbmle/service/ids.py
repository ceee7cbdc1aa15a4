"""The ids of decisions: those that callers give, and those of our own making."""

from __future__ import annotations

import re
import time
import uuid


def new_id() -> str:
    """A unique id. It begins with the time: new ids are adjacent in the database's index."""
    return f"{time.time_ns() // 1_000_000:012x}-{uuid.uuid4().hex[:20]}"


_OURS = re.compile(r"d-([1-9][0-9]{0,17})-([1-9][0-9]{0,17})")


def place_of(id: str) -> tuple[int, int] | None:
    """The experiment and the `seq` that an id of our own making names; None for a caller's id."""
    if not id.startswith("d-"):
        return None
    found = _OURS.fullmatch(id)
    return (int(found[1]), int(found[2])) if found else None
