"""The figures of the theory: regret between its bounds, and traces of the adaptive schemes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats
from ..errors import ParameterError
from ..result import Result
from ..theory import AdaptiveTrace, Bound
from .canvas import RecordFigure
from .charts import Chart, ChartAxis, ChartCurve, draw_chart
from .curves import RegretCurves, regret_curves, time_limits
from .style import BLUE, DASH_DOT, DASHED, DOTTED, INK, ORANGE, SOLID, VERMILLION, Style

_POINTS = 800  # of each line of a trace; more would not show at this size


class RegretAndBounds(NamedTuple):
    """Regret of the policies that have a bound, and their bounds, (policies, rounds)."""

    curves: RegretCurves
    bounds: Floats
    propositions: tuple[int, ...]

    def chart(self) -> Chart:
        """Regret, the lower bound, and each policy's own bound, on log axes."""
        chart = self.curves.chart()
        curves = [each._replace(soft=False) for each in chart.curves]
        drawn = {each.policy: each.style for each in curves}
        rows = zip(self.curves.names, self.bounds, self.propositions, strict=True)
        for name, bound, proposition in rows:
            style = Style(drawn[name].colour, DASH_DOT, "")
            label = f"Bound, Proposition {proposition}"
            curves.append(ChartCurve(label, name, style, self.curves.rounds, bound, "bound"))
        values = np.concatenate([each.y for each in curves])
        values = values[values > 0.0]
        limits = 0.7 * float(values.min()), 1.4 * float(values.max())
        time = time_limits(self.curves.rounds, float(self.curves.rounds[0]))
        x = chart.x._replace(log=True, limits=time)
        y = chart.y._replace(log=True, limits=limits)
        return chart._replace(about="regret-and-bounds", x=x, y=y, curves=curves)


def regret_and_bounds(result: Result, bounds: Mapping[str, Bound]) -> RegretAndBounds:
    """The regret of some policies, each with its bound by a proposition.

    bounds: by the policy's name. Policies without a bound are left out, and so are the first
    rounds, in which each arm is pulled once.

    >>> from rbmle import Bernoulli, Problem, simulate, theory
    >>> problem = Problem(Bernoulli(), [0.9, 0.1])
    >>> result = simulate(problem, [theory.theoretical_rbmle(problem, 2)], 1000, 5)
    >>> bounds = {result.names[0]: theory.regret_bound(problem, 1000, 2)}
    >>> record = regret_and_bounds(result, bounds)
    >>> bool((record.curves.mean < record.bounds).all())
    True
    """
    owner = "regret_and_bounds"
    if not bounds or not set(bounds) <= set(result.names):
        raise ParameterError(owner, "bounds", f"of some of {result.names}", list(bounds))
    for name, bound in bounds.items():
        if not np.isfinite(bound._replace(horizon=max(2, result.horizon)).total):
            raise ParameterError(owner, "bounds", "finite at the horizon", name)
    curves = regret_curves(result, policies=[name for name in result.names if name in bounds])
    begun = curves.rounds > result.problem.n_arms
    begun[-1] = True
    mean, low, high = (each[:, begun] for each in (curves.mean, curves.low, curves.high))
    curves = curves._replace(rounds=curves.rounds[begun], mean=mean, low=low, high=high)
    ordered = [bounds[name] for name in curves.names]
    values = np.array([each.at(curves.rounds) for each in ordered])
    return RegretAndBounds(curves, values, tuple(each.proposition for each in ordered))


def draw_regret_and_bounds(record: RegretAndBounds) -> RecordFigure:
    """Draw the record on log axes: regret solid, upper bounds dash-dotted, the lower bound
    dotted."""
    return draw_chart(record, record.chart(), record.curves.title)


def adaptive_chart(trace: AdaptiveTrace) -> Chart:
    """beta(t), the estimate where it is finite, the smaller of both, and its target and limit.

    A target or limit more than four times beta(T) is not drawn but noted.
    """
    thinned = _thinned(trace)
    rounds: Floats = trace.rounds[thinned].astype(np.float64)
    beta, estimate = trace.beta[thinned], trace.c_alpha[thinned]
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
    smaller, finite = np.minimum(beta, estimate), np.where(np.isfinite(estimate), estimate, np.nan)
    curves = [
        ("the smaller one governs", smaller, Style(ORANGE, SOLID, "", width=5.0)),
        ("beta(t)", beta, Style(BLUE, DASHED, "", width=1.4)),
        ("C_alpha(t), estimated", finite, Style(VERMILLION, SOLID, "", width=1.4)),
    ]
    top = 1.06 * max([float(beta[-1]), *(value for _, value, _ in near)])
    return Chart(
        "adaptive",
        ChartAxis("Round t", log=True, limits=time_limits(trace.rounds, float(trace.rounds[0]))),
        ChartAxis("Factor of log t in alpha(t)", top=top, limits=(0.0, top)),
        ("round", "value"),
        [*flat, *(ChartCurve(name, "", style, rounds, values) for name, values, style in curves)],
        "; ".join(notes),
    )


def draw_adaptive(trace: AdaptiveTrace, title: str = "") -> RecordFigure:
    """Draw a trace, the record of this figure, over log time.

    trace: from `theory.adaptive_trace`. Values off the scale are noted above the figure.
    """
    chart = adaptive_chart(trace)
    title_lines = "\n".join(each for each in (title, *chart.note.split("; ")) if each)
    return draw_chart(trace, chart, title_lines, width=6.8, mark=trace.takes_over)


def _thinned(trace: AdaptiveTrace) -> NDArray[np.int64]:
    """Positions of about 800 rounds, spaced evenly in log t, and of the two rounds between which
    the estimate falls below beta(t)."""
    even = np.geomspace(1, trace.rounds.size, _POINTS).astype(np.int64) - 1
    if trace.takes_over is None:
        return np.unique(even)
    change = trace.takes_over - int(trace.rounds[0])
    return np.unique([*even, max(change - 1, 0), change])
