"""The figure of final regret: a box for each policy, over replications."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes

from .._numba.compile import Floats
from ..result import Result
from .canvas import RecordFigure, canvas, fit
from .charts import ChartAxis, Json, log_ticks, page_numbers, set_axes
from .curves import title_of
from .style import INK, clean, short, styles

WHISKERS = (10.0, 90.0)
_MOST_DOTS = 200  # beyond the whiskers, on the page; of more, an even selection by rank is drawn
_SPAN = 20.0  # if the 5 % and 95 % quantiles are this factor apart, a linear axis hides small boxes
_TAIL = 10.0  # if the largest value is this many times the longest whisker, it squashes all boxes


class FinalRegret(NamedTuple):
    """Final regret of each replication, (policies, replications); the smallest median is first."""

    title: str
    names: tuple[str, ...]
    regret: Floats
    log: bool  # whether a log axis suits the values: a wide range, or a few far beyond the others
    among: tuple[str, ...] = ()  # all policies of the run, so that styles stay the same

    @property
    def near_zero(self) -> float:
        """Where a log axis that must also show 0 becomes linear: the 2 % quantile above 0."""
        positive = self.regret[self.regret > 0.0]
        return float(np.quantile(positive, 0.02)) if positive.size else 1.0

    def data(self) -> Json:
        """The boxes for the report's page, as plain JSON."""
        drawn = styles(self.among or self.names)
        columns = ["mean", "least", "q10", "q25", "q50", "q75", "q90", "largest"]
        boxes = []
        for name, values in zip(self.names, self.regret, strict=True):
            low, *_, high = quantiles = np.quantile(values, [0.1, 0.25, 0.5, 0.75, 0.9])
            beyond = np.sort(values[(values < low) | (values > high)])
            ranks = np.linspace(0, beyond.size - 1, min(beyond.size, _MOST_DOTS)).round()
            numbers = page_numbers([values.mean(), values.min(), *quantiles, values.max()])
            boxes.append(
                {
                    "name": clean(name),
                    "policy": clean(name),
                    "colour": drawn[name].colour,
                    **dict(zip(columns, numbers, strict=True)),
                    "dots": page_numbers(np.unique(beyond[ranks.astype(int)])),
                }
            )
        axis = {**ChartAxis("Final regret", self.log).data(), "near": self.near_zero}
        about = {"kind": "boxes", "about": "final-regret"}
        return {**about, "x": axis, "columns": columns, "boxes": boxes}


def final_regret(result: Result, policies: Sequence[str | int] | None = None) -> FinalRegret:
    """The final regrets of each policy, sorted by their median.

    policies: names or positions of those to show; all by default.
    """
    places = np.array(result.places("final_regret", policies))
    final = result.final_regret[places]
    order = np.argsort(np.median(final, axis=1), kind="stable")
    return FinalRegret(
        title=title_of(result),
        names=tuple(result.names[i] for i in places[order]),
        regret=final[order],
        log=_log_suits(final),
        among=result.names,
    )


def _log_suits(regret: Floats) -> bool:
    positive = regret[regret > 0.0]
    if not positive.size:
        return False
    low, high = np.quantile(positive, (0.05, 0.95))
    whisker = float(np.quantile(regret, WHISKERS[1] / 100.0, axis=1).max())
    return bool(high >= _SPAN * low or regret.max() >= _TAIL * whisker)


def draw_final_regret(
    record: FinalRegret, log_regret: bool | None = None, ax: Axes | None = None
) -> RecordFigure:
    """Draw a box for each policy.

    The box shows quartiles and median, the whiskers 10 % and 90 %, dots what lies beyond, the
    diamond the mean.
    log_regret: a log axis; by default where it suits the values. If some regret is 0, the axis is
    linear near 0.
    ax: axes to draw in; the returned figure is then empty.
    """
    drawn = styles(record.among or record.names)
    count = len(record.names)
    log = bool(record.regret.max() > 0.0 and (record.log if log_regret is None else log_regret))
    mean = {"marker": "D", "markersize": 4.5, "markerfacecolor": "white", "markeredgecolor": INK}
    thin = {"color": INK, "linewidth": 0.8}
    with canvas(record, height=max(2.4, 0.27 * count + 1.1), ax=ax) as (figure, axes):
        parts = axes.boxplot(
            list(record.regret),
            orientation="horizontal",
            widths=0.62,
            whis=WHISKERS,
            positions=range(count),
            showmeans=True,
            patch_artist=True,
            medianprops={"color": INK, "linewidth": 1.6},
            meanprops=mean,
            flierprops={"marker": ".", "markersize": 3.5, "markeredgewidth": 0},
            whiskerprops=thin,
            capprops=thin,
            manage_ticks=False,
        )
        for name, box, dots in zip(record.names, parts["boxes"], parts["fliers"], strict=True):
            colour = drawn[name].colour
            box.set(facecolor=colour, alpha=0.75, edgecolor=INK, linewidth=0.8)
            dots.set(markerfacecolor=colour)
        set_axes(axes, record.title, _regret_axis(axes, record, log), ChartAxis(""))
        name_rows(figure, axes, record.names)
    return figure


def name_rows(figure: RecordFigure, axes: Axes, names: Sequence[str]) -> None:
    """Write a name beside each row of a drawing, from top to bottom, and fit it into the figure."""
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_yticks(range(len(names)), [short(name, names) for name in names])
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    fit(figure, axes)


def _regret_axis(axes: Axes, record: FinalRegret, log: bool) -> ChartAxis:
    """The x axis: linear from 0; or log; or linear near 0 and log beyond if a value is 0."""
    largest, label = float(record.regret.max()), "Final regret"
    if not log:
        axes.set_xlim(0.0, 1.05 * largest or 1.0)
    elif record.regret.min() <= 0.0:
        axes.set_xscale("asinh", linear_width=record.near_zero)
        axes.set_xlim(0.0, 1.3 * largest)
        steps = [each for each in log_ticks(record.near_zero, largest) if each > record.near_zero]
        return ChartAxis(f"{label} (log scale)", ticks=(0.0, *steps))
    return ChartAxis(label, log)
