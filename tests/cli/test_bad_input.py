"""Wrong input is refused in one sentence before anything happens."""

from __future__ import annotations

import re
import typing
from math import inf, isfinite, nan

import numpy as np
import pytest

from rbmle import engine
from rbmle._records.record import Choice
from rbmle.engine import simulate
from rbmle.errors import ParameterError
from rbmle.families import FAMILIES, Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson
from rbmle.paper.published_table import PublishedTable
from rbmle.policies import (
    GPUCB,
    IDS,
    KG,
    KLUCB,
    POLICIES,
    RBMLE,
    UCB,
    Assuming,
    BetaBias,
    KGMin,
    KGStar,
    LogBias,
    ThompsonSampling,
    policy_named,
)
from rbmle.policies.alpha import BIASES, AdaptiveBernoulli
from rbmle.rewards.laws import LAWS, Beta, Laplace, TwoPoint, Uniform
from rbmle.rewards.problems import Problem
from rbmle.rewards.sources import RewardStream, Table

HUGE = 10**400  # no float holds it
NOT_NUMBERS = (nan, HUGE, "1", None, True, 1j, [1.0], np.array([0.3, 0.4]))
RECORDS = [
    each
    for known in (POLICIES, FAMILIES, LAWS, BIASES)
    for each in known.values()
    if each.__module__.startswith("rbmle.")
]


def outside(hint: object) -> tuple:
    """Values that a field of this annotation must refuse."""
    plain, interval = (*typing.get_args(hint), "")[:2] if typing.get_args(hint) else (hint, "")
    if plain is bool:
        return 1, "yes", None
    if interval is str and issubclass(plain, Choice):
        return 0, None, "", *(f"{name}x" for name in plain.__members__)
    if plain not in (int, float):
        return "1", None, True, UCB, Gaussian(), [1.0]  # RBMLE's alpha
    low, high = (float(end) for end in interval[1:-1].split(","))
    beyond = [-inf if interval[0] == "(" else nan, inf if interval[-1] == ")" else nan]
    if isfinite(low):
        step = max(0.5, 1e-9 * abs(low))  # large enough to change a large number
        beyond += [low - step, low - 2.0 * step] + [low] * (interval[0] == "(")
    if isfinite(high):
        step = max(0.5, 1e-9 * high)  # large enough to change a large number
        beyond += [high + step, high + 2.0 * step] + [high] * (interval[-1] == ")")
    return *beyond, *NOT_NUMBERS, *([1.5, 2.0000001] if plain is int else [])


FIELDS = [
    (kind, name, value)
    for kind in RECORDS
    for name, hint in typing.get_type_hints(kind, include_extras=True).items()
    for value in outside(hint)
]


def refused(deed: typing.Callable, owner: str, name: str, value: object = ...) -> str:
    """The message of the error that a call raises: one sentence with owner, parameter and value."""
    with pytest.raises(ValueError) as problem:  # noqa: PT011
        deed()
    said = str(problem.value)
    assert type(problem.value) is ParameterError
    form = r"(\w+): '(\w+)' must [^\n]+\. Got ([^\n]+?)\.( Did you mean '\w+'\?)?"
    match = re.fullmatch(form, said)
    assert match, said
    assert match.group(1, 2) == (owner, name)
    if value is not ... and "\n" not in repr(value):
        assert match.group(3) == repr(value)
    return said


def label(value: object) -> str:
    if callable(value):
        return getattr(value, "__name__", "deed").replace("<lambda>", "deed")
    return " ".join(repr(value)[:25].split())


@pytest.mark.parametrize(("kind", "name", "value"), FIELDS, ids=label)
def test_parameters_are_refused(kind, name, value):
    good = kind()
    fields = [value if field == name else getattr(good, field) for field in kind._fields]
    refused(lambda: kind(**{name: value}), kind.__name__, name, value)
    refused(lambda: good._replace(**{name: value}), kind.__name__, name, value)
    refused(lambda: good.replace(**{name: value}), kind.__name__, name, value)
    refused(lambda: good.__replace__(**{name: value}), kind.__name__, name, value)
    refused(lambda: kind._make(fields), kind.__name__, name, value)
    assert good == kind()


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [(UCB, "alpha", 0), (GPUCB, "delta", 1.0), (AdaptiveBernoulli, "epsilon", 0.5),
     (Gaussian, "sigma", -1), (Binomial, "trials", 0), (Uniform, "width", 1.5), (IDS, "samples", 0),
     (KLUCB, "c", -1e-9), (Poisson, "prior_rate", -1e-9), (LogBias, "c", 0)],
)  # fmt: skip
def test_ranges_are_the_papers(kind, name, value):
    refused(lambda: kind(**{name: value}), kind.__name__, name, value)


