"""The atlas as a heat map: sets x policies, the mean regret in units of the smallest on the set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.colors import LogNorm

from .._numba.compile import Floats
from ..atlas.verdicts import AtlasCell
from ..errors import ParameterError
from .canvas import RecordFigure, canvas, fit, look
from .style import INK

_MOST = 4.0  # ratios from here on have the same colour


class AtlasMap(NamedTuple):
    """Mean regret in units of the smallest on each set, (sets, policies); nan: not played.

    Policies are sorted by their geometric mean over the sets on which all were played.
    """

    title: str
    sets: tuple[str, ...]
    policies: tuple[str, ...]
    ratio: Floats


def atlas_map(cells: Sequence[AtlasCell], family: str, horizon: int) -> AtlasMap:
    """The map of a family at a horizon."""
    kept = [each for each in cells if each.family == family and each.horizon == horizon]
    if not kept:
        raise ParameterError("atlas_map", "horizon", "one that was played", horizon)
    sets = tuple(dict.fromkeys(each.name for each in kept))
    names = list(dict.fromkeys(each.policy for each in kept))
    mean = np.full((len(sets), len(names)), np.nan)
    for each in kept:
        mean[sets.index(each.name), names.index(each.policy)] = each.mean
    ratio = mean / np.nanmin(mean, axis=1, keepdims=True)
    whole = ~np.isnan(ratio).any(axis=1)
    by = np.log(ratio[whole] if whole.any() else ratio)
    order = np.argsort(np.nanmean(by, axis=0), kind="stable")
    title = f"{family.capitalize()}, T = {horizon:,}: mean regret in units of the smallest"
    return AtlasMap(title, sets, tuple(names[k] for k in order), ratio[:, order])


def draw_atlas_map(record: AtlasMap) -> RecordFigure:
    """Draw the ratios as colours and numbers; what was not played stays empty."""
    rows, columns = record.ratio.shape
    with look({"axes.grid": False}):
        figure, axes = canvas(record, 2.2 + 0.5 * columns, 1.4 + 0.27 * rows)
        shown = np.ma.masked_invalid(np.minimum(record.ratio, _MOST))
        axes.imshow(shown, cmap="YlOrRd", norm=LogNorm(1.0, _MOST * 1.5), aspect="auto")
        for i in range(rows):
            for j in range(columns):
                value = record.ratio[i, j]
                if not np.isnan(value):
                    text = f"{value:.2f}" if value < 9.95 else f"{value:.0f}"
                    weight = "bold" if value == 1.0 else "normal"
                    colour = "white" if value > 3.2 else INK
                    axes.text(
                        j, i, text, ha="center", va="center", fontsize=7.5, color=colour,
                        fontweight=weight,
                    )  # fmt: skip
        axes.set_xticks(range(columns), record.policies, rotation=40, ha="left")
        axes.set_yticks(range(rows), record.sets)
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        for side in axes.spines.values():
            side.set_visible(False)
        axes.set_title(record.title, pad=12)
        fit(figure, axes)
    return figure
