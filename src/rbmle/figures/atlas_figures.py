"""The figures of an atlas: a map of all ratios, the risk of each policy, and problem by problem."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from math import isfinite
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.colors import LogNorm

from .._numba.compile import Floats
from ..atlas.sets import atlas_sets
from ..atlas.verdicts import (
    AWARE,
    FAMILY_FREE,
    RECOMMENDED,
    RIVALS,
    SMALLEST_MEAN,
    AtlasCell,
    by_set,
)
from ..errors import ParameterError
from ..policies.fit import as_family
from .canvas import RecordFigure, canvas, fit, gid, save
from .charts import ChartAxis, set_axes
from .labels import name_points
from .style import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, VERMILLION

_MOST = 4.0  # ratios from here on have the same colour in the map
_ARMS = (  # from, to, label and colour
    (2, 2, "2 arms", BLUE),
    (3, 12, "10 arms", GREEN),
    (13, 50, "50 arms", ORANGE),
    (51, 10_000, "500 arms", PURPLE),
)


class AtlasMap(NamedTuple):
    """Mean regret in units of the smallest on each set, (sets, policies); nan: not played.

    Policies are sorted by their geometric mean over the sets on which all were played.
    """

    title: str
    sets: tuple[str, ...]
    policies: tuple[str, ...]
    ratio: Floats


class AtlasRisk(NamedTuple):
    """For each policy, over the sets on which all of them were played: the geometric means of its
    mean regret and of its 99.9 % quantile, each in units of the smallest on the set."""

    title: str
    policies: tuple[str, ...]
    mean: Floats
    tail: Floats


class AtlasGaps(NamedTuple):
    """For each problem: the gap in standard deviations, the arms, and regret against rivals.

    gap: sqrt(2 D(second mean, best mean)). ratio: the mean regret of the recommended policy in
    units of the smallest mean of a rival.
    """

    title: str
    gap: Floats
    arms: Floats
    ratio: Floats


def atlas_map(cells: Sequence[AtlasCell], family: str, horizon: int) -> AtlasMap:
    """The map of a family at a horizon."""
    played = _played(cells, family, horizon)
    if not played:
        raise ParameterError("atlas_map", "horizon", "one that was played", horizon)
    sets = tuple(dict.fromkeys(each.name for each in played))
    names = list(dict.fromkeys(each.policy for each in played))
    mean = np.full((len(sets), len(names)), np.nan)
    for each in played:
        mean[sets.index(each.name), names.index(each.policy)] = each.mean
    ratio = mean / np.nanmin(mean, axis=1, keepdims=True)
    whole = ~np.isnan(ratio).any(axis=1)
    by = np.log(ratio[whole] if whole.any() else ratio)
    order = np.argsort(np.nanmean(by, axis=0), kind="stable")
    title = _title(family, horizon, "mean regret in units of the smallest")
    return AtlasMap(title, sets, tuple(names[k] for k in order), ratio[:, order])


def draw_atlas_map(record: AtlasMap) -> RecordFigure:
    """Draw the ratios as colours and numbers; what was not played stays empty."""
    rows, columns = record.ratio.shape
    with canvas(record, 2.2 + 0.5 * columns, 1.4 + 0.27 * rows) as (figure, axes):
        colours = np.ma.masked_invalid(np.minimum(record.ratio, _MOST))
        axes.imshow(colours, cmap="YlOrRd", norm=LogNorm(1.0, _MOST * 1.5), aspect="auto")
        for (i, j), value in np.ndenumerate(record.ratio):
            if not np.isnan(value):
                text = f"{value:.2f}" if value < 9.95 else f"{value:.0f}"
                weight = "bold" if value == 1.0 else "normal"
                # On a coloured cell, so no page must replace them by its own ink and paper.
                colour = "#fefefe" if value > 3.2 else "#212122"
                axes.text(
                    j, i, text, color=colour, fontweight=weight, fontsize=7.5,
                    ha="center", va="center",
                )  # fmt: skip
        axes.set_xticks(range(columns), record.policies, rotation=40, ha="left")
        axes.set_yticks(range(rows), record.sets)
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.grid(False)
        axes.set_title(record.title, pad=12)
        fit(figure, axes)
    return figure


def atlas_risk(cells: Sequence[AtlasCell], family: str, horizon: int) -> AtlasRisk:
    """The two numbers of each policy that has a 99.9 % quantile on three quarters of the sets,
    over the sets on which all of these have one.

    Sets on which the recommended policy has none do not count, if it has one on any.
    """
    played = by_set(_played(cells, family, horizon))
    if not played:
        raise ParameterError("atlas_risk", "horizon", "one that was played", horizon)
    known = [
        {each.policy: each for each in here if isfinite(each.far_tail)} for here in played.values()
    ]
    known = [here for here in known if RECOMMENDED in here] or known
    counts = Counter(name for here in known for name in here)
    names = tuple(sorted(name for name, count in counts.items() if 4 * count >= 3 * len(known)))
    sets = [here for here in known if here.keys() >= set(names)]
    if not names or not sets:
        raise ParameterError("atlas_risk", "cells", "of enough runs to tell a 99.9 % quantile")
    logs = np.log([[(here[name].mean, here[name].far_tail) for name in names] for here in sets])
    logs -= logs.min(axis=1, keepdims=True)
    mean, tail = np.exp(logs.mean(axis=0)).T
    title = _title(family, horizon, f"geometric means over {len(sets)} sets")
    return AtlasRisk(title, names, mean, tail)


def draw_atlas_risk(record: AtlasRisk) -> RecordFigure:
    """Draw a point for each policy: the mean to the right, the 99.9 % quantile upwards."""
    right, up = 1.35 * float(record.mean.max()), 1.3 * float(record.tail.max())
    x = ChartAxis("Mean regret, smallest on each set = 1", log=True, limits=(0.93, right))
    y = ChartAxis("99.9 % quantile, smallest = 1", log=True, limits=(0.9, up))
    points = np.column_stack([record.mean, record.tail])
    with canvas(record) as (figure, axes):
        set_axes(axes, record.title, x, y)
        for name, point in zip(record.policies, points, strict=True):
            colour = VERMILLION if name in (RECOMMENDED, SMALLEST_MEAN, "RBMLE") else GREY
            axes.plot(*point, "o", ms=6, color=colour, gid=gid(name, "point"))
        fit(figure, axes)
        name_points(axes, record.policies, points, 4.0)
    return figure


def atlas_gaps(
    cells: Sequence[AtlasCell], family: str, horizon: int, group: str = "report"
) -> AtlasGaps:
    """The problems of a family's sets, without those of misspecified laws.

    Rivals count if no policy has more replications on the set.
    """
    model = as_family(family)
    known = {each.name: each for each in atlas_sets(group, [family])}
    gaps, arms, ratios = [], [], []
    for (_, name, _), alike in by_set(_played(cells, family, horizon)).items():
        named = {each.policy: each for each in alike}
        most = max(each.replications for each in alike)
        fair = [named[rival] for rival in (*RIVALS, *AWARE) if rival in named]
        rivals = [each.by_problem for each in fair if each.replications == most]
        if known[name].misspecified or RECOMMENDED not in named or not rivals:
            continue
        ratios.append(named[RECOMMENDED].by_problem / np.min(rivals, axis=0))
        for problem in known[name].problems(named[RECOMMENDED].problems):
            second, best = np.sort(problem.means)[-2:]
            gaps.append(np.sqrt(2.0 * model.kl(second, best)))
            arms.append(problem.n_arms)
    title = _title(family, horizon, "the recommended RBMLE against the best rival")
    ratio = np.concatenate([np.empty(0), *ratios])
    return AtlasGaps(title, np.array(gaps), np.array(arms, float), ratio)


def draw_atlas_gaps(record: AtlasGaps) -> RecordFigure:
    """Draw a dot for each problem; above the line the recommended policy loses, below it wins."""
    positive = record.gap > 0.0
    gaps = record.gap[positive]
    limits = max(float(np.quantile(gaps, 0.005)), 1e-4), float(gaps.max()) * 1.1
    x = ChartAxis("Gap between the two best arms, in standard deviations", True, limits=limits)
    with canvas(record) as (figure, axes):
        for least, most, label, colour in _ARMS:
            mine = positive & (record.arms >= least) & (record.arms <= most)
            if mine.any():
                dots = axes.plot(record.gap[mine], record.ratio[mine], ".", ms=3.5, alpha=0.55)
                dots[0].set(color=colour, label=label)
        axes.axhline(1.0, color=INK, lw=0.9)
        set_axes(axes, record.title, x, ChartAxis("Regret, best rival = 1", log=True))
        axes.legend(loc="best", markerscale=3.0, fontsize=8.5)
        fit(figure, axes)
    return figure


def save_atlas_figures(
    cells: Sequence[AtlasCell],
    folder: str | os.PathLike[str],
    group: str = "report",
    suffix: str = ".png",
) -> list[Path]:
    """Draw the map, the risk and the gaps of each family and horizon; the files that were written.

    group: the group of the sets. suffix: .png, .svg or .pdf.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    written = []
    for family, horizon in dict.fromkeys((each.family, each.horizon) for each in cells):
        figures = {
            "map": draw_atlas_map(atlas_map(cells, family, horizon)),
        }
        with suppress(ParameterError):  # too few runs to tell a 99.9 % quantile
            figures["risk"] = draw_atlas_risk(atlas_risk(cells, family, horizon))
        record = atlas_gaps(cells, family, horizon, group)
        if record.ratio.size:
            figures["gaps"] = draw_atlas_gaps(record)
        for name, figure in figures.items():
            written.append(target / f"{family}-{horizon}-{name}{suffix}")
            save(figure, written[-1])
    return written


def _played(cells: Sequence[AtlasCell], family: str, horizon: int) -> list[AtlasCell]:
    """The cells, without the policies that are played on few of the sets."""
    here = [each for each in cells if each.family == family and each.horizon == horizon]
    return [each for each in here if each.policy not in FAMILY_FREE]


def _title(family: str, horizon: int, about: str) -> str:
    return f"{family.capitalize()}, T = {horizon:,}: {about}"
