"""`python -m benchmarks`: both sides of a comparison do the same work; targets are judged."""

import json
import shutil

import numpy as np
import pytest

from benchmarks.sections import command, ids_exact, yardstick
from benchmarks.sections.footprint import LONG, checkpoints, study
from benchmarks.sections.ids_reference import SampledIDS, least_ratio_on_grid
from benchmarks.sections.ids_samples import errors, statistics
from benchmarks.sections.references import CASES, against_loop
from benchmarks.sections.table import (
    BenchTable,
    Effort,
    Line,
    Turns,
    UnavailableError,
    by_turns,
    choosing_by_turns,
)
from benchmarks.sections.threads import identical, play_on
from benchmarks.sections.timed_problems import COINS
from rbmle.cli.main import run
from rbmle.engine import rounds_kept, simulate
from rbmle.policies import IDS, POLICIES, UCB, VIDS
from rbmle.rewards.sources import RewardStream
from rbmle.timing import Recording

QUICK = Turns(ours=(2.0, 1.0, 4.0), reference=(3.0, 4.0, 8.0))
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not on the PATH")


@pytest.mark.pairs
@needs_gcc
def test_c_and_ours_have_the_same_regret():
    with yardstick.library() as built:
        for case in yardstick.CASES:
            ours = yardstick.play_ours(case, 3_000, 4)
            assert np.array_equal(ours, yardstick.play_in_c(built, case, 3_000, 4)), case.name
            assert len(np.unique(ours)) > 1


@pytest.mark.pairs
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_usual_loops_agree_with_ours_in_the_mean_regret(case):
    name, policy, loop, _ = case
    line = against_loop(name, policy, loop, replications=30, horizon=1_000, repeats=3)
    assert line.holds, line.check


@pytest.mark.pairs
def test_a_loop_that_plays_something_else_is_found_out():
    def idle(means, horizon, replications, seed):
        return np.random.default_rng(seed).normal(horizon * means.std(), 1.0, replications)

    line = against_loop("idle", UCB(), idle, replications=30, horizon=1_000, repeats=2)
    assert line.met is False
    assert "DIFFER" in line.check


@pytest.mark.pairs
def test_choices_are_those_of_a_simulation():
    """The timed run chooses as `simulate` does; tests/choosers compares that with the scan."""
    result = simulate(COINS, [UCB()], 500, 1, RewardStream(3))
    run = Recording(UCB(), COINS, horizon=500, seed=3)
    assert np.array_equal(np.bincount(run.chosen, minlength=10), result.pulls[0, 0])


@pytest.mark.pairs
@pytest.mark.parametrize(
    ("rule", "variance"), [(IDS(), False), (VIDS(), True)], ids=["IDS", "VIDS"]
)
def test_information_ratios_of_ours_the_reference_and_the_exact_one(rule, variance):
    run = Recording(UCB(), COINS, horizon=300)
    for t in (20, 300):
        _, relative = errors(rule, variance, *statistics(run, t))
        assert relative < 1e-9
    pulls, heads = statistics(run, 300)
    exact = ids_exact.regret_and_information(pulls, heads, variance)
    shape = (COINS.n_arms, 400_000)
    drawn = np.random.default_rng(1).beta(1 + heads, 1 + pulls - heads, shape[::-1]).T
    found = []
    for pairwise in (True, False):
        reference = SampledIDS(COINS.n_arms, variance, pairwise, seed=1)
        reference.samples = drawn
        found.append(reference.regret_and_information())
        assert least_ratio_on_grid(*exact, pairwise)[3] == pytest.approx(
            ids_exact.exact_least_ratio(*exact), rel=1e-4
        )
    np.testing.assert_allclose(*found, rtol=1e-9)
    # Means of samples whose deviation is 0.15 at most; information is quadratic in such means.
    error = 4.5 * 0.15 / np.sqrt(shape[1])
    np.testing.assert_allclose(found[0][0], exact[0], atol=error)
    assert np.all(np.abs(found[0][1] - exact[1]) < 3.0 * error * np.sqrt(exact[1]) + 1e-6)


def test_binomial_sums_are_beta_distributions():
    """The distribution function of Beta(a, 1) is x^a; a mean is the integral of x times the
    density."""
    np.testing.assert_allclose(ids_exact.below(5, 1), ids_exact.X**5, rtol=1e-12)
    weights = ids_exact.W * ids_exact.density(40, 9)
    np.testing.assert_allclose([weights.sum(), weights @ ids_exact.X], [1.0, 40 / 49], rtol=1e-12)


@pytest.mark.pairs
def test_threads_are_compared_number_by_number():
    one, two = play_on(1, 2), play_on(2, 2)
    assert identical(one, two)
    two.pulls[0, 0, 0] += 1
    assert not identical(one, two)


@pytest.mark.pairs
def test_the_study_whose_memory_is_measured():
    kept = checkpoints(200)
    assert len(set(kept)) == rounds_kept(None, LONG).size
    assert (min(kept), max(kept)) == (1, 200)
    ours = [each for each in POLICIES.values() if each.__module__.startswith("rbmle.")]
    assert len(study(200, 1).policies) == len(ours)


def test_a_ratio_is_that_of_the_quickest_and_its_spread_that_of_the_turns():
    slow, fast = Line.slowdown("a", QUICK), Line.speedup("a", QUICK)
    assert (slow.ratio, slow.least, slow.largest) == (1 / 3, 1 / 4, 2 / 3)
    assert (fast.ratio, fast.least, fast.largest) == (3.0, 1.5, 4.0)


