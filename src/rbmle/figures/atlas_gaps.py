"""Where the recommended policy wins and loses: against the gap and the number of arms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._numba.compile import Floats
from ..atlas.sets import atlas_sets
from ..atlas.verdicts import RECOMMENDED, RIVALS, AtlasCell, by_set
from ..policies.fit import as_family
from .canvas import RecordFigure, canvas, fit, look
from .charts import ChartAxis
from .style import BLUE, GREEN, INK, ORANGE, PURPLE
from .ticks import ticks

_ARMS = ((2, 2, "2 arms", BLUE), (3, 12, "10 arms", GREEN), (13, 50, "50", ORANGE),
         (51, 10_000, "500", PURPLE))  # fmt: skip


class AtlasGaps(NamedTuple):
    """For each problem: the gap in standard deviations, the arms, and regret against rivals.

    gap: sqrt(2 D(second mean, best mean)). ratio: the mean regret of the recommended policy in
    units of the smallest mean of a rival.
    """

    title: str
    gap: Floats
    arms: Floats
    ratio: Floats


def atlas_gaps(
    cells: Sequence[AtlasCell], family: str, horizon: int, group: str = "report"
) -> AtlasGaps:
    """The problems of a family's sets, without those of misspecified laws.

    Rivals count if no policy has more replications on the set.
    """
    model = as_family(family)
    known = {each.name: each for each in atlas_sets(group, [family])}
    gaps, arms, ratios = [], [], []
    for (where, name, rounds), alike in by_set(cells).items():
        named = {each.policy: each for each in alike}
        if where != family or rounds != horizon or known[name].misspecified:
            continue
        most = max(each.replications for each in alike)
        fair = [named[name] for name in RIVALS if name in named]
        rivals = [each.by_problem for each in fair if each.replications == most]
        if RECOMMENDED not in named or not rivals:
            continue
        ratios.append(named[RECOMMENDED].by_problem / np.min(rivals, axis=0))
        for problem in known[name].problems(named[RECOMMENDED].problems):
            second, best = np.sort(problem.means)[-2:]
            gaps.append(np.sqrt(2.0 * model.kl(second, best)))
            arms.append(problem.n_arms)
    title = f"{family.capitalize()}, T = {horizon:,}: the recommended RBMLE against the best rival"
    ratio = np.concatenate(ratios) if ratios else np.empty(0)
    return AtlasGaps(title, np.array(gaps), np.array(arms, float), ratio)


def draw_atlas_gaps(record: AtlasGaps) -> RecordFigure:
    """Draw a dot for each problem; above the line the recommended policy loses, below it wins."""
    with look():
        figure, axes = canvas(record)
        positive = record.gap > 0.0
        for low, high, label, colour in _ARMS:
            mine = positive & (record.arms >= low) & (record.arms <= high)
            if mine.any():
                axes.plot(
                    record.gap[mine], record.ratio[mine], ".", ms=3.5, alpha=0.55, color=colour,
                    label=label,
                )  # fmt: skip
        axes.axhline(1.0, color=INK, lw=0.9)
        axes.set(xscale="log", yscale="log")
        seen = record.gap[positive]
        axes.set_xlim(max(float(np.quantile(seen, 0.005)), 1e-4), float(seen.max()) * 1.1)
        axes.set_title(record.title)
        ticks(
            axes,
            ChartAxis("Gap between the two best arms, in standard deviations", log=True),
            ChartAxis("Regret, best rival = 1", log=True),
        )
        axes.legend(loc="best", markerscale=3.0, fontsize=8.5)
        fit(figure, axes)
    return figure
