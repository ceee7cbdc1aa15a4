"""`rbmle bench`: which sections there are, and how they are shown."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np

from ..bench.growth import arms
from ..bench.ids import ids
from ..bench.paper import paper
from ..bench.references import loops
from ..bench.resources import memory, startup
from ..bench.solving import solving
from ..bench.table import BenchTable, Effort, UnavailableError
from ..bench.threads import threads
from ..bench.yardstick import limit
from ..errors import integer, one_of
from .screen import say, show_json, show_table

_REPEATS, _QUICK_REPEATS = 5, 3


SECTIONS: dict[str, Callable[[Effort], BenchTable]] = {
    "limit": limit,
    "solving": solving,
    "ids": ids,
    "arms": arms,
    "threads": threads,
    "paper": paper,
    "loops": loops,
    "memory": memory,
    "startup": startup,
}


def bench(only: Sequence[str], repeats: int | None, quick: bool, check: bool, json: bool) -> int:
    """Measure the sections one by one and show each as it is done; the exit code."""
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
    """A table, and its notes under it."""
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
            figure(line.ratio),
            f"{figure(line.least)} .. {figure(line.largest)}",
            line.target and f"{line.target} {'met' if line.met else 'MISSED'}",
            line.check,
        ]
        for line in section.lines
    ]
    show_table(f"{name}: {section.title}", heads, rows)
    for note in section.notes:
        say(note)
    say()


def figure(ratio: float) -> str:
    """A ratio to three figures, without an exponent.

    >>> figure(0.98765), figure(12.345), figure(3456.7)
    ('0.988', '12.3', '3457')
    """
    return f"{ratio:.0f}" if ratio >= 1000 else f"{ratio:#.3g}".rstrip(".")


def quantity(value: float, unit: str) -> str:
    """A time or a size with a unit that suits it.

    >>> quantity(5.1e-8, "s"), quantity(0.0021, "s"), quantity(2.5e8, "B")
    ('51.0 ns', '2.10 ms', '250 MB')
    """
    scales = {"s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")), "B": ((1e6, "MB"),)}
    scale, name = next((each for each in scales[unit] if value >= each[0]), scales[unit][-1])
    return f"{figure(value / scale)} {name}"


def machine() -> dict[str, Any]:
    """What was measured on."""
    return {
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        # What others take of it: with two processors and a load of 1, threads cannot show much.
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }
