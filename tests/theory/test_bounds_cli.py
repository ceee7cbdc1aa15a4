"""`rbmle bounds`, and the theory in reports."""

import json
from math import log

import pytest

from rbmle import RBMLE, UCB, Assuming, Bernoulli, Gaussian, Problem, Study, Uniform, theory
from rbmle.cli.main import run
from rbmle.engine import simulate
from rbmle.paper.demonstration import store_demonstration, stored_demonstration
from rbmle.reports.content import Report
from rbmle.reports.paper_report import theory_section
from rbmle.reports.report_page import render
from rbmle.reports.study_report import regret_bounds_of, study_report
from rbmle.studies.runner import run as run_study


def said(capsys, *arguments, code=0):
    assert run(["bounds", *map(str, arguments)]) == code
    captured = capsys.readouterr()
    assert "\x1b" not in captured.out + captured.err
    return captured.err if code else captured.out


def test_the_command_says_what_the_functions_say(capsys):
    data = json.loads(said(capsys, "bernoulli", 0.4, 0.6, "--epsilon", 0.25, "--json"))
    problem = Problem(Bernoulli(), [0.4, 0.6])
    assert data["lai_robbins"]["constant"] == theory.lai_robbins(problem)
    assert data["lai_robbins"]["at_horizon"] == theory.lai_robbins(problem) * log(10_000)
    entries = {(each["proposition"], each["sharp"]): each for each in data["propositions"]}
    assert len(entries) == 9
    for (proposition, sharp), entry in entries.items():
        if proposition == 3:
            assert entry["obstacle"] == theory.applicable(problem)[3]
        elif proposition == 6:
            assert entry["wait"] == entry["bound"] == "inf"
            assert entry["log_wait"] > 1000
        else:
            c = theory.smallest_c_alpha(problem, proposition, 0.25, sharp=sharp)
            bound = theory.regret_bound(problem, 10_000, proposition, epsilon=0.25, sharp=sharp)
            assert (entry["c_alpha"], entry["bound"]) == (c, bound.total)
            assert (entry["slope"], entry["constant"]) == (bound.slope, bound.constant)
            assert entry["informative"] == bound.informative


def test_the_table_has_every_proposition_that_applies_and_says_why_others_do_not(capsys):
    shown = said(capsys, "bernoulli", 0.4, 0.6, "--horizon", 10000)
    rows = {line.split(":")[0]: line for line in shown.splitlines() if line[:1].isdigit()}
    assert list(rows) == ["2", "2 sharp", "4", "4 sharp", "5", "5 sharp", "6"]
    assert "not informative" in rows["2"]
    assert " informative" in rows["2 sharp"]
    assert "2.466 log T" in shown
    assert "Proposition 3: 'problem' must be one with Gaussian rewards." in shown


def test_lower_family_and_caution(capsys):
    shown = said(capsys, "exponential", 1.0, 0.2, "--lower", 0.1)
    assert "2: exponential families" in shown
    assert "Proposition 5 can fail with 'lower' above the least reward." in shown
    assert "can fail" not in said(capsys, "exponential", 1.0, 0.2)
    shown = said(capsys, "uniform(width=0.4)", 0.3, 0.75)
    assert "Lai-Robbins: 'family' must be given" in shown
    shown = said(capsys, "uniform(width=0.4)", 0.3, 0.75, "--family", "poisson")
    assert "Lai-Robbins, Poisson() rewards" in shown
    assert "5: sub-Exponential" in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bernoulli", 0.4, 0.4], "'means' must be numbers with one best arm, a gap above 0."),
        (["bernoulli", 0.0, 0.4], "'means' must be inside (0, 1) for Bernoulli"),
        (["bernoulli", 0.4, 1.4], "[0, 1]"),
        (["bernoulli", 0.4], "'means' must be a list of 2"),
        (["bernoulli", 0.2, 0.4, "--horizon", 1], "'horizon' must be a whole number in [2, inf)."),
        (["bernoulli", 0.2, 0.4, "--epsilon", 1], "'epsilon' must be a number in (0, 1)."),
        (["bernoulli", 0.2, 0.4, "--epsilon", 0], "'epsilon' must be a number in (0, 1)."),
        (["bernoulli", 0.2, 0.4, "--lower", 0.3], "'lower' must be a number in [0, 0.2]."),
        (["bernouli", 0.2, 0.4], "Did you mean 'Bernoulli'?"),
        (["bernoulli", 0.2, 0.4, "--family", "poison"], "Did you mean 'Poisson'?"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(capsys, arguments, words):
    message = said(capsys, *arguments, code=2)
    assert message.startswith("rbmle: ")
    assert message.count("\n") == 1
    assert words in message


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::rbmle.errors.FamilyWarning")  # a bound holds all the same
def test_policies_with_a_large_enough_constant_have_a_bound():
    problem = Problem(Bernoulli(), [0.9, 0.1])
    enough, few = theory.smallest_c_alpha(problem, 2, 0.95, sharp=True), RBMLE(0.5)
    policies = [
        RBMLE(1.01 * enough), few, RBMLE(), UCB(), RBMLE(50.0, "corollary"),
        Assuming(RBMLE(50.0), Gaussian()),
    ]  # fmt: skip
    result = simulate(problem, policies, 100, 2)
    found = regret_bounds_of(result)
    assert set(found) == {result.names[0], result.names[5]}
    assert found[result.names[0]].proposition == 2
    assert found[result.names[5]].proposition in (4, 5)  # of the Gaussian index
    best = min(
        theory.regret_bound(problem, 100, 2, 50.0, e / 20).total for e in range(1, 20)
    )  # any epsilon is allowed, so that the least bound holds
    [bound] = regret_bounds_of(simulate(problem, [RBMLE(50.0)], 100, 2)).values()
    assert bound.total == best
    assert not regret_bounds_of(simulate(Problem(Bernoulli(), [0.5, 0.5]), [RBMLE(50.0)], 100, 2))


@pytest.mark.slow
def test_a_request_is_drawn_with_the_proposition_it_names(tmp_path):
    study = Study(
        {"coins": Problem(Bernoulli(), [0.9, 0.1]), "flat": Problem(Uniform(0.4), [0.3, 0.75])},
        {"asked": theory.Theoretical(4, sharp=True), "UCB": Assuming(UCB(), Gaussian())},
        horizon=200,
        replications=3,
    )
    result = run_study(study)
    for each in result.results.values():
        bound = regret_bounds_of(each, study.policies)["asked"]
        assert bound.proposition == 4
        assert each.regret[0].mean(axis=0)[-1] < bound.total
    study_report(result, tmp_path / "page.html", "test", {})
    page = (tmp_path / "page.html").read_text()
    assert page.count("Regret beside its upper bound") >= 2
    assert page.count('data-part="bound"') == 2


@pytest.mark.slow
def test_the_papers_report_has_a_section_on_the_theory(tmp_path):
    assert stored_demonstration(tmp_path) is None
    store_demonstration(tmp_path)
    section = theory_section(stored_demonstration(tmp_path))
    assert len(section.figures) == 4
    assert [row[1] for row in section.table.rows] == [54, 3521, 4616]
    page = render(Report("Theory", "test", sections=[section]))
    assert "Regret beside its upper bound" in page
    assert "Algorithm 3" in page
