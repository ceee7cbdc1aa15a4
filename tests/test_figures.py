"""Figures: the records are right, and drawing them covers nothing and leaves nothing out."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from rbmle import (
    RBMLE,
    UCB,
    AdaptiveGaussian,
    Bernoulli,
    Gaussian,
    ParameterError,
    Problem,
    Uniform,
    simulate,
    theory,
)
from rbmle.figures import (
    STYLES,
    best_arm_share,
    draw_adaptive,
    draw_best_arm_share,
    draw_final_regret,
    draw_regret_and_bounds,
    draw_regret_curves,
    draw_time_against_arms,
    draw_time_against_regret,
    final_regret,
    lower_bound_constant,
    regret_and_bounds,
    regret_curves,
    save,
    styles,
    svg,
    time_against_arms,
    time_against_regret,
)
from rbmle.figures.labels import Box, place, spread
from rbmle.policies import POLICIES
from rbmle.result import Result

NAMES = ("UCB", "RBMLE", "Mine<$x$>")


def made(names=NAMES, rounds=(1, 10, 100, 1000), replications=12, problem=None):
    """A result with known numbers: policy p, replication r has regret (p + 1)(r + 1) t / 1000."""
    problem = problem or Problem(Bernoulli(), [0.5, 0.7])
    rounds = np.array(rounds)
    policy = np.arange(1, len(names) + 1)[:, None, None]
    replication = np.arange(1, replications + 1)[None, :, None]
    regret = policy * replication * rounds / 1000.0
    best = np.broadcast_to(rounds // policy, regret.shape)
    pulls = np.zeros((len(names), replications, problem.n_arms), dtype=int)
    return Result(
        problem=problem,
        policies=(UCB(),) * len(names),
        families=(problem.law,) * len(names),
        horizon=int(rounds[-1]),
        checkpoints=rounds,
        regret=regret,
        best_pulls=best,
        pulls=pulls,
        labels=tuple(names),
    )


def times(count=15):
    names = list(STYLES)[:count]
    seconds = [1e-7 * (1.0 + 0.1 * i) for i in range(count)]
    regret = [100.0 + 2.0 * i for i in range(count)]
    return names, seconds, regret


def bounded(**changes):
    """The made result with a bound for two of its three policies."""
    problem = Problem(Bernoulli(), [0.5, 0.7])
    bound = theory.regret_bound(problem, 1000, 2)
    return regret_and_bounds(made(), {"UCB": bound, "Mine<$x$>": bound, **changes})


def bounded_by():
    return theory.regret_bound(Problem(Bernoulli(), [0.5, 0.7]), 1000, 4)


def traced(sigma=0.05):
    problem = Problem(Gaussian(sigma), [0.5, 1.0])
    return theory.adaptive_trace(problem, AdaptiveGaussian(sigma), 3000, seed=11)


DRAWN = {
    "bounds": lambda: draw_regret_and_bounds(bounded(RBMLE=bounded_by())),
    "adaptive": lambda: draw_adaptive(traced(), "Algorithm 1"),
    "regret": lambda: draw_regret_curves(regret_curves(made())),
    "log regret": lambda: draw_regret_curves(regret_curves(made()), log_time=True),
    "boxes": lambda: draw_final_regret(final_regret(made())),
    "share": lambda: draw_best_arm_share(best_arm_share(made())),
    "linear share": lambda: draw_best_arm_share(best_arm_share(made()), log_time=False),
    "scatter": lambda: draw_time_against_regret(
        time_against_regret(*times(), {"RBMLE": (1e-4, 130.0), "UCB": (3e-4, 90.0)}, "UCB")
    ),
    "arms": lambda: draw_time_against_arms(
        time_against_arms(
            [10, 30, 50], {"UCB": [1e-7, 2e-7, 3e-7], "KG": [2e-7, 8e-7, 1e-6]}, {"KG": {10: 1.0}},
            relative_to=None,
        )
    ),
}  # fmt: skip


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


def test_a_bound_far_above_the_curves_is_told_and_not_drawn():
    record = regret_curves(made())
    near = draw_regret_curves(record._replace(constant=3.0))
    far = draw_regret_curves(record._replace(constant=300.0))
    assert "off the scale: c = 300, 2,072 at the end" in far.axes[0].get_title("left")
    assert "off the scale" not in near.axes[0].get_title("left")
    assert near.axes[0].get_ylim()[1] < far.axes[0].get_ylim()[1] * 1.01
    assert "Lower bound" in svg(near)


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


def test_bounds_of_a_result_without_regret_or_with_one_checkpoint_can_be_drawn(tmp_path):
    for result in (made(), made(rounds=(2,), replications=1)):
        object.__setattr__(result, "regret", result.regret * 0.0)
        record = regret_and_bounds(result, {"UCB": bounded_by()})
        save(draw_regret_and_bounds(record), tmp_path / "a.png")


def test_an_adaptive_scheme_is_drawn_with_what_is_on_the_scale():
    near = draw_adaptive(traced()).axes[0]
    title = near.get_title("left")
    assert title == f"The estimate takes over in round {traced().takes_over} (vertical line)"
    assert near.get_ylim()[1] > traced().beta[-1]
    far = draw_adaptive(traced(sigma=1.0), "Far").axes[0]
    assert far.get_title("left").split("\n")[0] == "Far"
    assert "target: means known: 512, off the scale" in far.get_title("left")
    assert {each.get_text() for each in far.texts} == {"beta(t)", "the smaller one governs"}


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


@pytest.mark.parametrize("kind", DRAWN)
def test_names_stand_inside_the_figure_and_cover_no_other(kind):
    figure = DRAWN[kind]()
    assert isinstance(figure, Figure)
    axes = figure.axes[0]
    names = axes.get_yticklabels() if kind == "boxes" else axes.texts
    expected = {
        "scatter": set(STYLES),
        "arms": {"UCB", "KG"},
        "adaptive": {"beta(t)", "the smaller one governs", "target: means known"},
    }.get(kind, set(NAMES))
    assert expected <= {each.get_text() for each in names}
    figure.draw_without_rendering()
    shown = [*names, axes.xaxis.label, axes.yaxis.label]
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        ticks = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
        shown += [tick.label1 for tick in ticks if tick.label1 not in shown]
    shown = [each for each in shown if each.get_text()]
    boxes = [Box(*each.get_window_extent().extents) for each in shown]
    page = Box(0.0, 0.0, figure.bbox.width, figure.bbox.height)
    for i, one in enumerate(boxes):
        area = (one.right - one.left) * (one.top - one.bottom)
        assert one.overlap(page) == pytest.approx(area)
        for j in range(i):
            assert one.overlap(boxes[j]) < 1.0, (shown[i].get_text(), shown[j].get_text())


def test_many_policies_with_long_names_fit():
    names = tuple(f"RBMLE(LogBias(c={i}), boundary='exact', more={i})" for i in range(24))
    figure = draw_regret_curves(regret_curves(made(names)))
    texts = [Box(*each.get_window_extent().extents) for each in figure.axes[0].texts]
    assert max(each.right for each in texts) <= figure.bbox.width
    assert min(each.bottom for each in texts) >= 0
    assert max(each.top for each in texts) <= figure.bbox.height
    assert all(a.overlap(b) < 1.0 for i, a in enumerate(texts) for b in texts[:i])
    assert figure.axes[0].get_window_extent().width > 0.35 * figure.bbox.width


@pytest.mark.parametrize("rounds", [(5,), (2, 3), (10, 100)])
def test_few_checkpoints_and_one_replication_can_be_drawn(rounds, tmp_path):
    result = made(("UCB",), rounds=rounds, replications=1)
    for log_time in (False, True):
        save(draw_regret_curves(regret_curves(result), log_time), tmp_path / "a.png")
        save(draw_best_arm_share(best_arm_share(result), log_time), tmp_path / "b.png")
    save(draw_final_regret(final_regret(result)), tmp_path / "c.png")


def test_no_regret_at_all_can_be_drawn(tmp_path):
    result = made()
    object.__setattr__(result, "regret", result.regret * 0.0)
    for log_time in (False, True):
        save(draw_regret_curves(regret_curves(result), log_time), tmp_path / "a.png")
    save(draw_final_regret(final_regret(result)), tmp_path / "c.png")
    record = time_against_regret(["UCB"], [1e-7], [0.0])
    save(draw_time_against_regret(record), tmp_path / "d.png")


def test_a_simulated_result_is_drawn(tmp_path):
    problem = Problem(Bernoulli(), [0.2, 0.6])
    result = simulate(problem, [RBMLE(), UCB(), UCB(alpha=1.0)], 50, 3)
    drawn = svg(draw_regret_curves(regret_curves(result)))
    assert all(f"policy={name}|line" in drawn for name in result.names)


def test_styles_are_one_a_policy_and_none_twice():
    assert set(STYLES) == {name for name, kind in POLICIES.items() if _ours(kind)}
    assert len({(each.colour, each.dashes) for each in STYLES.values()}) == len(STYLES)
    assert len({(each.marker, each.filled) for each in STYLES.values()}) == len(STYLES)
    many = [*STYLES, "RBMLE(2.0)", "Mine", "Yours", "TS", *(f"Own{i}" for i in range(12))]
    found = styles(many)
    assert len(set(found.values())) == len(many)
    assert found["RBMLE"] == STYLES["RBMLE"] == styles(["RBMLE(LogBias(1.0), 0)"]).popitem()[1]
    assert styles(["Mine"])["Mine"] == styles(["Mine", "UCB"])["Mine"]
    assert styles(["KG*", "BUCB"]) == {"KG*": STYLES["KGStar"], "BUCB": STYLES["BayesUCB"]}


def _ours(kind):
    return kind.__module__.startswith("rbmle.policies")


@pytest.mark.parametrize("suffix", ["svg", "pdf", "png"])
def test_the_same_figure_is_the_same_bytes(tmp_path, suffix):
    begin = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[suffix]
    written = []
    for name in ("a", "B"):
        path = tmp_path / f"{name}.{suffix.upper()}"
        save(DRAWN["log regret"](), path)
        written.append(path.read_bytes())
    assert written[0] == written[1]
    assert written[0].startswith(begin)
    assert len(list(tmp_path.iterdir())) == 2


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
    boxes = place(points, [(40.0, 10.0)] * 6, frame, 4.0)
    for i, box in enumerate(boxes):
        assert box.overlap(frame) == pytest.approx(400.0)
        assert all(box.overlap(other) == 0.0 for other in boxes[:i])
