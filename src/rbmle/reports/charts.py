"""Charts: figures as data. The page draws them itself, so that a reader can see values, zoom and
switch scales.

A chart is plain JSON: two axes, and series or boxes, each with the policy it belongs to. Numbers
have six significant digits, more than a screen or a comparison of policies needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..figures import (
    BestArmShare,
    FinalRegret,
    RegretAndBounds,
    RegretCurves,
    Style,
    TimeAgainstArms,
    TimeAgainstRegret,
    styles,
)
from ..figures.adaptive_lines import adaptive_lines
from ..figures.boxes import WHISKERS
from ..figures.canvas import INK
from ..figures.curves import BOUND, BOUND_STYLE
from ..figures.decision_times import time_label
from ..figures.style import DASH_DOT, DASHED, clean
from ..theory import AdaptiveTrace

_MOST_DOTS = 200  # beyond the whiskers of a policy; of more, an even selection by rank is drawn


def chart_of(record: Any) -> dict[str, Any] | None:
    """The chart of a figure's record; None for a record of another kind."""
    make = _MAKERS.get(type(record))
    return None if make is None else make(record)


def _numbers(values: Any) -> list[float | None]:
    """The values to six significant digits; None for infinity and NaN, which JSON cannot hold."""
    return [float(f"{x:.6g}") if np.isfinite(x) else None for x in np.asarray(values, dtype=float)]


def _axis(label: str, log: bool = False, unit: str = "", both: bool = True) -> dict[str, Any]:
    """An axis. log: whether it starts with a log scale. both: whether the reader may switch it."""
    return {"label": label, "log": log, "unit": unit, "both": both}


def _series(name: str, style: Style, x: Any, y: Any, **more: Any) -> dict[str, Any]:
    """A line of a chart. It belongs to the policy of its name, unless `more` has another."""
    return {
        "name": clean(name),
        "policy": clean(name),
        "colour": "ink" if style.colour == INK else style.colour,
        "dashes": list(style.dashes),
        "marker": style.marker,
        "filled": style.filled,
        "width": style.width,
        "x": _numbers(x),
        "y": _numbers(y),
        **more,
    }


def _curves(record: RegretCurves) -> dict[str, Any]:
    drawn = styles(record.among or record.names)
    series = [
        _series(name, drawn[name], record.rounds, mean, low=_numbers(low), high=_numbers(high))
        for name, mean, low, high in zip(
            record.names, record.mean, record.low, record.high, strict=True
        )
    ]
    if record.constant is not None:
        bound = record.constant * np.log(record.rounds)
        series.append(_series(BOUND, BOUND_STYLE, record.rounds, bound, policy="", soft=True))
    return {
        "kind": "lines",
        "about": "regret",
        "x": _axis("Round t"),
        "y": _axis(record.label, record.log),
        "columns": ["round", "mean", *(f"q{100.0 * each:g}" for each in record.band)],
        "series": series,
    }


def _shares(record: BestArmShare) -> dict[str, Any]:
    drawn = styles(record.among or record.names)
    begun = record.rounds >= record.n_arms
    rows = zip(record.names, record.share, strict=True)
    return {
        "kind": "lines",
        "about": "best-arm-share",
        "x": _axis("Round t", log=True),
        "y": _axis("Share of pulls of the best arm", unit="share", both=False),
        "columns": ["round", "share"],
        "series": [
            _series(name, drawn[name], record.rounds[begun], share[begun]) for name, share in rows
        ],
    }


def _bounded(record: RegretAndBounds) -> dict[str, Any]:
    chart = _curves(record.curves)
    for name, bound, proposition in zip(
        record.curves.names, record.bounds, record.propositions, strict=True
    ):
        own = styles(record.curves.among or record.curves.names)[name]
        said = f"Bound, Proposition {proposition}"
        style = Style(own.colour, DASH_DOT, "", width=1.5)
        line = _series(said, style, record.curves.rounds, bound, policy=clean(name))
        chart["series"].append(line)
    for each in chart["series"]:
        each.pop("soft", None)
    chart["about"] = "regret-and-bounds"
    chart["x"]["log"] = chart["y"]["log"] = True
    return chart


