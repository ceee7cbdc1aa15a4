"""The figures of time per decision: against regret (the paper's Figure 2) and against arms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .._numba.compile import Floats
from ..errors import ParameterError, one_of
from .canvas import RecordFigure, canvas, fit, gid
from .charts import Chart, ChartAxis, ChartCurve, draw_chart, set_axes
from .labels import around, name_points
from .style import DASHED, styles


class TimeAgainstRegret(NamedTuple):
    """Time and regret of each policy, measured and published (NaN where not published)."""

    names: tuple[str, ...]
    time: Floats
    regret: Floats
    published_time: Floats
    published_regret: Floats
    relative_to: str | None  # the policy whose time is 1, or None: seconds

    def chart(self) -> Chart:
        """A point for each policy, with a ring where it was published."""
        drawn, points = styles(self.names), []
        for i, name in enumerate(self.names):
            ring = np.array([self.published_time[i], self.published_regret[i]])
            known = ring if np.isfinite(ring).all() else None
            place = self.time[i : i + 1], self.regret[i : i + 1]
            points.append(ChartCurve(name, name, drawn[name], *place, ring=known))
        regret = ChartAxis("Mean final regret", bool(np.nanmin(self.regret) > 0.0))
        columns = ("time", "mean regret")
        time = _time_axis(self.relative_to)
        return Chart("time-against-regret", time, regret, columns, points, kind="points")


class TimeAgainstArms(NamedTuple):
    """Time per decision, (policies, arms); NaN where it was not measured or not published."""

    names: tuple[str, ...]
    arms: Floats
    time: Floats
    published_arms: Floats
    published_time: Floats
    relative_to: str | None  # the policy whose time is 1 at each number of arms, or None: seconds

    def chart(self) -> Chart:
        """A line for each policy, and a dashed one of what was published."""
        curves = []
        for i, (name, style) in enumerate(styles(self.names).items()):
            solid = style._replace(dashes=())
            curves.append(ChartCurve(name, name, solid, self.arms, self.time[i], dense=True))
            known = np.isfinite(self.published_time[i])
            if known.any():
                faint = style._replace(dashes=DASHED, marker="", width=1.1)
                place = self.published_arms[known], self.published_time[i][known]
                curves.append(ChartCurve(f"{name}, published", name, faint, *place, "published"))
        counts = np.concatenate([self.arms, self.published_arms])
        times = np.concatenate([self.time.ravel(), self.published_time.ravel()])
        ticks = tuple(np.unique(counts))
        arms = ChartAxis("Number of arms", log=True, limits=_room(counts, 1.02), ticks=ticks)
        time = _time_axis(self.relative_to)._replace(limits=_room(times, 1.2))
        return Chart("time-against-arms", arms, time, ("arms", "time"), curves)


def time_against_regret(
    labels: Sequence[str],
    seconds: Sequence[float] | Floats,
    regret: Sequence[float] | Floats,
    published: Mapping[str, tuple[float, float]] | None = None,
    relative_to: str | None = None,
) -> TimeAgainstRegret:
    """Seconds per decision against mean final regret.

    labels: the policies' names. published: (seconds, regret) by label, where they were published.
    relative_to: a label; all times, measured and published, are divided by those of this policy.
    """
    names, owner = tuple(labels), "time_against_regret"
    time, ours = _positive(owner, "seconds", seconds), np.asarray(regret, dtype=float)
    if not len(names) == time.size == ours.size or not names:
        raise ParameterError(owner, "labels", "as many as seconds and regrets", labels)
    pairs = [(published or {}).get(name, (np.nan, np.nan)) for name in names]
    printed = np.array(pairs, dtype=float)
    known = _positive(owner, "published", printed[:, 0])
    if relative_to is not None:
        one = names.index(one_of(owner, "relative_to", relative_to, names))
        if published and np.isnan(known[one]):
            raise ParameterError(owner, "relative_to", "among the published", relative_to)
        time, known = time / time[one], known / known[one]
    return TimeAgainstRegret(names, time, ours, known, printed[:, 1], relative_to)


def time_against_arms(
    arms: Sequence[int],
    seconds: Mapping[str, Sequence[float] | Floats],
    published: Mapping[str, Mapping[int, float]] | None = None,
    relative_to: str | None = "UCB",
) -> TimeAgainstArms:
    """Seconds per decision, by label, against the number of arms.

    published: seconds by label and number of arms.
    relative_to: a label; times are divided by those of this policy at the same number of arms.
    """
    names, owner = tuple(seconds), "time_against_arms"
    if not names or any(len(seconds[name]) != len(arms) for name in names):
        raise ParameterError(owner, "seconds", f"{len(arms)} numbers for each label", seconds)
    time = _positive(owner, "seconds", [list(seconds[name]) for name in names])
    printed = {name: (published or {}).get(name, {}) for name in names}
    counts = sorted({count for row in printed.values() for count in row})
    values = [[row.get(count, np.nan) for count in counts] for row in printed.values()]
    known = _positive(owner, "published", values).reshape(len(names), len(counts))
    if relative_to is not None:
        one = names.index(one_of(owner, "relative_to", relative_to, names))
        time, known = time / time[one], known / known[one]
    return TimeAgainstArms(
        names, np.array(arms, dtype=float), time, np.array(counts, dtype=float), known, relative_to
    )


def draw_time_against_regret(record: TimeAgainstRegret) -> RecordFigure:
    """Draw measured points as the policies' markers, and published ones as rings joined to them.

    Both axes are log, that of regret only if no regret is 0.
    """
    chart = record.chart()
    times = np.concatenate([record.time, record.published_time])
    regrets = np.concatenate([record.regret, record.published_regret])
    log = bool(np.nanmin(regrets) > 0.0)
    x = chart.x._replace(limits=_room(times, 1.6))
    y = chart.y._replace(log=log, limits=_room(regrets, 1.2, log))
    covered = []  # the pixels of the rings, and of the lines that join them to their points
    with canvas(record) as (figure, axes):
        set_axes(axes, "", x, y)
        if not np.isnan(record.published_time).all():
            axes.set_title("Marker: measured. Ring: published.", fontsize=9)
        fit(figure, axes)
        dot = figure.dpi / 72.0
        for each in chart.curves:
            if each.ring is not None:
                ends = np.array([(each.x[0], each.y[0]), each.ring])
                colour, part = each.style.colour, gid(each.policy, "published")
                axes.plot(*ends.T, color=colour, lw=0.8, zorder=1, gid=f"{part}-join")
                axes.plot(*ends[1:].T, "o", ms=7, mfc="none", mec=colour, mew=1.1, gid=part)
                begin, end = axes.transData.transform(ends)
                steps = 2 + int(np.hypot(*(end - begin)) / (2.0 * dot))
                covered.append(around(end[0], end[1], 4.0 * dot))
                covered += [around(px, py, dot) for px, py in np.linspace(begin, end, steps)]
            marks = {**each.style.marks(), "markersize": 8.0, "linestyle": "none"}
            axes.plot(each.x, each.y, gid=gid(each.policy, "point"), zorder=3, **marks)
        points = np.column_stack([record.time, record.regret])
        name_points(axes, record.names, points, 5.0, covered)
    return figure


def draw_time_against_arms(record: TimeAgainstArms) -> RecordFigure:
    """Draw time over the number of arms on log axes; published times are dashed and faint."""
    title = "Solid: measured. Dashed: published." if record.published_arms.size else ""
    return draw_chart(record, record.chart(), title)


def _room(values: Floats, margin: float, log: bool = True) -> tuple[float, float]:
    """Limits that leave room around the points for their labels.

    margin: on a log axis, the factor by which the limits lie beyond the points.
    """
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if log:
        by = margin * (high / low) ** (0.08 if margin > 1.1 else 0.02)
        return low / by, high * by
    by = 0.12 * (high - low) or 1.0
    return low - by, high + by


def _time_axis(relative_to: str | None) -> ChartAxis:
    """An axis of times: in seconds, or relative to a policy's."""
    if relative_to is None:
        return ChartAxis("Time per decision", log=True, unit="s")
    return ChartAxis(f"Time per decision, {relative_to} = 1", log=True)


def _positive(owner: str, name: str, values: object) -> Floats:
    given = np.asarray(values, dtype=float)
    wrong = given[~np.isnan(given) & ~((given > 0.0) & np.isfinite(given))]
    if wrong.size:
        raise ParameterError(owner, name, "numbers above 0", float(wrong.flat[0]))
    return given
