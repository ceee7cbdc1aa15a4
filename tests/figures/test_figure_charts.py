"""The record of every figure makes a chart of finite numbers, which a page can draw."""

import json

import pytest
from figure_cases import DRAWN
from tiers import tiered

from rbmle.reports.report_page import chart_of


@pytest.mark.parametrize("kind", tiered(DRAWN, lambda kind: kind != "adaptive"))
def test_every_figure_of_ours_is_a_chart_of_finite_numbers(kind):
    chart = chart_of(DRAWN[kind]().record)
    text = json.dumps(chart, allow_nan=False)
    assert json.loads(text) == chart
    for each in chart.get("series", []):
        assert len(each["x"]) == len(each["y"])
    assert chart.get("series") or chart.get("boxes")
    assert chart_of(object()) is None
