"""Policies, families and laws by name, in Python as at the command line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rbmle import (
    RBMLE,
    UCB,
    Assuming,
    Bernoulli,
    Decider,
    Discounted,
    FixedDelay,
    Gaussian,
    KGStar,
    Laplace,
    LogBias,
    ParameterError,
    Problem,
    Study,
    ThompsonSampling,
    Window,
    policy_named,
    simulate,
    theory,
)
from rbmle._records.names import split
from rbmle.evidence import as_evidence
from rbmle.policies.fit import as_policy
from rbmle.rewards.delays import as_delay

COINS = Problem(Bernoulli(), [0.3, 0.6])
NAMES = ["rbmle", "ts", "ucb(alpha=1)"]
RECORDS = [RBMLE(), ThompsonSampling(), UCB(1.0)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ucb", UCB()),
        (" UCB ( alpha = 1 ) ", UCB(1.0)),
        ("kg*(form=published)", KGStar("published")),
        ("rbmle(alpha=2, boundary='corollary')", RBMLE(2.0, "corollary")),
        ("rbmle(boundary=corollary, alpha=logbias(c=2))", RBMLE(LogBias(2.0), "corollary")),
    ],
)
def test_a_text_names_a_record(text: str, expected: Any) -> None:
    found = as_policy(text)
    assert type(found) is type(expected)
    assert found == expected


def test_commas_inside_parentheses_divide_nothing() -> None:
    text = "rbmle(boundary=exact, alpha=logbias(c=2)), ucb,, ts"
    assert split(text) == ["rbmle(boundary=exact, alpha=logbias(c=2))", "ucb", "ts"]


def test_simulate_plays_what_is_named() -> None:
    named = simulate(Problem("bernoulli", [0.3, 0.6]), NAMES, 60, 3)
    given = simulate(COINS, RECORDS, 60, 3)
    assert named.policies == given.policies
    assert named.names == given.names
    assert named.problem == given.problem
    assert np.array_equal(named.regret, given.regret)
    labelled = simulate(COINS, {"mine": "ucb(alpha=1)"}, 60, 3)
    assert labelled.names == ("mine",)
    assert labelled.policies == (UCB(1.0),)
    assert np.array_equal(labelled.regret[0], given.regret[2])


def test_a_family_is_named() -> None:
    problem = Problem("laplace(scale=1)", [0.0, 1.0])
    assert problem == Problem(Laplace(1.0), [0.0, 1.0])
    named = simulate(
        problem, ["ucb", Assuming("ucb", "gaussian")], 20, 1, family="gaussian(sigma=2)"
    )
    assert named.families == (Gaussian(2.0), Gaussian())
    assert theory.lai_robbins(COINS, "bernoulli") == theory.lai_robbins(COINS)


def test_the_first_parameter_of_evidence_and_of_a_delay_needs_no_name() -> None:
    """As the help of the command line writes them."""
    assert as_evidence("window(500)", "simulate") == Window(500)
    assert as_evidence("discounted(0.9)", "simulate") == Discounted(0.9)
    assert as_delay("fixeddelay(100)", "simulate") == FixedDelay(100)


def test_a_study_says_the_same_by_names() -> None:
    given = Study(COINS, RECORDS, 100, 5)
    named = Study(Problem("Bernoulli", [0.3, 0.6]), NAMES, 100, 5)
    assert (named, named.digest) == (given, given.digest)
    labels = ["a", "b", "c"]
    given = Study(COINS, dict(zip(labels, RECORDS, strict=True)), 100, 5)
    named = Study(COINS, dict(zip(labels, NAMES, strict=True)), 100, 5)
    assert (named, named.digest) == (given, given.digest)
    assert named == Study.from_dict(named.to_dict())


def test_a_decider_plays_what_is_named() -> None:
    named = Decider(["a", "b"], "ucb(alpha=1)", "bernoulli", seed=3)
    assert (named.policy, named.family) == (UCB(1.0), Bernoulli())
    assert repr(named) == repr(Decider(["a", "b"], UCB(1.0), Bernoulli(), seed=3))


def test_a_class_is_found_by_the_papers_name() -> None:
    assert policy_named("ts") is ThompsonSampling


UNKNOWN = {
    "simulate: 'policies' must .*Got 'ubc'.*'UCB'": lambda: simulate(COINS, ["ubc"], 60, 3),
    "simulate: 'policies' must .*'RBMLE'": lambda: simulate(COINS, {"a": "rbml"}, 60, 3),
    "simulate: 'family' must .*'Gaussian'": lambda: simulate(COINS, ["ucb"], 60, 3, family="gaus"),
    "Study: 'policies' must .*'UCB'": lambda: Study(COINS, ["ubc"], 60, 3),
    "Assuming: 'policy' must .*'UCB'": lambda: Assuming("ubc", "gaussian"),
    "Assuming: 'family' must .*'Gaussian'": lambda: Assuming("ucb", "gausian"),
    "Decider: 'policy' must .*'UCB'": lambda: Decider(["a", "b"], "ubc", "bernoulli"),
    "Decider: 'family' must .*'Bernoulli'": lambda: Decider(["a", "b"], "ucb", "bernouli"),
    "Problem: 'law' must .*'Laplace'": lambda: Problem("laplac", [0.3, 0.6]),
    "UCB: 'parameter' must .*'alpha'": lambda: simulate(COINS, ["ucb(alhpa=1)"], 60, 3),
}


def test_a_class_without_parameters_says_so() -> None:
    with pytest.raises(ParameterError, match=r"^IMED: takes no parameters\. Got 'c'\.$"):
        simulate(COINS, ["imed(c=1)"], 60, 3)


@pytest.mark.parametrize("sentence", UNKNOWN)
def test_unknown_names_suggest_the_nearest(sentence: str) -> None:
    with pytest.raises(ParameterError, match=rf"^{sentence}\?$"):
        UNKNOWN[sentence]()


@pytest.mark.parametrize("text", ["", " ", "ucb(", "(alpha=1)", "a b"])
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match=r"^simulate: 'policies' must be a name[^\n]+\. Got '"):
        simulate(COINS, [text], 60, 3)


@pytest.mark.parametrize("text", ["ucb(1)", "ucb(alpha)", "ucb(alpha=1, alpha=2)", "ucb(name=1)"])
def test_parameters_are_named_once(text: str) -> None:
    with pytest.raises(
        ParameterError, match=r"^ucb: 'parameter' must be (as in alpha=1|given once)"
    ):
        simulate(COINS, [text], 60, 3)


CLASSES = {
    "Assuming: 'policy'.*UCB": lambda: Assuming(UCB, Gaussian()),
    "Assuming: 'family'.*Gaussian": lambda: Assuming(UCB(), Gaussian),
    "simulate: 'policies'.*UCB": lambda: simulate(COINS, [UCB], 60, 3),
    "simulate: 'family'.*Gaussian": lambda: simulate(COINS, [UCB()], 60, 3, family=Gaussian),
    "Study: 'policies'.*UCB": lambda: Study(COINS, {"a": UCB}, 60, 3),
    "Decider: 'policy'.*UCB": lambda: Decider(["a", "b"], UCB, Bernoulli()),
    "Decider: 'family'.*Bernoulli": lambda: Decider(["a", "b"], UCB(), Bernoulli),
    "Problem: 'law'.*Bernoulli": lambda: Problem(Bernoulli, [0.3, 0.6]),
}


@pytest.mark.parametrize("sentence", CLASSES)
def test_a_class_in_place_of_an_instance_is_refused(sentence: str) -> None:
    parameter, name = sentence.split(".*")
    told = rf"^{parameter} must be written with parentheses, {name}\(\)\. Got the class {name}\.$"
    with pytest.raises(ParameterError, match=told):
        CLASSES[sentence]()
