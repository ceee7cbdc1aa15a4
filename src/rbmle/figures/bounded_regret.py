"""The figure of measured regret between its bounds: an upper one of each policy, the lower one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from .._numba.compile import Floats
from ..errors import ParameterError
from ..result import Result
from ..theory import Bound
from .canvas import RecordFigure
from .charts import Chart, ChartCurve
from .curves import RegretCurves, regret_curves, time_limits
from .line_figure import View, draw_chart
from .style import DASH_DOT, Style


class RegretAndBounds(NamedTuple):
    """Regret of the policies that have a bound, and their bounds, (policies, rounds)."""

    curves: RegretCurves
    bounds: Floats
    propositions: tuple[int, ...]

    def chart(self) -> Chart:
        """Regret, the lower bound, and below them each policy's own bound."""
        chart = self.curves.chart()
        curves = [each._replace(soft=False) for each in chart.curves]
        drawn = {each.policy: each.style for each in curves}
        for name, bound, proposition in zip(
            self.curves.names, self.bounds, self.propositions, strict=True
        ):
            style = Style(drawn[name].colour, DASH_DOT, "", width=1.5)
            said = f"Bound, Proposition {proposition}"
            curves.append(ChartCurve(said, name, style, self.curves.rounds, bound, "bound"))
        x, y = chart.x._replace(log=True), chart.y._replace(log=True)
        return chart._replace(about="regret-and-bounds", x=x, y=y, curves=curves)


def regret_and_bounds(result: Result, bounds: Mapping[str, Bound]) -> RegretAndBounds:
    """The regret of some policies, each with its bound by a proposition.

    bounds: by the policy's name. Policies without a bound are left out, and so are the first
    rounds, in which each arm is pulled once.

    >>> from rbmle import Bernoulli, Problem, simulate, theory
    >>> problem = Problem(Bernoulli(), [0.9, 0.1])
    >>> result = simulate(problem, [theory.theoretical_rbmle(problem, 2)], 1000, 5)
    >>> record = regret_and_bounds(result, {"RBMLE": theory.regret_bound(problem, 1000, 2)})
    >>> bool((record.curves.mean < record.bounds).all())
    True
    """
    owner = "regret_and_bounds"
    if not bounds or not set(bounds) <= set(result.names):
        raise ParameterError(owner, "bounds", f"of some of {result.names}", list(bounds))
    for name, bound in bounds.items():
        if not np.isfinite(bound._replace(horizon=max(2, result.horizon)).total):
            raise ParameterError(owner, "bounds", "finite at the horizon", name)
    curves = regret_curves(result)
    keep = [i for i, name in enumerate(curves.names) if name in bounds]
    begun = curves.rounds > result.problem.n_arms
    if not begun.any():
        begun[-1] = True
    curves = curves._replace(
        names=tuple(curves.names[i] for i in keep),
        rounds=curves.rounds[begun],
        mean=curves.mean[keep][:, begun],
        low=curves.low[keep][:, begun],
        high=curves.high[keep][:, begun],
    )
    return RegretAndBounds(
        curves=curves,
        bounds=np.array([bounds[name].at(curves.rounds) for name in curves.names]),
        propositions=tuple(bounds[name].proposition for name in curves.names),
    )


def draw_regret_and_bounds(record: RegretAndBounds) -> RecordFigure:
    """Draw the record on log axes: measured regret solid, upper bounds dash-dotted, the lower bound
    dotted."""
    chart = record.chart()
    values = np.concatenate([each.y for each in chart.curves])
    values = values[values > 0.0]
    limits = 0.7 * float(values.min()), 1.4 * float(values.max())
    rounds = record.curves.rounds
    view = View(time_limits(rounds, float(rounds[0])), limits, log_x=True, log_y=True)
    return draw_chart(record, chart, view, record.curves.title)
