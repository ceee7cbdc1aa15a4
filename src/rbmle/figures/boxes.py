"""Final regret, replication by replication, as boxes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from ..result import Result
from .canvas import INK, canvas, fit, look, ticks
from .curves import title_of
from .labels import Floats
from .style import short, styles

WHISKERS = (10.0, 90.0)


class FinalRegret(NamedTuple):
    """Final regret of each replication, (policies, replications); smallest median first."""

    title: str
    names: tuple[str, ...]
    regret: Floats
    log: bool  # a log axis suits it: all above 0, and the bulk spans a factor of 20 or more


def final_regret(result: Result) -> FinalRegret:
    """The final regrets of each policy, sorted by their median."""
    order = np.argsort(np.median(result.final_regret, axis=1), kind="stable")
    regret = result.final_regret[order]
    low, high = np.quantile(regret, (0.05, 0.95))
    return FinalRegret(
        title=title_of(result),
        names=tuple(result.names[i] for i in order),
        regret=regret,
        log=bool(regret.min() > 0.0 and high >= 20.0 * low),
    )


def draw_final_regret(record: FinalRegret) -> Figure:
    """Box: quartiles and median; whiskers: 10 % and 90 %; dots: beyond; diamond: mean."""
    drawn = styles(record.names)
    count = len(record.names)
    with look():
        figure, axes = canvas(height=max(2.4, 0.27 * count + 1.1))
        parts = axes.boxplot(
            list(record.regret), orientation="horizontal", widths=0.62, whis=WHISKERS,
            positions=range(count), showmeans=True, patch_artist=True,
            medianprops={"color": INK, "linewidth": 1.6},
            meanprops={
                "marker": "D", "markersize": 4.5, "markerfacecolor": "white",
                "markeredgecolor": INK,
            },
            flierprops={"marker": ".", "markersize": 3.5, "markeredgewidth": 0},
            manage_ticks=False,
        )  # fmt: skip
        for i, name in enumerate(record.names):
            colour = drawn[name].colour
            parts["boxes"][i].set(facecolor=colour, alpha=0.75, edgecolor=INK, linewidth=0.8)
            parts["fliers"][i].set(markerfacecolor=colour)
            for line in (*parts["whiskers"][2 * i : 2 * i + 2], *parts["caps"][2 * i : 2 * i + 2]):
                line.set(color=INK, linewidth=0.8)
        if not record.log:
            axes.set_xlim(left=0.0)
        axes.set_ylim(count - 0.4, -0.6)
        ticks(axes, x=record.log)
        axes.set_yticks(range(count), [short(name) for name in record.names])
        axes.tick_params(axis="y", length=0)
        axes.grid(False, axis="y")
        axes.set_xlabel("Final regret" + (" (log scale)" if record.log else ""))
        axes.set_title(record.title)
        fit(figure, axes)
    return figure
