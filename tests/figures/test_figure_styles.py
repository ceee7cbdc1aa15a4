"""Each policy has one style, labels avoid each other, and the user's settings are left alone."""

import subprocess
import sys

import numpy as np
import pytest
from figure_cases import DRAWN
from hypothesis import given
from hypothesis import strategies as st

from rbmle.figures import (
    STYLES,
    styles,
    svg,
)
from rbmle.figures.labels import Box, place_labels, spread
from rbmle.policies import POLICIES


def test_styles_are_one_a_policy_and_none_twice():
    assert set(STYLES) <= {name for name, kind in POLICIES.items() if _ours(kind)}
    assert len({(each.colour, each.dashes) for each in STYLES.values()}) == len(STYLES)
    assert len({(each.marker, each.filled) for each in STYLES.values()}) == len(STYLES)
    many = [*STYLES, "RBMLE(2.0)", "Mine", "Yours", "TS", *(f"Own{i}" for i in range(12))]
    found = styles(many)
    assert len(set(found.values())) == len(many)
    assert found["RBMLE"] == STYLES["RBMLE"] == styles(["RBMLE(LogBias(1.0), 0)"]).popitem()[1]
    assert styles(["KG*", "BUCB"]) == {"KG*": STYLES["KGStar"], "BUCB": STYLES["BayesUCB"]}


@given(st.permutations([*STYLES, "RBMLE(2.0)", "RBMLE(1.0)", "Mine", "TS", "Yours"]))
def test_styles_do_not_depend_on_the_order(names):
    assert styles(names) == styles(sorted(names))
    assert list(styles(names)) == names


@pytest.mark.parametrize("count", [9, 20, 40])
def test_many_policies_stay_distinguishable(count):
    for names in ([f"Own{i}" for i in range(count)], [f"UCB(alpha={i})" for i in range(count)]):
        found = list(styles(names).values())
        assert len({(each.colour, each.dashes) for each in found}) == count
        if count <= 20:
            assert len({(each.marker, each.filled) for each in found}) == count
        colours = [each.colour for each in found]
        assert max(map(colours.count, colours)) - min(map(colours.count, colours)) <= 1


def _ours(kind):
    return kind.__module__.startswith("rbmle.policies")


def test_the_users_settings_neither_count_nor_change():
    import matplotlib as mpl

    plain = svg(DRAWN["regret"]())
    with mpl.rc_context({"lines.linewidth": 9.0, "font.size": 20.0}):
        assert svg(DRAWN["regret"]()) == plain
        assert mpl.rcParams["font.size"] == 20.0


def test_importing_the_package_imports_no_matplotlib_and_figures_no_pyplot():
    code = (
        "import sys, rbmle; assert 'matplotlib' not in sys.modules; import rbmle.figures;"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@given(st.lists(st.floats(0.0, 100.0), min_size=1, max_size=12))
def test_spread_keeps_distance_order_and_bounds(wanted):
    placed = spread(wanted, 5.0, 0.0, 100.0)
    order = np.argsort(wanted, kind="stable")
    assert (np.diff(placed[order]) >= 5.0 - 1e-9).all()
    assert placed.min() >= 0.0
    assert placed.max() <= 100.0 + 1e-9
    apart = np.diff(np.sort(wanted))
    if apart.size == 0 or apart.min() > 5.0:
        np.testing.assert_allclose(placed, wanted, atol=1e-9)


def test_place_avoids_points_and_labels():
    points = [(50.0 + 3.0 * i, 50.0 + i) for i in range(6)]
    frame = Box(0.0, 0.0, 200.0, 200.0)
    boxes = place_labels(points, [(40.0, 10.0)] * 6, frame, 4.0)
    for i, box in enumerate(boxes):
        assert box.overlap(frame) == pytest.approx(400.0)
        assert all(box.overlap(other) == 0.0 for other in boxes[:i])
