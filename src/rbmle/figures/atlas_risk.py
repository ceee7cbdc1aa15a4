"""The atlas as two numbers for each policy: how much it costs on average, and when unlucky."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._numba.compile import Floats
from ..atlas.verdicts import AtlasCell, by_set
from ..errors import ParameterError
from .canvas import RecordFigure, canvas, fit, gid, look
from .charts import ChartAxis
from .labels import name_points
from .style import GREY, VERMILLION
from .ticks import ticks


class AtlasRisk(NamedTuple):
    """For each policy, over the sets on which all of them were played: the geometric means of its
    mean regret and of its 99.9 % quantile, each in units of the smallest on the set."""

    title: str
    policies: tuple[str, ...]
    mean: Floats
    tail: Floats


def atlas_risk(cells: Sequence[AtlasCell], family: str, horizon: int) -> AtlasRisk:
    """The two numbers of each policy that was played on most of the family's sets."""
    alike = {
        key: {each.policy: each for each in here}
        for key, here in by_set(cells).items()
        if key[0] == family and key[2] == horizon
    }
    if not alike:
        raise ParameterError("atlas_risk", "horizon", "one that was played", horizon)
    most = max(len(here) for here in alike.values())
    counts = {name for here in alike.values() for name in here}
    sets = [here for here in alike.values() if 2 * len(here) > most]
    names = tuple(name for name in sorted(counts) if all(name in here for here in sets))
    logs = np.log([[(here[name].mean, here[name].far_tail) for name in names] for here in sets])
    logs -= logs.min(axis=1, keepdims=True)
    mean, tail = np.exp(logs.mean(axis=0)).T
    title = f"{family.capitalize()}, T = {horizon:,}: geometric means over {len(sets)} sets"
    return AtlasRisk(title, names, mean, tail)


def draw_atlas_risk(record: AtlasRisk) -> RecordFigure:
    """Draw a point for each policy: the mean to the right, the 99.9 % quantile upwards."""
    with look():
        figure, axes = canvas(record)
        axes.set(xscale="log", yscale="log")
        axes.set_xlim(0.93, 1.35 * float(record.mean.max()))
        axes.set_ylim(0.9, 1.3 * float(record.tail.max()))
        for name, x, y in zip(record.policies, record.mean, record.tail, strict=True):
            colour = VERMILLION if name in ("recommended", "RBMLE") else GREY
            axes.plot([x], [y], "o", ms=6, color=colour, gid=gid(name, "point"))
        axes.set_title(record.title)
        ticks(
            axes,
            ChartAxis("Mean regret, smallest on each set = 1", log=True),
            ChartAxis("99.9 % quantile, smallest = 1", log=True),
        )
        fit(figure, axes)
        name_points(axes, record.policies, np.column_stack([record.mean, record.tail]), 4.0)
    return figure
