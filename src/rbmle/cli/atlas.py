"""The command `rbmle atlas`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .arguments import names_given
from .options import Device, Json, Threads, command


@command()
def atlas(
    folder: Annotated[Path, typer.Option("--out", help="The folder to write.")] = Path(
        "rbmle-atlas"
    ),
    group: Annotated[str, typer.Option(help="report, or training.")] = "report",
    only: Annotated[
        list[str] | None, typer.Option(help="A family or a set, as in 'bernoulli: near 0'.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Ten sets, fast policies, 1,000 rounds.")
    ] = False,
    device: Device = "cpu",
    threads: Threads = None,
    figures: Annotated[bool, typer.Option("--figures", help="Draw them into the folder.")] = False,
    json: Json = False,
) -> None:
    """Play policies on sets of random problems; run it again to go on where it stopped.

    Example: rbmle atlas --quick
    """
    import sys

    from .._io.machine import require_extra
    from ..atlas import atlas as play
    from .screen import say, show_json
    from .show_atlas import atlas_data, show_atlas

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
        show_json(atlas_data(rows))
    else:
        show_atlas(rows)
        say(f"Wrote {folder / 'atlas.csv'}.")


def _named(group: str, given: list[str]) -> list[str]:
    """The families and sets that are meant. Names of sets may have commas; else commas separate."""
    from ..atlas import atlas_sets

    labels = {each.label for each in atlas_sets(group)}
    parts = [[text] if text in labels else names_given("atlas", "--only", text) for text in given]
    return [name for each in parts for name in each]
