"""Drawings: labels cover nothing, nothing is left out, and the same record gives the same bytes."""

import pytest
from figure_cases import DRAWN, NAMES, bounded_by, made, times, traced
from matplotlib.figure import Figure
from tiers import tiered

from rbmle import (
    RBMLE,
    UCB,
    Bernoulli,
    Problem,
    simulate,
)
from rbmle.figures import (
    best_arm_share,
    draw_adaptive,
    draw_best_arm_share,
    draw_final_regret,
    draw_regret_and_bounds,
    draw_regret_curves,
    draw_time_against_regret,
    final_regret,
    regret_and_bounds,
    regret_curves,
    save,
    svg,
    time_against_regret,
)
from rbmle.figures.labels import Box


def test_a_bound_far_above_the_curves_is_told_and_not_drawn():
    record = regret_curves(made())
    near = draw_regret_curves(record._replace(constant=3.0))
    far = draw_regret_curves(record._replace(constant=300.0))
    assert "off the scale: c = 300, 2,072 at the end" in far.axes[0].get_title("left")
    assert "off the scale" not in near.axes[0].get_title("left")
    assert near.axes[0].get_ylim()[1] < far.axes[0].get_ylim()[1] * 1.01
    assert "Lower bound" in svg(near)


def test_bounds_of_a_result_without_regret_or_with_one_checkpoint_can_be_drawn(tmp_path):
    for result in (made(), made(rounds=(2,), replications=1)):
        object.__setattr__(result, "regret", result.regret * 0.0)
        record = regret_and_bounds(result, {"UCB": bounded_by()})
        save(draw_regret_and_bounds(record), tmp_path / "a.png")


@pytest.mark.slow
def test_an_adaptive_scheme_is_drawn_with_what_is_on_the_scale():
    near = draw_adaptive(traced()).axes[0]
    title = near.get_title("left")
    assert title == f"The estimate takes over in round {traced().takes_over} (vertical line)"
    assert near.get_ylim()[1] > traced().beta[-1]
    far = draw_adaptive(traced(sigma=1.0), "Far").axes[0]
    assert far.get_title("left").split("\n")[0] == "Far"
    assert "target: means known: 512, off the scale" in far.get_title("left")
    assert {each.get_text() for each in far.texts} == {"beta(t)", "the smaller one governs"}


@pytest.mark.parametrize("kind", tiered(DRAWN, lambda kind: kind != "adaptive"))
def test_names_stand_inside_the_figure_and_cover_no_other(kind):
    figure = DRAWN[kind]()
    assert isinstance(figure, Figure)
    axes = figure.axes[0]
    names = axes.get_yticklabels() if kind == "boxes" else axes.texts
    expected = {
        "scatter": set(times()[0]),
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
