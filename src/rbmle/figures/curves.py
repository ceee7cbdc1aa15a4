"""The figures over time: regret, which the paper has for each problem, and the best arm's share."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, nan
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from .._io.text import count_text
from .._numba.compile import Floats
from ..errors import ParameterError
from ..result import Result
from ..rewards.problems import Problem, World
from ..theory import lai_robbins
from .canvas import RecordFigure
from .charts import Chart, ChartAxis, ChartCurve, draw_chart
from .style import DOTTED, INK, Style, styles

BOUND, BOUND_STYLE = "Lower bound c log t", Style(INK, DOTTED, "", width=1.3)
_APART = 20.0  # a curve this many times below the largest gets 5 % of the height of a linear axis


class RegretCurves(NamedTuple):
    """Cumulative regret at `rounds`: mean and quantiles over replications, (policies, rounds).

    band: the two quantiles; None with one replication, which has no spread.
    """

    title: str
    names: tuple[str, ...]
    rounds: NDArray[np.int64]
    mean: Floats
    low: Floats
    high: Floats
    band: tuple[float, float] | None
    constant: float | None  # c of the lower bound c log t, where there is one
    among: tuple[str, ...] = ()  # all policies of the run, so that styles stay the same

    @property
    def label(self) -> str:
        """The label of the axis of regret."""
        if self.band is None:
            return "Regret"
        percent = "\N{EN DASH}".join(f"{100.0 * each:g}" for each in self.band)
        return f"Regret: mean, {percent} % band"

    @property
    def log(self) -> bool:
        """Whether regret needs a log axis: a linear one would flatten half of the curves."""
        last = np.sort(self.mean[:, -1])
        return bool(last[0] > 0.0 and last[-1] > _APART * last[(last.size - 1) // 2])

    def chart(self) -> Chart:
        """The curves with their bands, and the lower bound as the last one."""
        drawn = styles(self.among or self.names)
        rows = zip(self.names, self.mean, self.low, self.high, strict=True)
        curves = [
            ChartCurve(name, name, drawn[name], self.rounds, mean, low=low, high=high)
            for name, mean, low, high in rows
        ]
        if self.band is None:
            curves = [each._replace(low=None, high=None) for each in curves]
        if self.constant is not None:
            bound = self.constant * np.log(self.rounds)
            curves.append(ChartCurve(BOUND, "", BOUND_STYLE, self.rounds, bound, soft=True))
        columns = ("round", "mean", *(f"q{100.0 * each:g}" for each in self.band or ()))
        axes = ChartAxis("Round t"), ChartAxis(self.label, self.log)
        return Chart("regret", *axes, columns, curves)


def lower_bound_constant(problem: World) -> float | None:
    """The constant c of Lai and Robbins' lower bound c log t; None where there is no such bound.

    There is none if means change, if the rewards' law is not a one-parameter family, if a mean is
    at an end of the family's range, or if all means are equal. Regret can lie below c log t at a
    finite t, because the bound is asymptotic.

    >>> from rbmle import Gaussian, Problem
    >>> lower_bound_constant(Problem(Gaussian(), [0.0, 0.5]))
    4.0
    """
    if not isinstance(problem, Problem):
        return None
    try:
        constant = lai_robbins(problem)
    except ParameterError:
        return None
    return constant if constant > 0.0 and isfinite(constant) else None


def regret_curves(
    result: Result,
    band: tuple[float, float] = (0.1, 0.9),
    lower_bound: bool = True,
    policies: Sequence[str | int] | None = None,
) -> RegretCurves:
    """Mean regret of each policy over time, its quantiles `band`, and the lower bound.

    policies: names or positions of those to show; all by default.
    """
    try:
        low, high = map(float, band)
    except (TypeError, ValueError):
        low = high = nan
    if not 0.0 <= low < high <= 1.0:
        words = "two rising numbers in [0, 1], as in (0.1, 0.9)"
        raise ParameterError("regret_curves", "band", words, band)
    places = result.places("regret_curves", policies)
    quantiles = np.quantile(result.regret[places], (low, high), axis=1)
    return RegretCurves(
        title=title_of(result),
        names=tuple(result.names[i] for i in places),
        rounds=result.checkpoints,
        mean=result.regret[places].mean(axis=1),
        low=quantiles[0],
        high=quantiles[1],
        band=(low, high) if result.replications > 1 else None,
        constant=lower_bound_constant(result.problem) if lower_bound else None,
        among=result.names,
    )


def draw_regret_curves(
    record: RegretCurves,
    log_time: bool = False,
    log_regret: bool | None = None,
    ax: Axes | None = None,
) -> RecordFigure:
    """Draw the record; on a log-time axis the lower bound is a straight line.

    log_regret: a log axis of regret; by default where a linear one would flatten half the curves.
    ax: axes to draw in; the returned figure is then empty.

    A lower bound far above the curves would flatten them, so it is noted in the title instead.
    """
    rounds, chart, title = record.rounds, record.chart(), record.title
    positive = record.mean[record.mean > 0.0]
    log = bool(positive.size and (record.log if log_regret is None else log_regret))
    top = 1.04 * max(float(record.mean.max()), float(np.median(record.high[:, -1]))) or 1.0
    bottom = max(0.7 * float(positive.min()), 1e-4 * top) if log else 0.0
    rising = rounds[np.argmax(record.mean.max(axis=0) > 0.01 * top)]
    if record.constant is not None:
        *curves, bound = chart.curves
        grid = np.geomspace(1.0, max(float(rounds[-1]), 2.0), 300)
        bound = bound._replace(x=grid, y=record.constant * np.log(grid))
        end = float(bound.y[-1])
        if end > 1.5 * top:
            title += f"\n{BOUND} is off the scale: c = {record.constant:.3g}, {end:,.0f} at the end"
        else:
            top = max(top, 1.04 * end)
            curves.append(bound)
        chart = chart._replace(curves=curves)
    begin = 10.0 ** np.floor(np.log10(rising)) if log_time else 0.0
    x = chart.x._replace(log=log_time, limits=time_limits(rounds, begin))
    y = chart.y._replace(log=log, limits=(bottom, 1.2 * top if log else top))
    return draw_chart(record, chart._replace(x=x, y=y), title, ax)


class BestArmShare(NamedTuple):
    """The mean share of pulls of the best arm up to each of `rounds`, (policies, rounds)."""

    title: str
    names: tuple[str, ...]
    rounds: NDArray[np.int64]
    share: Floats
    n_arms: int
    among: tuple[str, ...] = ()  # all policies of the run, so that styles stay the same

    def chart(self) -> Chart:
        """The shares from the round on in which each arm can have been pulled once."""
        drawn = styles(self.among or self.names)
        begun = self.rounds >= self.n_arms
        curves = [
            ChartCurve(name, name, drawn[name], self.rounds[begun], share[begun])
            for name, share in zip(self.names, self.share, strict=True)
        ]
        time = ChartAxis("Round t", log=True)
        share = ChartAxis("Share of pulls of the best arm", unit="share", both=False)
        return Chart("best-arm-share", time, share, ("round", "share"), curves)


def best_arm_share(result: Result, policies: Sequence[str | int] | None = None) -> BestArmShare:
    """The share of pulls of the best arm up to round t; of all best arms if several tie.

    policies: names or positions of those to show; all by default.
    """
    places = result.places("best_arm_share", policies)
    share = result.best_pulls[places].mean(axis=1) / result.checkpoints
    names = tuple(result.names[i] for i in places)
    return BestArmShare(
        title_of(result), names, result.checkpoints, share, result.problem.n_arms, result.names
    )


def draw_best_arm_share(
    record: BestArmShare, log_time: bool = True, ax: Axes | None = None
) -> RecordFigure:
    """Draw the record.

    log_time: a log axis of time, from the round in which each arm can have been pulled once.
    ax: axes to draw in; the returned figure is then empty.
    """
    visible = record.share[:, record.rounds >= record.n_arms]
    top = min(1.0, 0.2 * np.ceil(float(visible.max()) / 0.2) or 0.2)
    steps = np.arange(0.0, top + 0.01, 0.2 if top > 0.5 else 0.1)
    chart, begin = record.chart(), float(record.n_arms) if log_time else 0.0
    x = chart.x._replace(log=log_time, limits=time_limits(record.rounds, begin))
    y = chart.y._replace(limits=(0.0, top), ticks=tuple(steps))
    return draw_chart(record, chart._replace(x=x, y=y), record.title, ax)


def title_of(result: Result) -> str:
    """What was simulated, in one line: law, arms, horizon, replications."""
    law = type(result.problem.law).__name__
    parts = [law, count_text(result.problem.n_arms, "arm"), *result.special()]
    replications = count_text(result.replications, "replication")
    return f"{', '.join(parts)}, T = {result.horizon:,}, {replications}"


def time_limits(rounds: NDArray[np.int64], begin: float) -> tuple[float, float]:
    """The limits of an axis of rounds that begins here."""
    end = max(float(rounds[-1]), 2.0)
    return min(begin, end / 2.0), end
