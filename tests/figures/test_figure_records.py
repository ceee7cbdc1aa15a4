"""The records of figures have the right numbers."""

import numpy as np
import pytest
from figure_cases import NAMES, bounded, made
from matplotlib.figure import Figure

from rbmle import (
    Bernoulli,
    Gaussian,
    ParameterError,
    Problem,
    Uniform,
    theory,
)
from rbmle.figures import (
    best_arm_share,
    draw_regret_and_bounds,
    final_regret,
    lower_bound_constant,
    regret_and_bounds,
    regret_curves,
    save,
    svg,
    time_against_arms,
    time_against_regret,
)


def test_regret_curves_hold_mean_quantiles_and_bound():
    record = regret_curves(made(), band=(0.25, 0.75))
    replications = np.arange(1, 13)
    assert record.names == NAMES
    np.testing.assert_allclose(record.mean[1], 2.0 * replications.mean() * record.rounds / 1000)
    np.testing.assert_allclose(record.low[:, -1], np.quantile(replications, 0.25) * np.arange(1, 4))
    np.testing.assert_allclose(record.high[0, -1], np.quantile(replications, 0.75))
    assert record.constant == pytest.approx(0.2 / Bernoulli().kl(0.5, 0.7))
    assert regret_curves(made(), lower_bound=False).constant is None


def test_lower_bound_adds_over_the_worse_arms_only():
    means = [0.0, 1.0, 0.5, 1.0]
    assert lower_bound_constant(Problem(Gaussian(), means)) == pytest.approx(2.0 / 1.0 + 2.0 / 0.5)
    assert lower_bound_constant(Problem(Gaussian(), [1.0, 1.0])) is None
    assert lower_bound_constant(Problem(Uniform(), [0.2, 0.5])) is None
    assert lower_bound_constant(Problem(Bernoulli(), [0.5, 1.0])) is None  # an infinite divergence


def test_regret_and_bounds_holds_what_was_measured_and_what_is_proved():
    record = bounded()
    bound = theory.regret_bound(Problem(Bernoulli(), [0.5, 0.7]), 1000, 2)
    assert record.curves.names == ("UCB", "Mine<$x$>")
    assert record.propositions == (2, 2)
    assert list(record.curves.rounds) == [10, 100, 1000]  # 1 is no round of a choice
    np.testing.assert_allclose(record.curves.mean[1], 3 * 6.5 * record.curves.rounds / 1000)
    expected = bound.slope * np.log([10, 100, 1000]) + bound.constant
    np.testing.assert_allclose(record.bounds[0], expected)
    assert record.curves.constant == pytest.approx(theory.lai_robbins(made().problem))
    drawn = draw_regret_and_bounds(record)
    low, high = drawn.axes[0].get_ylim()
    assert low < record.curves.mean.min()
    assert high > record.bounds.max()
    shown = svg(drawn)
    assert all(f"policy=UCB|{part}" in shown for part in ("line", "bound", "bound-label"))
    endless = theory.regret_bound(Problem(Gaussian(), [0.0, 0.5]), 1000, 6)
    for bounds in ({}, {"KG": bound}, {"UCB": endless}):
        with pytest.raises(ParameterError, match="'bounds' must be"):
            regret_and_bounds(made(), bounds)


def test_final_regret_is_sorted_by_median():
    result = made(("KG", "UCB", "IDS"))
    object.__setattr__(result, "regret", result.regret[[2, 0, 1]] ** 2)
    record = final_regret(result)
    assert record.names == ("UCB", "IDS", "KG")
    assert list(np.median(record.regret, axis=1)) == sorted(np.median(record.regret, axis=1))
    assert record.log
    object.__setattr__(result, "regret", result.regret + 100.0)
    assert not final_regret(result).log
    object.__setattr__(result, "regret", result.regret * 0.0)
    assert not final_regret(result).log


def test_best_arm_share_is_pulls_over_rounds():
    record = best_arm_share(made(("UCB", "KG"), rounds=(2, 10, 100)))
    np.testing.assert_allclose(record.share, [[1.0, 1.0, 1.0], [0.5, 0.5, 0.5]])


def test_times_become_multiples_of_one_policy():
    record = time_against_regret(
        ["UCB", "KG"], [2e-7, 6e-7], [10.0, 20.0], {"UCB": (1e-4, 11.0)}, relative_to="UCB"
    )
    np.testing.assert_allclose(record.time, [1.0, 3.0])
    np.testing.assert_allclose(record.published_time, [1.0, np.nan])
    np.testing.assert_allclose(record.published_regret, [11.0, np.nan])
    record = time_against_arms(
        [10, 30], {"UCB": [1.0, 2.0], "KG": [3.0, 8.0]}, {"KG": {10: 6.0, 50: 9.0}, "UCB": {10: 2}}
    )
    np.testing.assert_allclose(record.time, [[1.0, 1.0], [3.0, 4.0]])
    np.testing.assert_allclose(record.published_arms, [10, 50])
    np.testing.assert_allclose(record.published_time, [[1.0, np.nan], [3.0, np.nan]])


def test_bad_input_is_one_sentence(tmp_path):
    for call, sentence in (
        (lambda: regret_curves(made(), band=(0.9, 0.1)), "'band' must be two rising numbers"),
        (lambda: time_against_regret(["a"], [0.0], [1.0]), "'seconds' must be numbers above 0"),
        (lambda: time_against_regret(["a"], [1.0, 2.0], [1.0]), "'labels' must be as many as"),
        (lambda: time_against_arms([10], {"a": [1.0]}), "'relative_to' must be one of 'a'"),
        (lambda: time_against_arms([10], {"a": [1.0, 2.0]}), "'seconds' must be 1 numbers"),
        (lambda: save(Figure(), tmp_path / "figure.gif"), "must be a name that ends in .svg"),
    ):
        with pytest.raises(ParameterError, match=sentence):
            call()
    assert not list(tmp_path.iterdir())
