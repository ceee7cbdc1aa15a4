"""The commands of the paper: its tables recomputed, and its times of decisions."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

import rbmle

from .._io.machine import require_extra
from ..errors import ParameterError, one_of
from .options import Json, Threads, command, names_given, numbers_given
from .screen import progress, say, show_json

if TYPE_CHECKING:
    from ..paper.reproduction import ComparedRow


@command()
def reproduce(
    tables: Annotated[
        list[str] | None, Argument(help="Bernoulli_ID=2, ... or its figures: 1a 3b.")
    ] = None,
    paper: Annotated[str, Option(help="rbmle; or sda, whose tables are 1 to 5 and 11.")] = "rbmle",
    policies: Annotated[
        str | None, Option(help="The tables' names, with commas: RBMLE,UCB")
    ] = None,
    quick: Annotated[
        bool, Option("--quick", help="Only Figure 1 and fast policies; of sda 1 run in 25.")
    ] = False,
    folder: Annotated[
        Path | None, Option(help="Where the results go; else rbmle-paper, or rbmle-sda.")
    ] = None,
    replications: Annotated[int | None, Option(help="Trials; 100 in the paper.")] = None,
    monte_carlo: Annotated[
        bool, Option("--monte-carlo", help="IDS and VIDS by 10,000 samples: hours.")
    ] = False,
    threads: Threads = None,
    check: Annotated[
        bool, Option("--check", help="Exit with 1 if one differs from print.")
    ] = False,
    json: Json = False,
) -> int:
    """Recompute the paper's tables and compare each number with print.

    Example: rbmle reproduce --quick
    """
    from ..paper.folder import reproduce as recompute
    from ..paper.papers import papers, reproduce_paper
    from ..paper.reproduction import QUICK, QUICK_TABLES
    from . import output

    chosen = names_given("reproduce", "--policies", policies)
    if paper != "rbmle":
        one_of("reproduce", "--paper", paper, ["rbmle", *papers()])
        if monte_carlo:
            raise ParameterError("reproduce", "--monte-carlo", "left out with --paper", True)
        rows = reproduce_paper(
            paper, tables or (), folder, chosen or (), replications, threads,
            None if json else output.show_compared, quick,
        )  # fmt: skip
        return _verdict(rows, check, json)
    folder = folder or Path("rbmle-paper")
    if not json:
        require_extra("reproduce", "report")
    with progress() as bar:
        rows = recompute(
            tables or (QUICK_TABLES if quick else ()), folder, chosen or (QUICK if quick else ()),
            replications, monte_carlo, threads, bar, None if json else output.show_comparison,
        )  # fmt: skip
    if not json:
        page = rbmle.report(folder, command=shlex.join(["rbmle", *sys.argv[1:]]))
        say(f"Wrote {page} and {folder / 'figures'}.")
    return _verdict(rows, check, json)


def _verdict(rows: list[ComparedRow], check: bool, json: bool) -> int:
    """Tell how many numbers agree with print; the exit code."""
    from ..paper.reproduction import count_verdicts
    from . import output

    counts = count_verdicts(rows)
    if json:
        show_json({"cells": output.cells(rows), "counts": counts})
    else:
        output.summarise(counts)
    return 1 if check and counts["differs"] else 0


@command()
def scale(
    families: Annotated[str, Option(help="bernoulli,gaussian,exponential")] = "bernoulli",
    arms: Annotated[str, Option(help="Numbers of arms, with commas.")] = "10,30,50,70",
    policies: Annotated[str | None, Option(help="The tables' names, with commas.")] = None,
    horizon: Annotated[int, Option(help="Rounds of a timed run.")] = 2_000,
    repeats: Annotated[int, Option(help="Repeats; the median is shown.")] = 3,
    live: Annotated[bool, Option("--live", help="Time the live Decider instead.")] = False,
    json: Json = False,
) -> None:
    """Time decisions against the number of arms, as ratios to UCB, beside the paper's.

    Example: rbmle scale --families gaussian --arms 10,100,1000
    """
    from ..paper.scaling import measure
    from . import output

    counts = numbers_given("scale", "--arms", arms, int)
    chosen = names_given("scale", "--families", families)
    wanted = names_given("scale", "--policies", policies)
    records = measure(chosen, counts, wanted, horizon, repeats, live)
    if json:
        show_json([each.data() for each in records])
    else:
        output.show_scaling(records)
