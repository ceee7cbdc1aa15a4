"""All figures of an atlas, as files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ..atlas.verdicts import AtlasCell
from .atlas_gaps import atlas_gaps, draw_atlas_gaps
from .atlas_map import atlas_map, draw_atlas_map
from .atlas_risk import atlas_risk, draw_atlas_risk
from .canvas import save


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
            "risk": draw_atlas_risk(atlas_risk(cells, family, horizon)),
        }
        record = atlas_gaps(cells, family, horizon, group)
        if record.ratio.size:
            figures["gaps"] = draw_atlas_gaps(record)
        for name, figure in figures.items():
            written.append(target / f"{family}-{horizon}-{name}{suffix}")
            save(figure, written[-1])
    return written
