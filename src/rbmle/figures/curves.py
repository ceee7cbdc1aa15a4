"""The figure of regret over time, which the paper has for each problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from .._io.text import count_text
from .._numba.compile import Floats
from ..errors import ParameterError
from ..result import Result
from ..rewards.problems import Problem
from ..rewards.worlds import World
from ..theory import lai_robbins
from .canvas import INK, Ending, RecordFigure, canvas, end_labels, gid, look, ticks
from .style import DOTTED, Style, styles

BOUND, BOUND_STYLE = "Lower bound c log t", Style(INK, DOTTED, "", width=1.3)
_APART = 20.0  # a curve this many times below the largest gets 5 % of the height of a linear axis


class RegretCurves(NamedTuple):
    """Cumulative regret at `rounds`: mean and quantiles over replications, (policies, rounds)."""

    title: str
    names: tuple[str, ...]
    rounds: NDArray[np.int64]
    mean: Floats
    low: Floats
    high: Floats
    band: tuple[float, float]
    constant: float | None  # c of the lower bound c log t, where there is one
    among: tuple[str, ...] = ()  # all policies of the run, so that styles stay the same

    @property
    def label(self) -> str:
        """The label of the axis of regret."""
        percent = "\N{EN DASH}".join(f"{100.0 * each:g}" for each in self.band)
        return f"Regret: mean, {percent} % band"

    @property
    def log(self) -> bool:
        """Whether regret needs a log axis: a linear one would flatten half of the curves."""
        last = np.sort(self.mean[:, -1])
        return bool(last[0] > 0.0 and last[-1] > _APART * last[(last.size - 1) // 2])


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
    low, high = band
    if not 0.0 <= low < high <= 1.0:
        raise ParameterError("regret_curves", "band", "two rising numbers in [0, 1]", band)
    kept = result.places("regret_curves", policies)
    quantiles = np.quantile(result.regret[kept], (low, high), axis=1)
    return RegretCurves(
        title=title_of(result),
        names=tuple(result.names[i] for i in kept),
        rounds=result.checkpoints,
        mean=result.regret[kept].mean(axis=1),
        low=quantiles[0],
        high=quantiles[1],
        band=(float(low), float(high)),
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
    rounds, drawn = record.rounds, styles(record.among or record.names)
    positive = record.mean[record.mean > 0.0]
    log = bool(positive.size and (record.log if log_regret is None else log_regret))
    top = 1.04 * max(float(record.mean.max()), float(np.median(record.high[:, -1]))) or 1.0
    bottom = max(0.7 * float(positive.min()), 1e-4 * top) if log else 0.0
    title = record.title
    with look(ax=ax):
        figure, axes = canvas(record, height=height_for(len(record.names) + 1), ax=ax)
        rising = rounds[np.argmax(record.mean.max(axis=0) > 0.01 * top)]
        time_axis(axes, rounds, 10.0 ** np.floor(np.log10(rising)) if log_time else None)
        for name, low, high in zip(record.names, record.low, record.high, strict=True):
            axes.fill_between(
                rounds, np.maximum(low, bottom), np.maximum(high, bottom),
                color=drawn[name].colour, alpha=0.09, linewidth=0, gid=gid(name, "band"),
            )  # fmt: skip
        lines(axes, record.names, rounds, np.maximum(record.mean, bottom), drawn)
        endings = [
            Ending(name, max(float(mean[-1]), bottom), drawn[name])
            for name, mean in zip(record.names, record.mean, strict=True)
        ]
        if record.constant is not None:
            grid = np.geomspace(1.0, max(float(rounds[-1]), 2.0), 300)
            bound = record.constant * np.log(grid)
            if bound[-1] > 1.5 * top:
                at_end = f"{bound[-1]:,.0f} at the end"
                title += f"\n{BOUND} is off the scale: c = {record.constant:.3g}, {at_end}"
            else:
                axes.plot(grid, np.maximum(bound, bottom), zorder=1.9, **BOUND_STYLE.line())
                top = max(top, 1.04 * float(bound[-1]))
                endings.append(Ending(BOUND, max(float(bound[-1]), bottom), BOUND_STYLE))
        if log:
            axes.set_yscale("log")
            top *= 1.2
        axes.set_ylim(bottom, top)
        axes.set_ylabel(record.label + (" (log scale)" if log else ""))
        axes.set_title(title)
        ticks(axes, x=log_time, y=log)
        end_labels(figure, axes, endings, float(rounds[-1]))
    return figure


def title_of(result: Result) -> str:
    """What was simulated, in one line: law, arms, horizon, replications."""
    law = type(result.problem.law).__name__
    parts = [law, count_text(result.problem.n_arms, "arm"), *result.special()]
    replications = count_text(result.replications, "replication")
    return f"{', '.join(parts)}, T = {result.horizon:,}, {replications}"


def height_for(count: int) -> float:
    """The height in inches of a figure with room for `count` names one below another."""
    return max(4.2, 0.17 * count + 1.0)


def time_axis(axes: Axes, rounds: NDArray[np.int64], log_from: float | None) -> None:
    """Set up the x axis for rounds. log_from: where a log scale begins; None for a linear scale."""
    axes.set_xlabel("Round t" if log_from is None else "Round t (log scale)")
    end = max(float(rounds[-1]), 2.0)
    if log_from is None:
        axes.set_xlim(0.0, end)
    else:
        axes.set_xscale("log")
        axes.set_xlim(min(log_from, end / 2.0), end)


def lines(
    axes: Axes,
    names: tuple[str, ...],
    rounds: NDArray[np.int64],
    values: Floats,
    drawn: Mapping[str, Style],
) -> None:
    """Draw a line with eight markers for each policy; markers of different lines are staggered."""
    scale: Any = np.log if axes.get_xscale() == "log" else np.asarray
    low, high = (float(scale(max(each, 1e-9))) for each in axes.get_xlim())
    for rank, (name, value) in enumerate(zip(names, values, strict=True)):
        share = (np.arange(8) + (rank + 0.5) / len(names)) / 8.0
        at = np.searchsorted(scale(rounds), low + share * (high - low))
        axes.plot(
            rounds, value, gid=gid(name, "line"), zorder=3 if drawn[name].width > 2 else 2,
            markevery=sorted({int(each) for each in at if each < rounds.size}),
            **drawn[name].line(),
        )  # fmt: skip
