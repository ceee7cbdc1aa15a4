"""Figures of the atlas: the records by hand, and drawings that hold what the records hold."""

import numpy as np
import pytest

from rbmle.atlas import AtlasCell, atlas_sets
from rbmle.errors import ParameterError
from rbmle.figures import (
    atlas_gaps,
    atlas_map,
    atlas_risk,
    draw_atlas_map,
    draw_atlas_risk,
    save_atlas_figures,
)


def cells() -> list[AtlasCell]:
    """Two policies on three sets, one of which the second has not played."""
    found = []
    for name, numbers in {
        "two arms": {"recommended": 2.0, "Thompson": 4.0},
        "near 0": {"recommended": 3.0, "Thompson": 1.5, "UCB": 6.0},
        "near 1": {"recommended": 1.0, "Thompson": 2.0, "UCB": 6.0},
    }.items():
        for policy, mean in numbers.items():
            found.append(
                AtlasCell("bernoulli", name, 100, policy, 2, 5, mean, 0.1, 2 * mean, 10.0 + mean,
                     np.array([0.5 * mean, 1.5 * mean]))
            )  # fmt: skip
    return found


def test_the_map_by_hand():
    record = atlas_map(cells(), "bernoulli", 100)
    assert record.sets == ("two arms", "near 0", "near 1")
    assert record.policies == ("recommended", "Thompson", "UCB")
    assert np.array_equal(
        record.ratio, [[1.0, 2.0, np.nan], [2.0, 1.0, 4.0], [1.0, 2.0, 6.0]], equal_nan=True
    )
    shown = {each.get_text() for each in draw_atlas_map(record).axes[0].texts}
    assert shown == {"1.00", "2.00", "4.00", "6.00"}
    with pytest.raises(ParameterError, match="'horizon' must be one that was played"):
        atlas_map(cells(), "bernoulli", 50)


def test_the_risk_by_hand():
    record = atlas_risk(cells()[2:], "bernoulli", 100)
    assert record.policies == ("Thompson", "UCB", "recommended")
    assert record.mean == pytest.approx([2.0**0.5, 24.0**0.5, 2.0**0.5])
    assert record.tail[1] == pytest.approx((16.0 / 11.5 * 16.0 / 11.0) ** 0.5)
    names = {each.get_text() for each in draw_atlas_risk(record).axes[0].texts}
    assert names == set(record.policies)
    forms = record._replace(policies=("recommended, mean", "UCB", "recommended"))
    mean, ucb, tails = (line.get_color() for line in draw_atlas_risk(forms).axes[0].lines[-3:])
    assert mean == tails != ucb


def test_sets_without_quantiles_take_no_policy_from_the_figure_of_risk():
    unknown = [each._replace(name="rare", far_tail=np.nan) for each in cells()[2:5]]
    lacking = [each._replace(name="close") for each in cells()[3:5]]  # without the recommended one
    record = atlas_risk([*cells()[2:], *unknown, *lacking], "bernoulli", 100)
    assert str(record) == str(atlas_risk(cells()[2:], "bernoulli", 100))


def test_a_set_that_one_policy_lacks_takes_no_policy_from_the_figure_of_risk():
    """UCB is known on three of four sets, so these three count."""
    more = [each._replace(name="high") for each in cells()[2:5]]
    record = atlas_risk([*cells(), *more], "bernoulli", 100)
    assert record.policies == ("Thompson", "UCB", "recommended")
    assert record.title.endswith("over 3 sets")


@pytest.mark.slow
def test_gaps_are_those_of_the_problems_and_all_figures_are_written(tmp_path):
    record = atlas_gaps(cells(), "bernoulli", 100)
    assert record.ratio.tolist() == [0.5, 0.5, 2.0, 2.0, 0.5, 0.5]
    assert record.arms.tolist() == [2.0, 2.0, 10.0, 10.0, 10.0, 10.0]
    unpaired = [each for each in cells() if (each.name, each.policy) not in (
        ("two arms", "recommended"), ("near 0", "Thompson"))]  # fmt: skip
    assert atlas_gaps(unpaired, "bernoulli", 100).ratio.tolist() == [0.5, 0.5]
    [where] = atlas_sets("report", ["bernoulli: two arms"])
    low, high = sorted(where.problems(1)[0].means)
    divergence = low * np.log(low / high) + (1 - low) * np.log((1 - low) / (1 - high))
    assert record.gap[0] == pytest.approx((2.0 * divergence) ** 0.5)
    written = save_atlas_figures(cells(), tmp_path)
    assert [each.name for each in written] == [
        f"bernoulli-100-{name}.png" for name in ("map", "risk", "gaps")
    ]
    assert all(each.stat().st_size > 5000 for each in written)