def _boxes(record: FinalRegret) -> dict[str, Any]:
    drawn = styles(record.among or record.names)
    names = ("q10", "q25", "q50", "q75", "q90")
    boxes = []
    for name, values in zip(record.names, record.regret, strict=True):
        quantiles = np.quantile(values, [0.1, 0.25, 0.5, 0.75, 0.9])
        low, high = np.percentile(values, WHISKERS)
        beyond = np.sort(values[(values < low) | (values > high)])
        ranks = np.linspace(0, beyond.size - 1, min(beyond.size, _MOST_DOTS)).round().astype(int)
        boxes.append(
            {
                "name": clean(name),
                "policy": clean(name),
                "colour": drawn[name].colour,
                "mean": _numbers([values.mean()])[0],
                "least": _numbers([values.min()])[0],
                "largest": _numbers([values.max()])[0],
                **dict(zip(names, _numbers(quantiles), strict=True)),
                "dots": _numbers(np.unique(beyond[ranks])),
            }
        )
    return {
        "kind": "boxes",
        "about": "final-regret",
        "x": {**_axis("Final regret", record.log), "near": record.near_zero},
        "columns": ["mean", "least", *names, "largest"],
        "boxes": boxes,
    }


def _points(record: TimeAgainstRegret) -> dict[str, Any]:
    drawn = styles(record.names)
    series = []
    for i, name in enumerate(record.names):
        printed = (record.published_time[i], record.published_regret[i])
        more = {"ring": _numbers(printed)} if np.isfinite(printed).all() else {}
        series.append(_series(name, drawn[name], record.time[i : i + 1], record.regret[i : i + 1]))
        series[-1].update(more)
    return {
        "kind": "points",
        "about": "time-against-regret",
        "x": _time_axis(record.relative_to),
        "y": _axis("Mean final regret", bool(np.nanmin(record.regret) > 0.0)),
        "columns": ["time", "mean regret"],
        "series": series,
    }


def _arms(record: TimeAgainstArms) -> dict[str, Any]:
    drawn = styles(record.names)
    series = []
    for i, name in enumerate(record.names):
        style = drawn[name]._replace(dashes=())
        series.append(_series(name, style, record.arms, record.time[i], dense=True))
        known = np.isfinite(record.published_time[i])
        if known.any():
            faint = drawn[name]._replace(dashes=DASHED, marker="", width=1.1)
            printed = record.published_time[i][known], record.published_arms[known]
            series.append(
                _series(f"{name}, published", faint, printed[1], printed[0], policy=clean(name))
            )
    return {
        "kind": "lines",
        "about": "time-against-arms",
        "x": _axis("Number of arms", log=True),
        "y": _time_axis(record.relative_to),
        "columns": ["arms", "time"],
        "series": series,
    }


def _adaptive(record: AdaptiveTrace) -> dict[str, Any]:
    lines, top, notes = adaptive_lines(record)
    return {
        "kind": "lines",
        "about": "adaptive",
        "x": _axis("Round t", log=True),
        "y": {**_axis("Factor of log t in alpha(t)"), "top": top},
        "columns": ["round", "value"],
        "note": "; ".join(notes),
        "series": [_series(name, style, x, y, policy="") for name, x, y, style in lines],
    }


def _time_axis(relative_to: str | None) -> dict[str, Any]:
    return _axis(time_label(relative_to), log=True, unit="s" if relative_to is None else "")


_MAKERS: Mapping[type, Callable[[Any], dict[str, Any]]] = {
    RegretCurves: _curves,
    BestArmShare: _shares,
    RegretAndBounds: _bounded,
    FinalRegret: _boxes,
    TimeAgainstRegret: _points,
    TimeAgainstArms: _arms,
    AdaptiveTrace: _adaptive,
}
