"""An adaptive scheme at work: beta(t), the estimate of C_alpha, and the smaller, which governs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._compile import Floats
from ..theory import AdaptiveTrace
from .canvas import INK, Ending, RecordFigure, canvas, end_labels, look, ticks
from .curves import height_for, time_axis
from .style import BLUE, DASHED, DOTTED, ORANGE, SOLID, VERMILLION, Style

_POINTS = 800  # of each line


class AdaptiveLine(NamedTuple):
    """A curve or a level of the figure."""

    name: str
    rounds: Floats
    values: Floats
    style: Style


class AdaptiveLines(NamedTuple):
    """What is drawn of a trace, up to `top`, and what is only told."""

    lines: list[AdaptiveLine]
    top: float
    told: list[str]


def adaptive_lines(trace: AdaptiveTrace) -> AdaptiveLines:
    """The curves and levels on the scale. What is far above beta(t) is off it, and told.

    The estimate begins where it is finite.
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
    told = [f"{name}: {value:.4g}, off the scale" for name, value, _ in levels if value > reach]
    if trace.takes_over is not None:
        told.append(f"The estimate takes over in round {trace.takes_over:,} (vertical line)")
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
    return AdaptiveLines(lines, 1.06 * max([float(beta[-1]), *(each[1] for each in near)]), told)


def draw_adaptive(trace: AdaptiveTrace, title: str = "") -> RecordFigure:
    """Draw `theory.adaptive_trace`, the record of this figure, over log time.

    What is off the scale is told on top.
    """
    lines, top, told = adaptive_lines(trace)
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
        axes.set_title("\n".join([title, *told] if title else told))
        ticks(axes, x=True)
        end_labels(figure, axes, endings, last)
    return figure


def _thinned(trace: AdaptiveTrace) -> NDArray[np.int64]:
    """The places of some rounds, evenly in log t; among them those round which the rule changes."""
    count = trace.rounds.size
    even = np.geomspace(1, count, _POINTS).astype(np.int64) - 1
    change = [] if trace.takes_over is None else [trace.takes_over - int(trace.rounds[0])]
    near = [each + step for each in change for step in (-1, 0) if each + step >= 0]
    return np.unique(np.concatenate([even, np.array(near, dtype=np.int64)]))
