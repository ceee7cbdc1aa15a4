"""The metrics, in the text form of Prometheus. They come from the log, so every worker tells the
same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_METRICS = (
    ("rbmle_decisions_total", "counter", "Decisions made.", "decisions"),
    ("rbmle_rewards_total", "counter", "Rewards counted.", "rewards"),
    ("rbmle_expired_total", "counter", "Decisions whose reward did not come in time.", "expired"),
    ("rbmle_pending", "gauge", "Decisions whose reward may still come.", "pending"),
    ("rbmle_arms", "gauge", "Arms, in any state.", "n_arms"),
)


def exposition(experiments: Iterable[Mapping[str, Any]]) -> str:
    """The metrics of these experiments."""
    shown = list(experiments)
    lines = []
    for name, kind, help, field in _METRICS:
        lines += [f"# HELP {name} {help}", f"# TYPE {name} {kind}"]
        lines += [f'{name}{{experiment="{_label(e["name"])}"}} {e[field]}' for e in shown]
    return "\n".join(lines) + "\n"


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
