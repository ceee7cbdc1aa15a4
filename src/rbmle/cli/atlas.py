"""The command `rbmle atlas`: a table for each set, and how good the recommended policy was."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from .._io.machine import require_extra
from .._io.text import count_text, number_text, with_error
from .options import Device, Json, Threads, command, names_given
from .screen import say, show_json, show_table

if TYPE_CHECKING:
    from ..atlas import AtlasRow

_TAILS = {"tail": "99 %", "far_tail": "99.9 %"}  # NaN where runs are too few, and then not shown


@command()
def atlas(
    folder: Annotated[Path, Option(help="The folder to write.")] = Path("rbmle-atlas"),
    group: Annotated[str, Option(help="report, or training.")] = "report",
    only: Annotated[
        list[str] | None, Option(help="A family or a set, as in 'bernoulli: near 0'.")
    ] = None,
    quick: Annotated[
        bool, Option("--quick", help="Ten sets, fast policies, 1,000 rounds.")
    ] = False,
    device: Device = "cpu",
    threads: Threads = None,
    figures: Annotated[bool, Option("--figures", help="Draw them into the folder.")] = False,
    json: Json = False,
) -> None:
    """Play policies on sets of random problems; the same command continues.

    Example: rbmle atlas --quick
    """
    from ..atlas import atlas as play

    if figures:
        require_extra("atlas", "report")
    rows = play(
        folder, group, _named(group, only or []), quick, device, threads,
        tell=lambda line: print(line, file=sys.stderr, flush=True),
    )  # fmt: skip
    if figures:
        from ..figures import save_atlas_figures

        save_atlas_figures([row.cell for row in rows], folder / "figures", group)
    if json:
        show_json([_data(row) for row in rows])
    else:
        _show(rows)
        say(f"Wrote {folder / 'atlas.csv'}.")


def _named(group: str, given: list[str]) -> list[str]:
    """The families and sets of the option. Commas separate, except inside names of sets."""
    from ..atlas import atlas_sets

    labels = {each.label for each in atlas_sets(group)}
    parts = [[text] if text in labels else names_given("atlas", "--only", text) for text in given]
    return [name for each in parts for name in each]


def _show(rows: Sequence[AtlasRow]) -> None:
    """Print a table for each set and horizon, and how often the recommended policy was the best."""
    from ..atlas import AWARE, RIVALS, verdicts, within_targets
    from ..atlas.play import grouped

    for (family, name, horizon), here in grouped(rows, lambda row: row.cell[:3]).items():
        problems = here[0].cell.problems
        title = f"{family}, {name}: regret, T = {horizon:,}, {problems} problems"
        tails = [name for name in _TAILS if not all(isnan(getattr(row.cell, name)) for row in here)]
        head = ["policy", "mean", *(_TAILS[name] for name in tails)]
        head += ["x best: median", "90 %", "worst", "won"]
        show_table(title, head, [_cells(row, tails) for row in here])
        say()
    if found := verdicts([row.cell for row in rows]):
        played = {row.cell.policy for row in rows}
        rivals = ", ".join(name for name in (*RIVALS, *AWARE) if name in played)
        below, near, safe = within_targets(found)
        tail, far = (
            any(not isnan(getattr(each, name)) for each in found) for name in ("tail", "far_tail")
        )
        farther = ", and its 99.9 % quantile at most three times," * far
        safely = f"; its 99 % quantile is at most twice Thompson sampling's{farther} on {safe}"
        safely *= tail
        say(
            f"The recommended RBMLE on {count_text(len(found), 'benchmark')}, each a set of "
            f"problems played to one horizon: its mean regret is below that of each of {rivals} on "
            f"{below}, at most 1.25 times the smallest of theirs on {near}{safely}."
        )


def _cells(row: AtlasRow, tails: Sequence[str]) -> list[str]:
    cell = row.cell
    mean, error = with_error(cell.mean, cell.error)
    return [
        cell.policy,
        f"{mean} ±{error}",
        *(number_text(getattr(cell, name)) for name in tails),
        *(f"{value:.2f}" for value in (row.median, row.high, row.worst)),
        f"{100.0 * row.won:.0f} %",
    ]


def _data(row: AtlasRow) -> dict[str, object]:
    """The row as plain data; null for a quantile that so few runs do not have."""
    cell, found = row.cell._asdict(), row._asdict()
    del cell["by_problem"], found["cell"]
    unknown = {name: None for name in _TAILS if isnan(cell[name])}
    return {**cell, **found, **unknown}
