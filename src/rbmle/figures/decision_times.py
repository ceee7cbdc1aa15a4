"""The figures of time per decision: against regret (the paper's Figure 2) and against arms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from .._numba.compile import Floats
from ..errors import ParameterError, one_of
from .canvas import (
    FAINT,
    INK,
    Ending,
    RecordFigure,
    canvas,
    end_labels,
    fit,
    gid,
    look,
    seconds_text,
    ticks,
)
from .curves import height_for
from .labels import Box, around, place_labels
from .style import short, styles


class TimeAgainstRegret(NamedTuple):
    """Time and regret of each policy, measured and published (NaN where not published)."""

    names: tuple[str, ...]
    time: Floats
    regret: Floats
    published_time: Floats
    published_regret: Floats
    relative_to: str | None  # the policy whose time is 1, or None: seconds


class TimeAgainstArms(NamedTuple):
    """Time per decision, (policies, arms); NaN where it was not measured or not published."""

    names: tuple[str, ...]
    arms: Floats
    time: Floats
    published_arms: Floats
    published_time: Floats
    relative_to: str | None  # the policy whose time is 1 at each number of arms, or None: seconds


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
    drawn = styles(record.names)
    with look():
        figure, axes = canvas(record)
        both = np.concatenate([record.regret, record.published_regret])
        log = bool(np.nanmin(both) > 0.0)
        times = np.concatenate([record.time, record.published_time])
        _limits(axes, times, both, log)
        for name, x, y, px, py in zip(*record[:5], strict=True):
            colour, part = drawn[name].colour, gid(name, "published")
            axes.plot([x, px], [y, py], color=colour, lw=0.8, zorder=1, gid=part + "-join")
            axes.plot([px], [py], "o", ms=7, mfc="none", mec=colour, mew=1.1, gid=part)
            marks = {**drawn[name].marks(), "markersize": 8.0}
            axes.plot([x], [y], linestyle="none", gid=gid(name, "point"), zorder=3, **marks)
        axes.set_xlabel(time_label(record.relative_to) + " (log scale)")
        axes.set_ylabel("Mean final regret" + (" (log scale)" if log else ""))
        ticks(axes, x=True, y=log)
        _unit(axes.xaxis, record.relative_to)
        if not np.isnan(record.published_time).all():
            axes.set_title("Marker: measured. Ring: published.", fontsize=9)
        fit(figure, axes)
        _name_points(figure, axes, record)
    return figure


def draw_time_against_arms(record: TimeAgainstArms) -> RecordFigure:
    """Draw time over the number of arms on log axes; published times are dashed and faint."""
    drawn = styles(record.names)
    with look():
        figure, axes = canvas(record, height=height_for(len(record.names)))
        arms = np.concatenate([record.arms, record.published_arms])
        times = np.concatenate([record.time.ravel(), record.published_time.ravel()])
        _limits(axes, arms, times, True, margin=1.02)
        for i, name in enumerate(record.names):
            style = drawn[name].line()
            faint = {
                "gid": gid(name, "published"),
                "linestyle": "dashed",
                "alpha": 0.65,
                "linewidth": 1.1,
                "marker": "",
            }
            axes.plot(record.published_arms, record.published_time[i], **{**style, **faint})
            axes.plot(
                record.arms,
                record.time[i],
                gid=gid(name, "line"),
                **{**style, "linestyle": "solid"},
                clip_on=False,
            )
        axes.set_xlabel("Number of arms (log scale)")
        axes.set_ylabel(time_label(record.relative_to))
        ticks(axes, x=True, y=True)
        _unit(axes.yaxis, record.relative_to)
        axes.set_xticks(np.unique(arms), minor=False)
        axes.minorticks_off()
        if record.published_arms.size:
            handles = [
                Line2D([], [], color=INK, label="measured"),
                Line2D(
                    [], [], color=INK, alpha=0.65, linestyle="dashed", lw=1.1, label="published"
                ),
            ]
            axes.legend(
                handles=handles, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, fontsize=9,
                borderaxespad=0.2,
            )  # fmt: skip
        end = float(record.arms[-1])
        rows = zip(record.names, record.time, strict=True)
        endings = [Ending(name, float(time[-1]), drawn[name]) for name, time in rows]
        end_labels(figure, axes, endings, end)
    return figure


def _name_points(figure: RecordFigure, axes: Axes, record: TimeAgainstRegret) -> None:
    dot = figure.dpi / 72.0
    texts = [
        axes.text(0, 0, short(name), fontsize=9, zorder=4, gid=gid(name, "label"))
        for name in record.names
    ]
    extents = [text.get_window_extent() for text in texts]
    sizes = [(each.width + 2 * dot, each.height) for each in extents]
    points = axes.transData.transform(np.column_stack([record.time, record.regret]))
    ends = np.column_stack([record.published_time, record.published_regret])
    published = ~np.isnan(ends).any(axis=1)
    rings = axes.transData.transform(ends[published]).reshape(-1, 2)
    joints = [
        around(x, y, dot)
        for begin, end in zip(points[published], rings, strict=True)
        for x, y in np.linspace(begin, end, 2 + int(np.hypot(*(end - begin)) / (2.0 * dot)))
    ]
    obstacles = [*(around(x, y, 4.0 * dot) for x, y in rings), *joints]
    frame = axes.get_window_extent()
    inside = Box(frame.x0, frame.y0, frame.x1, frame.y1)
    pairs = [(float(x), float(y)) for x, y in points]
    boxes = place_labels(pairs, sizes, inside, 5.0 * dot, obstacles)
    back = axes.transData.inverted()
    for text, point, box in zip(texts, points, boxes, strict=True):
        left, bottom = back.transform((box.left + dot, box.bottom))
        text.set_position((left, bottom))
        text.set_verticalalignment("bottom")
        near = np.clip(point, (box.left, box.bottom), (box.right, box.top))
        if np.hypot(*(near - point)) > 9.0 * dot:
            join = back.transform([point, near])
            axes.plot(join[:, 0], join[:, 1], color=FAINT, lw=0.8, zorder=1.5)


def _limits(axes: Axes, x: Floats, y: Floats, log_y: bool, margin: float = 1.6) -> None:
    """Set limits that leave room around the points for their labels.

    margin: on the log x axis, the factor by which the limits lie beyond the points.
    """
    for values, name, log, room in ((x, "x", True, margin), (y, "y", log_y, 1.2)):
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        if log:
            by = room * (high / low) ** (0.08 if room > 1.1 else 0.02)
            low, high = low / by, high * by
            axes.set(**{f"{name}scale": "log"})
        else:
            by = 0.12 * (high - low) or 1.0
            low, high = low - by, high + by
        axes.set(**{f"{name}lim": (low, high * (1.0 if high > low else 1.1))})


def time_label(relative_to: str | None) -> str:
    """The label of an axis of times: in seconds, or relative to a policy's."""
    return "Time per decision" if relative_to is None else f"Time per decision, {relative_to} = 1"


def _unit(axis: Axis, relative_to: str | None) -> None:
    if relative_to is None:
        axis.set_major_formatter(FuncFormatter(lambda value, _: seconds_text(float(value))))


def _positive(owner: str, name: str, values: object) -> Floats:
    given = np.asarray(values, dtype=float)
    wrong = given[~np.isnan(given) & ~((given > 0.0) & np.isfinite(given))]
    if wrong.size:
        raise ParameterError(owner, name, "numbers above 0", float(wrong.flat[0]))
    return given