@pytest.mark.pairs
def test_what_learning_takes_is_subtracted_once():
    """The fastest replay without choosing is subtracted, so that a slow one cannot make choosing
    look free."""
    run = Recording(UCB(), COINS, horizon=100)
    np.testing.assert_allclose(run.per_decision([5.0, 3.0], [1.0, 4.0]), [0.04, 0.02])
    turns = choosing_by_turns(run, run, 3)
    assert [len(each) for each in turns] == [3, 3]
    assert min(*turns.ours, *turns.reference) > 0.0


def test_turns_alternate():
    calls = []
    turns = by_turns(lambda: calls.append("a") or 1.0, lambda: calls.append("b") or 2.0, 2)
    assert calls == ["a", "b", "a", "b"]
    assert turns == Turns((1.0, 1.0), (2.0, 2.0))


@pytest.mark.parametrize(
    ("more", "target", "met"),
    [
        ({}, "", None),
        ({"holds": False}, "", False),
        ({"at_most": 3.0}, "<= 3", True),
        ({"at_most": 2.9}, "<= 2.9", False),
        ({"at_least": 3.0}, ">= 3", True),
        ({"at_least": 3.1}, ">= 3.1", False),
        ({"at_least": 1.0, "holds": False}, ">= 1", False),
    ],
)
def test_a_target_is_met_if_the_ratio_is_within_it_and_the_check_holds(more, target, met):
    line = Line.speedup("a", QUICK, **more)
    assert (line.target, line.met) == (target, met)
    assert line.data()["met"] is met


def stub(ratio):
    def section(effort):
        line = Line.slowdown("[x]", Turns((ratio,), (1.0,)), at_most=1.0, check="as it was")
        return BenchTable("title", "ours", "theirs", "ratio", (line,), ("a note",))

    return section


def unavailable(effort):
    raise UnavailableError("bench: 'limit' needs something.")


@pytest.fixture
def stubs(monkeypatch):
    for name in command.SECTIONS:
        monkeypatch.setitem(command.SECTIONS, name, stub(0.5))


def said(capsys, *arguments, code=0):
    assert run(list(map(str, arguments)), command.app) == code
    return capsys.readouterr()


def test_json_has_every_section(capsys, stubs):
    data = json.loads(said(capsys, "--json", "--check").out)
    assert list(data["sections"]) == list(command.SECTIONS)
    assert data["sections"]["limit"]["lines"][0]["met"] is True
    assert data["effort"] == {"repeats": 5, "quick": False}
    assert data["machine"]["cpus"] >= 1


def test_the_table_says_what_is_met_and_what_is_missed(capsys, stubs, monkeypatch):
    monkeypatch.setitem(command.SECTIONS, "ids", stub(1.5))
    shown = said(capsys, "--only", "limit, ids", "--check", code=1).out
    assert "<= 1 met" in shown
    assert "<= 1 MISSED" in shown
    assert "a note" in shown
    said(capsys, "--only", "ids")


def test_what_cannot_be_measured_is_said_and_the_rest_goes_on(capsys, stubs, monkeypatch):
    monkeypatch.setitem(command.SECTIONS, "limit", unavailable)
    assert "needs something" in said(capsys).out
    data = json.loads(said(capsys, "--json", "--check", code=1).out)
    assert data["sections"]["limit"] == {"cannot": "bench: 'limit' needs something."}
    error = said(capsys, "--only", "limit", code=2).err
    assert error == "rbmle: bench: 'limit' needs something.\n"


def test_without_gcc_the_limit_is_one_line_and_exit_code_2(capsys, monkeypatch):
    monkeypatch.setattr(yardstick.shutil, "which", lambda name: None)
    error = said(capsys, "--only", "limit", code=2).err
    assert error == "rbmle: bench: 'limit' needs gcc, which is not on the PATH.\n"


@pytest.mark.pairs
def test_the_cluster_from_end_to_end(capsys):
    shown = said(capsys, "--only", "cluster", "--quick", "--repeats", 1, "--json").out
    speed, _, cost = json.loads(shown)["sections"]["cluster"]["lines"]
    assert (speed["check"], speed["holds"]) == ("shards identical", True)
    assert speed["at_least"] == 1.8
    assert 0.0 < cost["ours"] < cost["reference"] == 1.0


@pytest.mark.pairs
@needs_gcc
def test_a_section_from_end_to_end(capsys):
    shown = said(capsys, "--only", "limit", "--quick", "--repeats", 1, "--json").out
    (section,) = json.loads(shown)["sections"].values()
    assert len(section["lines"]) == len(yardstick.CASES)
    assert all("equal" in line["check"] for line in section["lines"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--only", "nonsense"], "'--only' must be one of 'limit', "),
        (["--only", "limits"], "Did you mean 'limit'?"),
        (["--only", ""], "'--only' must not be empty"),
        (["--only", ",,"], "'--only' must be names, with commas. Got ',,'"),
        (["--only", "speed"], "speed"),
        (["--only", "limit", "--repeats", "0"], "Got 0"),
        (["--repeats", "-1"], "Got -1"),
        (["--repeats", "0"], "'--repeats' must be a whole number in [1, inf). Got 0."),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(capsys, arguments, words):
    error = said(capsys, *arguments, code=2).err
    assert error.count("\n") == 1
    assert words in error


def test_an_effort_is_whole_or_quick():
    assert Effort().size(10, 2) == 10
    assert Effort(quick=True).size(10, 2) == 2
