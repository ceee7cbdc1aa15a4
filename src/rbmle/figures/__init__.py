"""Figures. Each has two functions: one computes a record of plain arrays, `draw_...` draws it.

    record = regret_curves(result)
    save(draw_regret_curves(record, log_time=True), "regret.svg")

They need matplotlib (the extra `report`). They work without a display and do not use pyplot.
"""

from .._io.machine import not_installed as _not_installed

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError:
    raise ImportError(str(_not_installed("figures", "matplotlib", "report"))) from None

from .arm_intervals import ArmIntervals, arm_intervals, draw_arm_intervals
from .atlas_figures import (
    AtlasGaps,
    AtlasMap,
    AtlasRisk,
    atlas_gaps,
    atlas_map,
    atlas_risk,
    draw_atlas_gaps,
    draw_atlas_map,
    draw_atlas_risk,
    save_atlas_figures,
)
from .boxes import FinalRegret, draw_final_regret, final_regret
from .canvas import RecordFigure, panels, save, svg
from .curves import (
    BestArmShare,
    RegretCurves,
    best_arm_share,
    draw_best_arm_share,
    draw_regret_curves,
    lower_bound_constant,
    regret_curves,
)
from .decision_times import (
    TimeAgainstArms,
    TimeAgainstRegret,
    draw_time_against_arms,
    draw_time_against_regret,
    time_against_arms,
    time_against_regret,
)
from .style import STYLES, Style, styles
from .theory_figures import (
    RegretAndBounds,
    draw_adaptive,
    draw_regret_and_bounds,
    regret_and_bounds,
)

__all__ = [
    "STYLES",
    "ArmIntervals",
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
    "arm_intervals",
    "atlas_gaps",
    "atlas_map",
    "atlas_risk",
    "best_arm_share",
    "draw_adaptive",
    "draw_arm_intervals",
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
    "panels",
    "regret_and_bounds",
    "regret_curves",
    "save",
    "save_atlas_figures",
    "styles",
    "svg",
    "time_against_arms",
    "time_against_regret",
]