@pytest.mark.parametrize("value", [0, -1.0, nan, inf, HUGE])
def test_the_constant_of_rbmle_is_refused(value):
    refused(lambda: RBMLE(value), "LogBias", "c", value)


@pytest.mark.parametrize("value", [np.zeros((2, 2)), np.arange(300.0), np.array([["a"], ["b"]])])
def test_a_value_of_many_lines_is_told_in_one(value):
    refused(lambda: UCB(value), "UCB", "alpha")
    refused(lambda: RBMLE(value), "RBMLE", "alpha")
    refused(lambda: IDS(samples=value), "IDS", "samples")
    refused(lambda: KLUCB(search=value), "KLUCB", "search")


@pytest.mark.parametrize("number", [2, 2.0, np.int64(2), np.float64(2.0), np.float32(2.0)])
def test_every_kind_of_number_is_a_number(number):
    assert UCB(number) == UCB(2.0)
    assert RBMLE(number) == RBMLE(LogBias(2.0))


@pytest.mark.parametrize(
    ("deed", "nearest"),
    [
        (lambda: RBMLE(boundary="corolary"), "corollary"),
        (lambda: KLUCB(search="publshed"), "published"),
        (lambda: IDS(method="montecarlo"), "monte_carlo"),
        (lambda: policy_named("thomson"), "ThompsonSampling"),
        (lambda: policy_named("klucbb"), "KLUCB"),
        (lambda: simulate(COINS, [UCB()], 10, 1, ties="frist"), "first"),
    ],
)
def test_unknown_names_suggest_the_nearest(deed, nearest):
    with pytest.raises(ParameterError, match=rf"Did you mean '{nearest}'\?$"):
        deed()


@pytest.mark.parametrize("kind", RECORDS, ids=label)
@pytest.mark.parametrize("how", ["unknown keyword", "too many", "unknown to replace"])
def test_unknown_parameters_are_refused(kind, how):
    deed = {
        "unknown keyword": lambda: kind(betta=1),
        "too many": lambda: kind(*[1] * 10),
        "unknown to replace": lambda: kind().replace(betta=1),
    }[how]
    with pytest.raises(ValueError) as problem:  # noqa: PT011
        deed()
    said = str(problem.value)
    assert type(problem.value) is ParameterError, said
    assert re.match(rf"{kind.__name__}: [^\n]+[.?]$", said)
    assert all(repr(field) in said for field in kind._fields)


COINS, BELLS = Problem(Bernoulli(), [0.2, 0.5]), Problem(Gaussian(), [0.0, 1.0])
DICE, WAITS = Problem(Uniform(), [0.3, 0.6]), Problem(Exponential(), [1.0, 2.0])
COUNTS, TABLE, ONE = Problem(Poisson(), [1.0, 2.0]), Table(np.zeros((2, 9, 2))), (UCB(),)


def run(problem=COINS, policies=ONE, horizon=9, replications=2, **options):
    return lambda: simulate(problem, policies, horizon, replications, **options)


def problem(law, means):
    return lambda: Problem(law, means)


