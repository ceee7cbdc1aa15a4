"""Policies, families and laws by name, in Python as at the command line."""

from __future__ import annotations

import re
from collections import ChainMap
from typing import Any, NamedTuple

import numpy as np
import pytest

from rbmle import (
    KLUCB,
    POLICIES,
    RBMLE,
    UCB,
    Assuming,
    Bernoulli,
    Binomial,
    Decider,
    DefinitionError,
    Discounted,
    FixedDelay,
    Gaussian,
    KGStar,
    Laplace,
    LogBias,
    ParameterError,
    Problem,
    Study,
    TableDelay,
    ThompsonSampling,
    Window,
    policy_named,
    simulate,
    theory,
)
from rbmle._records.names import COMBINATIONS, split
from rbmle._records.record import KNOWN, is_package, register
from rbmle.evidence import as_evidence
from rbmle.policies.fit import as_family, as_policy
from rbmle.rewards.delays import as_delay
from rbmle.spec import STAND_INS, as_record, from_spec, to_spec

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
        ("ucb(1)", UCB(1.0)),
        ("kg*(published)", KGStar("published")),
        ("rbmle(logbias(2), boundary=corollary)", RBMLE(LogBias(2.0), "corollary")),
        ("rbmle(2, corollary)", RBMLE(2.0, "corollary")),
        ("thompson", ThompsonSampling()),
        ("Thompson-Sampling", ThompsonSampling()),
        ("kl_ucb", KLUCB()),
        ("ucb1", UCB()),
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


def test_the_first_parameter_needs_no_name() -> None:
    """As the help of the command line writes them."""
    assert as_evidence("window(500)", "simulate") == Window(500)
    assert as_evidence("discounted(0.9)", "simulate") == Discounted(0.9)
    assert as_delay("fixeddelay(100, lost=0.1)", "simulate") == FixedDelay(100, 0.1)
    assert as_delay("tabledelay([0, 5])", "simulate") == TableDelay([0, 5])
    assert as_family("binomial(10)") == Binomial(10)
    assert Problem("normal(2)", [0.0, 1.0]) == Problem(Gaussian(2.0), [0.0, 1.0])


def test_every_record_takes_its_first_parameter_without_a_name() -> None:
    tried = 0
    for name, kind in ChainMap(KNOWN, STAND_INS).items():
        values: Any = kind
        first = next(iter(values._fields), None)
        if first not in values._field_defaults or not is_package(kind):
            continue
        given = to_spec(values()).get(first)
        if isinstance(given, (int, float, str)):
            tried += 1
            assert from_spec(f"{name.lower()}({given})") == values(), name
    assert tried > 20


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
    "UCB: takes the parameters 'alpha'. Got .*'alpha'": lambda: simulate(
        COINS, ["ucb(alhpa=1)"], 60, 3
    ),
}


def test_a_class_without_parameters_says_so() -> None:
    with pytest.raises(ParameterError, match=r"^IMED: takes no parameters\. Got \(c=1\)\.$"):
        simulate(COINS, ["imed(c=1)"], 60, 3)
    with pytest.raises(ParameterError, match=r"^imed: takes no parameters\. Got '1'\.$"):
        simulate(COINS, ["imed(1)"], 60, 3)


@pytest.mark.parametrize("sentence", UNKNOWN)
def test_unknown_names_suggest_the_nearest(sentence: str) -> None:
    with pytest.raises(ParameterError, match=rf"^{sentence}\?$"):
        UNKNOWN[sentence]()


@pytest.mark.parametrize("text", ["softmax", "normal", "linear", "random", "boltzmann"])
def test_what_is_like_no_policy_suggests_none(text: str) -> None:
    ours = {name: kind for name, kind in POLICIES.items() if is_package(kind)}
    with pytest.raises(ParameterError, match=rf"'GPUCBTuned'[^.]*\. Got '{text}'\.$"):
        as_record(text, ours, "simulate", "policies")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("linucb", "LinUCB is UCB with evidence=Linear(d)."),
        ("Lin-UCB", "LinUCB is UCB with evidence=Linear(d)."),
        ("linrbmle", "LinRBMLE is RBMLE(RootBias()) with evidence=Linear(d)."),
        ("sw-ucb", "SWUCB is UCB with evidence=Window(1000)."),
    ],
)
def test_a_name_of_the_literature_says_what_it_is(text: str, sentence: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(sentence) + "$"):
        simulate(COINS, [text], 60, 3)
    with pytest.raises(ParameterError, match=rf"'Poisson'[^.]*\. Got '{text}'\.$"):
        as_family(text)


def test_what_a_name_of_the_literature_is_can_be_typed() -> None:
    for each in COMBINATIONS:
        as_policy(each.policy)
        as_evidence(each.evidence.replace("(d", "(3"), "simulate")


def test_only_what_is_near_is_suggested() -> None:
    for device, hint in (("tpu", ""), ("gpu", " Did you mean 'cuda'?"), ("cud", "cuda'?")):
        with pytest.raises(
            ParameterError, match=rf"Got '{device}'\..*{re.escape(hint)}$"
        ) as caught:
            simulate(COINS, ["ucb"], 60, 3, device=device)
        assert "cpu'?" not in str(caught.value)
    with pytest.raises(ParameterError, match=r"Got 'lognormal'\.$"):
        Problem("lognormal", [1.0, 2.0])


def test_a_class_of_yours_has_no_name_that_means_another() -> None:
    """A file with that name would be read as the other class."""
    for name, taken in (("Normal", "Gaussian"), ("Thompson", "Thompson"), ("KL_UCB", "KLUCB")):
        with pytest.raises(DefinitionError, match=f"^{name}: a class must .* {taken}"):
            register({}, NamedTuple(name, [("c", float)]))


@pytest.mark.parametrize("text", ["", " ", "ucb(", "(alpha=1)", "a b"])
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match=r"^simulate: 'policies' must be a name[^\n]+\. Got '"):
        simulate(COINS, [text], 60, 3)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("ucb(alpha)", "UCB: 'alpha' must be a number in (0, inf). Got 'alpha'."),
        ("ucb(alpha=1, alpha=2)", "ucb: 'alpha' must be given once."),
        ("ucb(1, alpha=2)", "ucb: 'alpha' must be given once."),
        ("ucb(name=1)", "ucb: 'name' must be given once."),
        ("ucb(1, 2)", "ucb: takes the parameters 'alpha'. Got '2'."),
        ("rbmle(f=mean, 2)", "rbmle: a parameter must be named if one before it is. Got '2'."),
    ],
)
def test_parameters_are_given_once_and_in_order(text: str, sentence: str) -> None:
    with pytest.raises(ParameterError, match=f"^{re.escape(sentence)}$"):
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
