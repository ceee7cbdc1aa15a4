"""The figure of an adaptive scheme: beta(t), the estimate of C_alpha, and the smaller of both."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats
from ..theory import AdaptiveTrace
from .canvas import RecordFigure
from .charts import Chart, ChartAxis, ChartCurve
from .curves import time_limits
from .line_figure import View, draw_chart
from .style import BLUE, DASHED, DOTTED, INK, ORANGE, SOLID, VERMILLION, Style

_POINTS = 800  # of each line; more would not show at this size


def adaptive_chart(trace: AdaptiveTrace) -> Chart:
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
    flat = [ChartCurve(name, "", style, ends, np.full(2, value)) for name, value, style in near]
    shown = [
        (
            "the smaller one governs",
            np.minimum(beta, estimate),
            Style(ORANGE, SOLID, "", width=5.0),
        ),
        ("beta(t)", beta, Style(BLUE, DASHED, "", width=1.4)),
        (
            "C_alpha(t), estimated",
            np.where(np.isfinite(estimate), estimate, np.nan),
            Style(VERMILLION, SOLID, "", width=1.4),
        ),
    ]
    top = 1.06 * max([float(beta[-1]), *(value for _, value, _ in near)])
    return Chart(
        "adaptive",
        ChartAxis("Round t", log=True),
        ChartAxis("Factor of log t in alpha(t)", top=top),
        ("round", "value"),
        [*flat, *(ChartCurve(name, "", style, rounds, values) for name, values, style in shown)],
        "; ".join(notes),
    )


def draw_adaptive(trace: AdaptiveTrace, title: str = "") -> RecordFigure:
    """Draw a trace, the record of this figure, over log time.

    trace: from `theory.adaptive_trace`. Values off the scale are noted above the figure.
    """
    chart = adaptive_chart(trace)
    limits = time_limits(trace.rounds, float(trace.rounds[0]))
    view = View(limits, (0.0, chart.y.top or 1.0), log_x=True, mark=trace.takes_over)
    said = chart.note.split("; ") if chart.note else []
    return draw_chart(trace, chart, view, "\n".join([title, *said] if title else said), width=6.8)


def _thinned(trace: AdaptiveTrace) -> NDArray[np.int64]:
    """Positions of about 800 rounds, spaced evenly in log t, and of the two rounds between which
    the estimate falls below beta(t)."""
    count = trace.rounds.size
    even = np.geomspace(1, count, _POINTS).astype(np.int64) - 1
    change = [] if trace.takes_over is None else [trace.takes_over - int(trace.rounds[0])]
    near = [each + step for each in change for step in (-1, 0) if each + step >= 0]
    return np.unique(np.concatenate([even, np.array(near, dtype=np.int64)]))
