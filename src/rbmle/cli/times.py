"""Decision times of a run, kept beside its results: they vary with the machine, results do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .._files import write_atomically
from ..studies.study import Study
from ..timing import study_times

_NAME = "times.json"


def keep_times(study: Study, folder: Path) -> None:
    """Time the decisions of a finished run, unless that was done for this study."""
    kept = _read(folder)
    if kept.get("digest") != study.digest:
        data = {"digest": study.digest, "seconds_per_decision": study_times(study)}
        write_atomically(folder / _NAME, json.dumps(data, indent=1).encode())


def kept_times(folder: Path) -> dict[str, Any]:
    """{problem: {policy: {"compiled": ..., "live": ...}}}, or nothing."""
    times: dict[str, Any] = _read(folder).get("seconds_per_decision", {})
    return times


def _read(folder: Path) -> dict[str, Any]:
    try:
        data = json.loads((folder / _NAME).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}
