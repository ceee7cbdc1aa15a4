"""What is skipped or solved lazily changes no choice: each shortcut against its exhaustive twin."""

from typing import NamedTuple

import numpy as np
import pytest

from rbmle.engine import simulate
from rbmle.families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson
from rbmle.policies import KLUCB, BayesUCB, policy
from rbmle.policies.base import promising, surely_below
from rbmle.problems import Problem
from rbmle.rewards import RewardStream, Table
from rbmle.testing import easy_problem

FAMILIES = [Bernoulli(), Gaussian(), Exponential(), Poisson(), Gamma(2.0), Binomial(5)]


def exhaustive(rule):
    """The same rule, every arm of which is solved in every round."""
    kind = type(rule)
    fields = {name: type(value) for name, value in rule._asdict().items()}
    twin = NamedTuple(f"Exhaustive{kind.__name__}", list(fields.items()))
    for name in ("level", "index_of", "needs_horizon"):
        setattr(twin, name, vars(kind)[name])
    return policy(promising=promising, surely_below=surely_below)(twin)(*rule)


RULES = [KLUCB(), KLUCB(search="published"), BayesUCB()]


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_few_solved_arms_choose_as_all_do(rule, family):
    """On streams of rewards, with ties at random: regret equal at every checkpoint."""
    _, high = family.mean_range()
    means = np.linspace(0.3, 0.7, 8) * min(high, 2.0)
    problems = [Problem(family, means), easy_problem(family)]
    for problem in problems:
        result = simulate(problem, [rule, exhaustive(rule)], 1500, 6, RewardStream(4))
        assert np.array_equal(result.regret[0], result.regret[1])
        assert np.array_equal(result.pulls[0], result.pulls[1])


@pytest.mark.parametrize("ties", ["random", "first"])
@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_ties_are_broken_the_same_way(rule, ties):
    """Rewards that make arms alike in round after round: all, none, or every other one pays."""
    rounds = 400
    by_turns = np.indices((rounds, 6)).sum(axis=0) % 2
    table = np.stack([np.ones((rounds, 6)), np.zeros((rounds, 6)), by_turns])
    problem = Problem(Bernoulli(), [0.5, 0.6, 0.5, 0.5, 0.6, 0.4])
    result = simulate(problem, [rule, exhaustive(rule)], rounds, 3, Table(table), ties=ties)
    assert np.array_equal(result.pulls[0], result.pulls[1])


def test_tails_are_those_of_the_quantiles():
    for family in FAMILIES:
        for tail in (1e-8, 1e-3, 0.4):
            value = family.posterior_quantile(30.0, 12.0, tail)
            assert family.posterior_tail(30.0, 12.0, value) == pytest.approx(tail, rel=1e-9)
