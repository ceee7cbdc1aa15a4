"""The output of `rbmle atlas`: a table for each set, and the recommended policy's record."""

from __future__ import annotations

from collections.abc import Sequence

from .._io.text import count_text, number_text, with_error
from ..atlas import RIVALS, AtlasRow, verdicts, within_targets
from .screen import say, show_table

_HEAD = ("policy", "mean", "99 %", "99.9 %", "x best: median", "90 %", "worst", "won")


def show_atlas(rows: Sequence[AtlasRow]) -> None:
    """Print a table for each set and horizon, and how often the recommended policy was the best."""
    alike: dict[tuple[str, str, int], list[AtlasRow]] = {}
    for row in rows:
        alike.setdefault((row.cell.family, row.cell.name, row.cell.horizon), []).append(row)
    for (family, name, horizon), here in alike.items():
        cell = here[0].cell
        title = f"{family}, {name}: regret, T = {horizon:,}, {cell.problems} problems"
        show_table(title, _HEAD, [_cells(row) for row in here])
        say()
    found = verdicts([row.cell for row in rows])
    if found:
        played = {row.cell.policy for row in rows}
        rivals = [name for name in RIVALS if name in played]
        below, near, safe = within_targets(found)
        pairs = count_text(len(found), "pair")
        say(
            f"The recommended RBMLE on {pairs} of a set and a horizon: its mean regret is "
            f"below that of each of {', '.join(rivals)} on {below}, at most 1.25 times the "
            f"smallest of theirs on {near}; its 99 % quantile is at most twice Thompson sampling's "
            f"on {safe}."
        )


def _cells(row: AtlasRow) -> list[str]:
    cell = row.cell
    mean, error = with_error(cell.mean, cell.error)
    return [
        cell.policy,
        f"{mean} ±{error}",
        number_text(cell.tail),
        number_text(cell.far_tail),
        *(f"{value:.2f}" for value in (row.median, row.high, row.worst)),
        f"{100.0 * row.won:.0f} %",
    ]


def atlas_data(rows: Sequence[AtlasRow]) -> list[dict[str, object]]:
    """The rows as plain data."""
    return [
        {
            **{key: value for key, value in row.cell._asdict().items() if key != "by_problem"},
            "median": row.median, "high": row.high, "worst": row.worst, "won": row.won,
        }
        for row in rows
    ]  # fmt: skip