DEEDS = [
    *[("Problem", "means", mean, problem(law, [mean, other])) for law, mean, other in [
        (Bernoulli(), 1.2, 0.5), (Bernoulli(), -0.1, 0.5), (Bernoulli(), nan, 0.5),
        (Gaussian(), inf, 0.0), (Exponential(), 0.0, 1.0), (Gamma(2.0), -1.0, 1.0),
        (Binomial(5), 5.5, 1.0), (Poisson(), -1.0, 1.0), (Uniform(0.2), 0.05, 0.5),
        (Beta(), 1.0, 0.5), (TwoPoint(-1.0, 1.0), 1.5, 0.0), (Laplace(), nan, 0.0),
    ]],
    *[("Problem", "means", x, problem(Bernoulli(), x)) for x in (
        [0.5], [], 0.5, "high", None, [0.5, "x"], np.full((3, 2), 0.5), [[0.1, 0.2]],
    )],
    *[("Problem", "law", x, problem(x, [0.2, 0.5])) for x in ("Bernouli", None)],
    ("Problem", "law", ..., problem(Bernoulli, [0.2, 0.5])),
    *[("TwoPoint", "high", x, lambda x=x: Problem(TwoPoint(1.0, x), [0.9, 1.0]))
      for x in (1.0, 0.5)],
    *[("RewardStream", "seed", x, lambda x=x: RewardStream(x))
      for x in (-1, 2**64, 1.5, nan, "7", None, True)],
    *[("PublishedTable", "seed", x, lambda x=x: PublishedTable(x)) for x in (-1, 2**32, 0.5, None)],
    *[("Table", "seed", x, lambda x=x: Table([[0.0, 1.0]], x)) for x in (-1, 2**64, 0.5)],
    *[("Table", "values", x, lambda x=x: Table([[0.0, x]])) for x in (nan, inf, -inf)],
    *[("Table", "values", ..., lambda x=x: Table(x)) for x in (
        [1.0, 2.0], 3.0, np.zeros((1, 1, 2, 2)), [[1.0], [1.0, 2.0]], np.array([["a"], ["b"]]),
    )],
    ("Table", "values", (1, 5, 2), run(rewards=Table(np.zeros((5, 2))))),
    ("Table", "values", (2, 9, 3), run(rewards=Table(np.zeros((2, 9, 3))))),
    ("Table", "values", (2, 9, 2), run(rewards=TABLE, replications=3)),
    ("Table", "values", (2, 9, 2), run(rewards=TABLE, first_replication=1)),
    ("Table", "values", 1.5, run(rewards=Table(np.full((2, 9, 2), 1.5)))),
    ("Table", "values", -0.5, run(WAITS, rewards=Table(np.full((2, 9, 2), -0.5)))),
    *[("simulate", "problem", x, run(problem=x)) for x in (None, [0.2, 0.5], Bernoulli())],
    *[("simulate", "horizon", x, run(horizon=x)) for x in (1, 0, -5, 9.5, nan, "9", None, 2**32)],
    *[("simulate", "replications", x, run(replications=x)) for x in (0, -1, 1.5, None, 2**33)],
    *[("simulate", "first_replication", x, run(first_replication=x)) for x in (-1, 0.5, 2**32)],
    *[("simulate", "threads", x, run(threads=x)) for x in (0, 1.5, "all")],
    *[("simulate", "ties", x, run(ties=x)) for x in ("last", None, 1)],
    *[("simulate", "rewards", x, run(rewards=x)) for x in (7, "table", np.zeros((2, 9, 2)), Table)],
    *[("simulate", "checkpoints", x, run(checkpoints=x)) for x in (
        [0], [10], [-1, 5], [1.5], "all", [[1, 2]], [[1], [2, 3]], np.arange(60).reshape(30, 2),
    )],
    ("simulate", "policies", (), run(policies=())),
    ("simulate", "policies", UCB, run(policies=UCB)),
    *[("simulate", "policies", x, run(policies=[x])) for x in (None, 2.0, Bernoulli())],
    ("simulate", "policies", ..., run(policies=[UCB])),
    ("simulate", "policies", "UBC", run(policies=["UBC"])),
    ("Assuming", "policy", ..., lambda: Assuming(UCB, Bernoulli())),
    ("simulate", "family", None, run(DICE)),
    *[("simulate", "family", x, run(DICE, family=x)) for x in ("Gausian", UCB(), 1.0)],
    ("simulate", "family", ..., run(DICE, family=Gaussian)),
    *[(type(x).__name__, "family", ..., run(on, [x])) for x, on in [
        (KGMin(), BELLS), (IDS(), BELLS), (KG(), COUNTS), (KGStar(), COINS), (IDS(), WAITS),
    ]],
    ("UCB", "family", ..., run(BELLS, family=Bernoulli())),
    ("UCB", "family", ..., run(BELLS, [Assuming(UCB(), Exponential())])),
    ("RBMLE", "family", ..., run(COUNTS, [RBMLE()], family=Binomial(50))),
    *[("ThompsonSampling", "prior", "flat", run(on, [ThompsonSampling("flat")]))
      for on in (WAITS, Problem(Gamma(2.0), [1.0, 2.0]))],
    ("PublishedTable", "first_replication", 1,
     run(policies=[ThompsonSampling()], rewards=PublishedTable(), first_replication=1)),
]  # fmt: skip


@pytest.mark.parametrize(("owner", "name", "value", "deed"), DEEDS, ids=label)
def test_deeds_are_refused_before_anything_happens(owner, name, value, deed, monkeypatch, capfd):
    monkeypatch.setattr(engine, "play", None)  # so that playing raises a TypeError
    before = (dict(POLICIES), dict(FAMILIES), COINS.means.copy(), TABLE.values.copy())
    refused(deed, owner, name, value)
    after = (dict(POLICIES), dict(FAMILIES), COINS.means, TABLE.values)
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    assert capfd.readouterr() == ("", "")


def test_names_of_policies_do_not_depend_on_case():
    assert [policy_named(name) for name in ("rbmle", "KLucb")] == [RBMLE, KLUCB]
    assert BetaBias() == RBMLE().alpha
