"""`Result.plot`, `plot_box` and `plot_shares`: pictures in a notebook, axes, files."""

import io

import numpy as np
import pytest
from figure_cases import NAMES, made
from matplotlib.figure import Figure
from matplotlib.image import imread

from rbmle import ParameterError
from rbmle.figures import final_regret, regret_curves, svg
from rbmle.figures.style import STYLES

KINDS = ("plot", "plot_box", "plot_shares")


def drawn_names(figure):
    axes = figure.axes[0]
    return {each.get_text() for each in (*axes.texts, *axes.get_yticklabels())}


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_shows_a_picture(kind):
    figure = getattr(made(), kind)()
    picture = imread(io.BytesIO(figure._repr_png_()), format="png")
    assert min(picture.shape[:2]) > 200
    assert picture[:, :, :3].std() > 0.01  # not one blank sheet
    assert "<svg" in figure._repr_svg_()


@pytest.mark.parametrize("kind", KINDS)
def test_ipython_gives_the_picture_to_the_notebook(kind):
    formatters = pytest.importorskip("IPython.core.formatters")
    shown, _ = formatters.DisplayFormatter().format(getattr(made(), kind)())
    assert shown["image/png"].startswith(b"\x89PNG")


@pytest.mark.parametrize("kind", KINDS)
def test_a_tight_bounding_box_cuts_no_name(kind):
    figure = getattr(made(("A policy with a name of its own", "UCB", "Mine")), kind)()
    figure.draw_without_rendering()
    tight = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    dots = figure.dpi
    axes = figure.axes[0]
    for text in (*axes.texts, *axes.get_yticklabels()):
        box = text.get_window_extent()
        assert tight.x0 * dots <= box.x0 + 1
        assert box.x1 <= tight.x1 * dots + 1
    assert tight.x1 <= width + 0.1
    assert tight.y1 <= height + 0.1


def test_which_policies_are_shown_is_chosen_and_changes_no_colour():
    result = made(("Own", "UCB(1)", "UCB(2)"))
    for kind in KINDS:
        figure = getattr(result, kind)(policies=["UCB(2)", 0])
        assert {"Own", "UCB(2)"} <= drawn_names(figure)
        assert "UCB(1)" not in drawn_names(figure)
    whole, some = (
        {
            line.get_gid(): line.get_color()
            for line in result.plot(policies=each).axes[0].lines
            if str(line.get_gid()).endswith("|line")
        }
        for each in (None, ["UCB(2)"])
    )
    assert some == {"policy=UCB(2)|line": whole["policy=UCB(2)|line"]}
    assert drawn_names(result.plot(policies="UCB(1)")) >= {"UCB(1)"}
    for wrong, said in (
        ("UBC(1)", "Did you mean"),
        ([], "some of"),
        ([3], "whole number"),
    ):
        with pytest.raises(ParameterError, match=said):
            result.plot(policies=wrong)


def test_axes_may_be_linear_or_log():
    result = made()
    for log_time in (False, True):
        for log_regret in (False, True):
            axes = result.plot(log_time=log_time, log_regret=log_regret).axes[0]
            scales = (axes.get_xscale(), axes.get_yscale())
            assert scales == tuple("log" if each else "linear" for each in (log_time, log_regret))
    assert result.plot_box(log_regret=True).axes[0].get_xscale() == "log"
    assert result.plot_box(log_regret=False).axes[0].get_xscale() == "linear"
    assert result.plot_shares(log_time=False).axes[0].get_xscale() == "linear"


def test_bounds_may_be_left_out():
    result = made(problem=None)
    assert regret_curves(result).constant is not None
    assert regret_curves(result, lower_bound=False).constant is None
    near = made(rounds=(10, 100, 100_000))
    assert "Lower bound c log t" in drawn_names(near.plot())
    assert "Lower bound c log t" not in drawn_names(near.plot(bounds=False))


@pytest.mark.parametrize("kind", KINDS)
def test_it_draws_into_axes_that_are_given(kind):
    figure = Figure(figsize=(8.0, 3.0))
    left, right = figure.subplots(1, 2)
    before = left.get_position().bounds, right.get_position().bounds
    assert getattr(made(), kind)(ax=right) is right
    assert not left.lines
    assert not left.texts
    assert right.lines
    assert (left.get_position().bounds, right.get_position().bounds) == before
    if kind != "plot_box":
        assert {each.get_text() for each in right.get_legend().get_texts()} >= set(NAMES)


@pytest.mark.parametrize("kind", KINDS)
def test_it_writes_files(kind, tmp_path):
    figure = getattr(made(), kind)(path=tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    axes = Figure().subplots()
    getattr(made(), kind)(ax=axes, path=tmp_path / "b.svg")
    assert "<svg" in (tmp_path / "b.svg").read_text()
    assert svg(figure)
    with pytest.raises(ParameterError, match="a name that ends in"):
        getattr(made(), kind)(path=tmp_path / "a.gif")


def test_a_log_axis_where_a_linear_one_would_flatten_half_of_the_curves():
    result = made(("UCB", "KG", "KGMN"))
    assert not regret_curves(result).log
    factors = np.array([1.0, 1.0, 30.0])[:, None, None]
    object.__setattr__(result, "regret", result.regret * factors)
    assert regret_curves(result).log
    assert result.plot().axes[0].get_yscale() == "log"
    assert result.plot(log_regret=False).axes[0].get_yscale() == "linear"


def test_heavy_tails_are_not_squashed():
    result = made(("UCB", "KG"), replications=100)
    regret = 10.0 + result.regret * 0.01
    regret[1, 0] *= 100.0
    object.__setattr__(result, "regret", regret)
    assert final_regret(result).log
    regret[0, 3] = 0.0  # then the axis is linear near 0, and shows the others apart
    axes = result.plot_box().axes[0]
    assert axes.get_xscale() == "asinh"
    at = axes.transAxes.inverted().transform(axes.transData.transform([(10.0, 0.0), (20.0, 0.0)]))
    assert at[1, 0] - at[0, 0] > 0.05


def test_one_policy_has_one_style_in_every_figure_and_order():
    names = ("UCB(alpha=2.0)", "UCB(alpha=1.0)", "Mine", "RBMLE")
    colours = []
    for order in (names, names[::-1]):
        result = made(order)
        lines = result.plot().axes[0].lines
        found = {each.get_gid(): each.get_color() for each in lines}
        boxes = result.plot_box().axes[0]
        shown = [each.get_text() for each in boxes.get_yticklabels()]
        for name, patch in zip(shown, boxes.patches, strict=True):
            red, green, blue, _ = (round(255 * each) for each in patch.get_facecolor())
            assert f"#{red:02x}{green:02x}{blue:02x}" == found[f"policy={name}|line"]
        colours.append({name: found[f"policy={name}|line"] for name in names})
    assert colours[0] == colours[1]
    assert colours[0]["RBMLE"] == STYLES["RBMLE"].colour
