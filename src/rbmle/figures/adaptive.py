"""An adaptive scheme at work: beta(t), the estimate of C_alpha, and the smaller, which governs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..theory import AdaptiveTrace
from .canvas import INK, Ending, RecordFigure, canvas, end_labels, look, ticks
from .curves import height_for, time_axis
from .style import BLUE, DASHED, DOTTED, ORANGE, SOLID, VERMILLION, Style

_POINTS = 800  # of each line


def draw_adaptive(trace: AdaptiveTrace, title: str = "") -> RecordFigure:
    """Draw `theory.adaptive_trace`, the record of this figure, over log time.

    The estimate begins where it is finite. What is far above beta(t) is off the scale: a target
    or limit there is told on top.
    """
    kept = _thinned(trace)
    rounds, beta, estimate = trace.rounds[kept], trace.beta[kept], trace.c_alpha[kept]
    governing = np.minimum(beta, estimate)
    reach = 4.0 * float(beta[-1])
    levels = [
        ("limit of the estimate", trace.limit, Style(INK, DOTTED, "", width=1.1)),
        ("target: means known", trace.target, Style(INK, DASHED, "", width=1.1)),
    ]
    top = 1.06 * max([float(beta[-1]), *(value for _, value, _ in levels if value <= reach)])
    finite = np.where(np.isfinite(estimate), estimate, np.nan)
    curves = [
        ("the smaller one governs", governing, Style(ORANGE, SOLID, "", width=5.0)),
        ("beta(t)", beta, Style(BLUE, DASHED, "", width=1.4)),
        ("C_alpha(t), estimated", finite, Style(VERMILLION, SOLID, "", width=1.4)),
    ]
    with look():
        figure, axes = canvas(trace, width=6.8, height=height_for(5))
        time_axis(axes, rounds, float(rounds[0]))
        axes.set_ylim(0.0, top)
        endings, said = [], [title] if title else []
        for name, value, style in levels:
            if value > reach:
                said.append(f"{name}: {value:.4g}, off the scale")
                continue
            axes.axhline(value, zorder=1.8, **style.line())
            endings.append(Ending(name, value, style))
        for name, values, style in curves:
            axes.plot(rounds, values, alpha=0.55 if style.width > 2.0 else 1.0, **style.line())
            if np.isfinite(values[-1]):
                endings.append(Ending(name, min(float(values[-1]), top), style))
        if trace.takes_over is not None:
            axes.axvline(trace.takes_over, color=INK, linewidth=0.8, zorder=1.7)
            said.append(f"The estimate takes over in round {trace.takes_over:,} (vertical line)")
        axes.set_ylabel("Factor of log t in alpha(t)")
        axes.set_title("\n".join(said))
        ticks(axes, x=True)
        end_labels(figure, axes, endings, float(rounds[-1]))
    return figure


def _thinned(trace: AdaptiveTrace) -> NDArray[np.int64]:
    """The places of some rounds, evenly in log t; among them those round which the rule changes."""
    count = trace.rounds.size
    even = np.geomspace(1, count, _POINTS).astype(np.int64) - 1
    change = [] if trace.takes_over is None else [trace.takes_over - int(trace.rounds[0])]
    near = [each + step for each in change for step in (-1, 0) if each + step >= 0]
    return np.unique(np.concatenate([even, np.array(near, dtype=np.int64)]))
