"""Tick labels: short amounts, times, percentages, on linear and log axes."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

from .charts import ChartAxis


def amount(value: float) -> str:
    """A number as ticks show it: 20k for 20000.

    >>> [amount(x) for x in (0.0, 0.05, 1.0, 2500.0, 1e5, 2e6, 3e-5)]
    ['0', '0.05', '1', '2.5k', '100k', '2M', '3e-5']
    """
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.4g}{unit}"
    return f"{value:.4g}".replace("e-0", "e-")


def seconds_text(value: float) -> str:
    """A time in seconds as ticks show it.

    >>> [seconds_text(x) for x in (2e-8, 1e-6, 0.5)]
    ['20 ns', '1 µs', '500 ms']
    """
    units = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
    size, unit = next((each for each in units if value >= 0.999 * each[0]), units[-1])
    return f"{value / size:.4g} {unit}"


_TEXTS = {"": amount, "s": seconds_text, "share": lambda value: f"{100.0 * value:.0f} %"}


def ticks(axes: Axes, x: ChartAxis, y: ChartAxis) -> None:
    """Label both axes and give them short tick labels; those with `log` become logarithmic.

    Call it when the limits are final.
    """
    for axis, kind, scale in ((axes.xaxis, x, axes.set_xscale), (axes.yaxis, y, axes.set_yscale)):
        axis.set_label_text(kind.label + (" (log scale)" if kind.log else ""))
        if kind.log:
            scale("log")
            low, high = sorted(axis.get_view_interval())
            axis.set_major_locator(FixedLocator(log_ticks(float(low), float(high))))
            axis.set_minor_formatter(NullFormatter())
        if kind.ticks:
            axis.set_major_locator(FixedLocator(list(kind.ticks)))
            axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda v, _, text=_TEXTS[kind.unit]: text(float(v))))


def log_ticks(low: float, high: float) -> list[float]:
    """Ticks of a log axis: powers of ten, with multiples of them if there would be fewer than three
    ticks, and only every nth if there would be more than nine."""
    powers = range(int(np.floor(np.log10(low))) - 1, int(np.ceil(np.log10(high))) + 2)
    for factors in ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), tuple(np.arange(1.0, 10.0, 0.5))):
        values = [f * 10.0**p for p in powers for f in factors]
        seen = [value for value in values if low * 0.999 <= value <= high * 1.001]
        if len(seen) >= 3:
            break
    return seen[:: 1 + len(seen) // 9]
