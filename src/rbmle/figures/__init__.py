"""Figures. Each has two functions: one computes a record of plain arrays, `draw_...` draws it.

    record = regret_curves(result)
    save(draw_regret_curves(record, log_time=True), "regret.svg")

They need matplotlib (`pip install 'rbmle[report]'`). They work without a display and do not use
pyplot.
"""

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError:
    raise ImportError("Figures need matplotlib: pip install 'rbmle[report]'.") from None

from .adaptive_lines import draw_adaptive
from .atlas_folder import save_atlas_figures
from .atlas_gaps import AtlasGaps, atlas_gaps, draw_atlas_gaps
from .atlas_map import AtlasMap, atlas_map, draw_atlas_map
from .atlas_risk import AtlasRisk, atlas_risk, draw_atlas_risk
from .bounded_regret import RegretAndBounds, draw_regret_and_bounds, regret_and_bounds
from .boxes import FinalRegret, draw_final_regret, final_regret
from .canvas import RecordFigure, save, svg
from .curves import RegretCurves, draw_regret_curves, lower_bound_constant, regret_curves
from .decision_times import (
    TimeAgainstArms,
    TimeAgainstRegret,
    draw_time_against_arms,
    draw_time_against_regret,
    time_against_arms,
    time_against_regret,
)
from .shares import BestArmShare, best_arm_share, draw_best_arm_share
from .style import STYLES, Style, styles

__all__ = [
    "STYLES",
    "AtlasGaps",
    "AtlasMap",
    "AtlasRisk",
    "BestArmShare",
    "FinalRegret",
    "RecordFigure",
    "RegretAndBounds",
    "RegretCurves",
    "Style",
    "TimeAgainstArms",
    "TimeAgainstRegret",
    "atlas_gaps",
    "atlas_map",
    "atlas_risk",
    "best_arm_share",
    "draw_adaptive",
    "draw_atlas_gaps",
    "draw_atlas_map",
    "draw_atlas_risk",
    "draw_best_arm_share",
    "draw_final_regret",
    "draw_regret_and_bounds",
    "draw_regret_curves",
    "draw_time_against_arms",
    "draw_time_against_regret",
    "final_regret",
    "lower_bound_constant",
    "regret_and_bounds",
    "regret_curves",
    "save",
    "save_atlas_figures",
    "styles",
    "svg",
    "time_against_arms",
    "time_against_regret",
]
