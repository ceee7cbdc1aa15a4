"""The figure of an adaptive scheme: beta(t), the estimate of C_alpha, and the smaller of both."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats
from ..theory import AdaptiveTrace
from .canvas import INK, Ending, RecordFigure, canvas, end_labels, look, ticks
from .curves import height_for, time_axis
from .style import BLUE, DASHED, DOTTED, ORANGE, SOLID, VERMILLION, Style

_POINTS = 800  # of each line; more would not show at this size


class AdaptiveLine(NamedTuple):
    """A curve or a horizontal line of the figure."""

    name: str
    rounds: Floats
    values: Floats
    style: Style


class AdaptiveLines(NamedTuple):
    """The lines drawn of a trace, the upper end of the y axis, and notes for above the figure."""

    lines: list[AdaptiveLine]
    top: float
    notes: list[str]


def adaptive_lines(trace: AdaptiveTrace) -> AdaptiveLines:
    """The lines of a trace: beta(t), the estimate where it is finite, the smaller of both, and the
    estimate's target and limit.

    A target or limit more than four times beta(T) is not drawn but noted.
    """
    kept = _thinned(trace)
    rounds: Floats = trace.rounds[kept].astype(np.float64)
    beta, estimate = trace.beta[kept], trace.c_alpha[kept]
    reach = 4.0 * float(beta[-1])
    levels = [
        ("limit of the estimate", trace.limit, Style(INK, DOTTED, "", width=1.1)),
        ("target: means known", trace.target, Style(INK, DASHED, "", width=1.1)),
    ]
    near = [each for each in levels if each[1] <= reach]
    notes = [f"{name}: {value:.4g}, off the scale" for name, value, _ in levels if value > reach]
    if trace.takes_over is not None:
        notes.append(f"The estimate takes over in round {trace.takes_over:,} (vertical line)")
    ends = rounds[[0, -1]]
    finite = np.where(np.isfinite(estimate), estimate, np.nan)
    smaller = np.minimum(beta, estimate)
    lines = [AdaptiveLine(name, ends, np.full(2, value), style) for name, value, style in near]
    lines += [
        AdaptiveLine(
            "the smaller one governs", rounds, smaller, Style(ORANGE, SOLID, "", width=5.0)
        ),
        AdaptiveLine("beta(t)", rounds, beta, Style(BLUE, DASHED, "", width=1.4)),
        AdaptiveLine(
            "C_alpha(t), estimated", rounds, finite, Style(VERMILLION, SOLID, "", width=1.4)
        ),
    ]
    return AdaptiveLines(lines, 1.06 * max([float(beta[-1]), *(each[1] for each in near)]), notes)


def draw_adaptive(trace: AdaptiveTrace, title: str = "") -> RecordFigure:
    """Draw a trace, the record of this figure, over log time.

    trace: from `theory.adaptive_trace`. Values off the scale are noted above the figure.
    """
    lines, top, notes = adaptive_lines(trace)
    first, last = float(trace.rounds[0]), float(trace.rounds[-1])
    with look():
        figure, axes = canvas(trace, width=6.8, height=height_for(5))
        time_axis(axes, trace.rounds, first)
        axes.set_ylim(0.0, top)
        endings = []
        for name, rounds, values, style in lines:
            axes.plot(rounds, values, alpha=0.55 if style.width > 2.0 else 1.0, **style.line())
            if np.isfinite(values[-1]):
                endings.append(Ending(name, min(float(values[-1]), top), style))
        if trace.takes_over is not None:
            axes.axvline(trace.takes_over, color=INK, linewidth=0.8, zorder=1.7)
        axes.set_ylabel("Factor of log t in alpha(t)")
        axes.set_title("\n".join([title, *notes] if title else notes))
        ticks(axes, x=True)
        end_labels(figure, axes, endings, last)
    return figure


def _thinned(trace: AdaptiveTrace) -> NDArray[np.int64]:
    """Positions of about 800 rounds, spaced evenly in log t, and of the two rounds between which
    the estimate falls below beta(t)."""
    count = trace.rounds.size
    even = np.geomspace(1, count, _POINTS).astype(np.int64) - 1
    change = [] if trace.takes_over is None else [trace.takes_over - int(trace.rounds[0])]
    near = [each + step for each in change for step in (-1, 0) if each + step >= 0]
    return np.unique(np.concatenate([even, np.array(near, dtype=np.int64)]))
