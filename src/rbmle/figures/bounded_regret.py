"""The figure of measured regret between its bounds: an upper one of each policy, the lower one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from .._numba.compile import Floats
from ..errors import ParameterError
from ..result import Result
from ..theory import Bound
from .canvas import Ending, RecordFigure, canvas, end_labels, gid, look, ticks
from .curves import BOUND, BOUND_STYLE, RegretCurves, height_for, lines, regret_curves, time_axis
from .style import DASH_DOT, Style, styles


class RegretAndBounds(NamedTuple):
    """Regret of the policies that have a bound, and their bounds, (policies, rounds)."""

    curves: RegretCurves
    bounds: Floats
    propositions: tuple[int, ...]


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
    curves = record.curves
    drawn = styles(curves.among or curves.names)
    rounds = curves.rounds
    seen = [curves.mean, record.bounds]
    lower = None if curves.constant is None else curves.constant * np.log(rounds)
    if lower is not None:
        seen.append(lower[None, :])
    positive = np.concatenate([each.ravel() for each in seen])
    positive = positive[positive > 0.0]
    bottom, top = 0.7 * float(positive.min()), 1.4 * float(positive.max())
    with look():
        figure, axes = canvas(record, height=height_for(2 * len(curves.names) + 1))
        time_axis(axes, rounds, float(rounds[0]))
        axes.set_yscale("log")
        axes.set_ylim(bottom, top)
        for name, low, high in zip(curves.names, curves.low, curves.high, strict=True):
            axes.fill_between(
                rounds, np.maximum(low, bottom), np.maximum(high, bottom),
                color=drawn[name].colour, alpha=0.15, linewidth=0, gid=gid(name, "band"),
            )  # fmt: skip
        lines(axes, curves.names, rounds, np.maximum(curves.mean, bottom), drawn)
        endings = []
        for i, name in enumerate(curves.names):
            style = Style(drawn[name].colour, DASH_DOT, "", width=1.5)
            axes.plot(rounds, record.bounds[i], gid=gid(name, "bound"), **style.line())
            upper = f"Bound, Proposition {record.propositions[i]}"
            endings.append(Ending(upper, float(record.bounds[i, -1]), style, name))
            endings.append(Ending(name, max(float(curves.mean[i, -1]), bottom), drawn[name]))
        if lower is not None:
            axes.plot(rounds, np.maximum(lower, bottom), zorder=1.9, **BOUND_STYLE.line())
            endings.append(Ending(BOUND, max(float(lower[-1]), bottom), BOUND_STYLE))
        axes.set_ylabel(f"{curves.label} (log scale)")
        axes.set_title(curves.title)
        ticks(axes, x=True, y=True)
        end_labels(figure, axes, endings, float(rounds[-1]))
    return figure
