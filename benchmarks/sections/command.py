"""The command `python -m benchmarks`: its options, the list of its sections, and their output."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numba
import numpy as np
import typer

from rbmle.cli.options import Command, Json, names_given
from rbmle.cli.screen import say, show_json, show_table
from rbmle.errors import integer, one_of

from .cluster import cluster
from .compiling import compiling
from .growth import arms
from .ids_samples import ids
from .paper_ratios import paper
from .references import loops
from .resources import memory, startup
from .solving import solving
from .table import BenchTable, Effort, UnavailableError
from .threads import threads
from .yardstick import limit

_REPEATS, _QUICK_REPEATS = 5, 3


SECTIONS: dict[str, Callable[[Effort], BenchTable]] = {
    "limit": limit,
    "solving": solving,
    "ids": ids,
    "arms": arms,
    "threads": threads,
    "cluster": cluster,
    "paper": paper,
    "loops": loops,
    "memory": memory,
    "startup": startup,
    "compiling": compiling,
}


app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(cls=Command)
def bench(
    only: Annotated[str | None, typer.Option(help=",".join(SECTIONS))] = None,
    repeats: Annotated[
        int | None, typer.Option(help="Turns of ours and the reference; 5, or 3 if quick.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Less of each, about a minute.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 if a target is missed.")] = (
        False
    ),
    json: Json = False,
) -> int:
    """Measure this machine: ours against a C loop and other references, as ratios.

    Example: python -m benchmarks --only limit,threads
    """
    return measure(names_given("bench", "--only", only), repeats, quick, check, json)


def measure(only: Sequence[str], repeats: int | None, quick: bool, check: bool, json: bool) -> int:
    """Measure the sections one by one, and print each as soon as it is done; returns the exit code.

    only: names of sections, all by default. check: return 1 if a target is missed.
    """
    names = [one_of("bench", "--only", each, SECTIONS) for each in only] or list(SECTIONS)
    if repeats is None:
        repeats = _QUICK_REPEATS if quick else _REPEATS
    effort = Effort(integer("bench", "--repeats", repeats, "[1, inf)"), quick)
    data: dict[str, Any] = {}
    missed = False
    if not json:
        say(", ".join(f"{name} {value}" for name, value in machine().items()))
        say()
    for name in names:
        try:
            section = SECTIONS[name](effort)
        except UnavailableError as reason:
            if only:
                raise
            data[name] = {"cannot": str(reason)}
            missed = True
            if not json:
                say(f"{reason}\n")
            continue
        data[name] = section.data()
        missed = missed or bool(section.missed())
        if not json:
            show_section(name, section)
    if json:
        show_json({"machine": machine(), "effort": effort._asdict(), "sections": data})
    return 1 if check and missed else 0


def show_section(name: str, section: BenchTable) -> None:
    """Print the table of a section, and its notes below."""
    heads = [
        "",
        section.ours,
        section.reference,
        section.ratio,
        "least .. largest",
        "target",
        "compared",
    ]
    rows = [
        [
            line.name,
            quantity(line.ours, line.unit),
            quantity(line.reference, line.unit),
            ratio_text(line.ratio),
            f"{ratio_text(line.least)} .. {ratio_text(line.largest)}",
            line.target and f"{line.target} {'met' if line.met else 'MISSED'}",
            line.check,
        ]
        for line in section.lines
    ]
    show_table(f"{name}: {section.title}", heads, rows)
    for note in section.notes:
        say(note)
    say()


def ratio_text(ratio: float) -> str:
    """A ratio to three significant digits, without an exponent.

    >>> ratio_text(0.98765), ratio_text(12.345), ratio_text(3456.7)
    ('0.988', '12.3', '3457')
    """
    return f"{ratio:.0f}" if ratio >= 1000 else f"{ratio:#.3g}".rstrip(".")


def quantity(value: float, unit: str) -> str:
    """A time ("s") or a size ("B") with a suitable unit.

    >>> quantity(5.1e-8, "s"), quantity(0.0021, "s"), quantity(2.5e8, "B")
    ('51.0 ns', '2.10 ms', '250 MB')
    """
    scales = {"s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")), "B": ((1e6, "MB"),)}
    scale, name = next((each for each in scales[unit] if value >= each[0]), scales[unit][-1])
    return f"{ratio_text(value / scale)} {name}"


def machine() -> dict[str, Any]:
    """The machine and the versions, for the record."""
    return {
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        # Work of other processes: on two processors with a load of 1, two threads gain little.
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }
