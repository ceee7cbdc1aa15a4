"""The charts of the page: the figures' records as data, which the page draws itself."""

from __future__ import annotations

from ..figures import (
    BestArmShare,
    FinalRegret,
    RegretAndBounds,
    RegretCurves,
    TimeAgainstArms,
    TimeAgainstRegret,
)
from ..figures.adaptive_lines import adaptive_chart
from ..figures.charts import Json
from ..theory import AdaptiveTrace

_CHARTED = (BestArmShare, RegretAndBounds, RegretCurves, TimeAgainstArms, TimeAgainstRegret)


def chart_of(record: object) -> Json | None:
    """The chart of a figure's record as plain JSON; None for a record of another kind."""
    if isinstance(record, FinalRegret):
        return record.data()
    if isinstance(record, AdaptiveTrace):
        return adaptive_chart(record).data()
    return record.chart().data() if isinstance(record, _CHARTED) else None
