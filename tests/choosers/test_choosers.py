"""Every chooser makes the scan's choices, whatever happens to the arms, and looks at far fewer."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from played import simulated

from rbmle.choosers import CachedBounds, Scan, Tournament, chooser_for, facts_for, facts_of
from rbmle.choosers.selection import chooser_on_device
from rbmle.families import Bernoulli, Binomial, Exponential, Gaussian, Poisson
from rbmle.live.decider import Decider
from rbmle.policies import (
    GPUCB,
    KG,
    KLUCB,
    MOSS,
    POLICIES,
    RBMLE,
    UCB,
    ArmBias,
    BayesUCB,
    KGStar,
    ThompsonSampling,
    UCBTuned,
    policy,
)
from rbmle.policies.alpha import AdaptiveGaussian
from rbmle.policies.arms import Arms, Clock
from rbmle.policies.rbmle import recommended
from rbmle.random import Draws
from rbmle.rewards.problems import Problem
from rbmle.rewards.sources import RewardStream, Table

N = 61
CASES = [
    (UCB(), Gaussian()),
    (UCB(), Bernoulli()),
    (UCBTuned(), Bernoulli()),
    (MOSS(), Bernoulli()),
    (MOSS(anytime=True), Bernoulli()),
    (GPUCB(), Gaussian()),
    (KLUCB(), Bernoulli()),
    (KLUCB(), Exponential()),
    (KLUCB(), Poisson()),
    (KLUCB(search="published"), Bernoulli()),
    (BayesUCB(), Bernoulli()),
    (BayesUCB(), Exponential()),
    (RBMLE(), Gaussian()),
    (RBMLE(), Bernoulli()),
    (RBMLE(), Exponential()),
    (RBMLE(0.3), Binomial(3)),
    (RBMLE(f="mean"), Bernoulli()),
    (RBMLE(0.3, f="mean"), Poisson()),
    (RBMLE(f="stable"), Exponential()),
    (KLUCB(upto="plus"), Bernoulli()),
    (RBMLE(boundary="published"), Bernoulli()),
    (RBMLE(0.5, boundary="corollary"), Bernoulli()),
    (recommended("bernoulli"), Bernoulli()),
    (recommended("gaussian"), Gaussian()),
    (recommended("exponential"), Exponential()),
    (RBMLE(ArmBias(), f="stable"), Poisson()),
]


@pytest.mark.pairs
@pytest.mark.parametrize("ties", ["random", "first"])
@pytest.mark.parametrize(("policy", "family"), CASES, ids=repr)
def test_ties(by_each_chooser, policy, family, ties):
    """Few different rewards, so that many arms have equal or nearly equal indices in every
    round."""
    rng = np.random.default_rng(5)
    values = {Bernoulli: [0.0, 1.0], Exponential: [0.5, 1.0, 2.0]}.get(
        type(family), [0.0, 1.0, 2.0]
    )
    table = rng.choice(values, (4, 800, N))
    table[0] = 1.0  # all arms stay equal
    problem = Problem(family, np.linspace(0.3, 0.7, N))

    by_each_chooser(
        policy, family, N, lambda one: simulated(one, problem, policy, 800, 4, Table(table), ties)
    )


@pytest.mark.pairs
@pytest.mark.parametrize("policy", [UCB(), RBMLE(), KLUCB()], ids=repr)
@pytest.mark.parametrize("n_arms", [2, 3, 64, 65])
def test_any_number_of_arms(by_each_chooser, n_arms, policy):
    problem = Problem(Bernoulli(), np.linspace(0.2, 0.6, n_arms))
    by_each_chooser(
        policy,
        Bernoulli(),
        n_arms,
        lambda one: simulated(one, problem, policy, 1000, 3, RewardStream(2)),
    )


@pytest.mark.pairs
@pytest.mark.parametrize(
    ("policy", "family"),
    [
        (UCB(), Gaussian()),
        (RBMLE(), Bernoulli()),
        (MOSS(), Bernoulli()),
        (KLUCB(), Exponential()),
        (BayesUCB(), Bernoulli()),
        (recommended("bernoulli"), Bernoulli()),
        (recommended("exponential"), Exponential()),
        (KG(), Exponential()),
        (KGStar(), Gaussian()),
    ],
    ids=repr,
)
def test_live_arms_that_come_and_go(live_by_each_chooser, policy, family):
    """Late rewards, arms that wait for their first one, withdrawn pulls, arms that are added,
    removed, switched off and on again: the same choices."""

    def live():
        rng = np.random.default_rng(8)
        decider = Decider(range(12), policy, family, seed=3, horizon=5000)
        chosen, waiting, fresh = [], [], 12
        for _ in range(1500):
            kind = rng.random()
            if kind < 0.5 or not waiting:
                waiting.append(decider.pull())
                chosen.append(waiting[-1])
            elif kind < 0.93:
                arm = waiting.pop(rng.integers(len(waiting)))
                reward = (
                    float(rng.random() < 0.5) if type(family) is Bernoulli else rng.exponential()
                )
                decider.update(arm, reward)
            elif kind < 0.97:
                decider.forget(waiting.pop())
            elif kind < 0.98:
                decider.add(fresh)
                fresh += 1
            else:
                arm = decider.arms[rng.integers(len(decider.arms))]
                if arm not in decider.enabled:
                    decider.enable(arm)
                elif len(decider.enabled) > 3:
                    decider.disable(arm)
        return chosen

    live_by_each_chooser(policy, family, live)


def test_each_chooser_is_used_where_it_pays_and_fits():
    """A tournament needs many arms and an index with a shape; cached bounds an index that rises."""
    family = Bernoulli()
    for rule in (UCB(), UCBTuned(), MOSS(), GPUCB(), KLUCB(), RBMLE()):
        many = int(facts_for(rule, family).tournament_from(family))
        assert isinstance(chooser_for(rule, family, many), Tournament)
        assert isinstance(chooser_for(rule, family, many - 1), CachedBounds)
    for rule in (BayesUCB(), KLUCB(search="published")):
        assert isinstance(chooser_for(rule, family, 10_000), CachedBounds), rule
    for rule in (ThompsonSampling(), RBMLE(AdaptiveGaussian()), RBMLE(ArmBias())):
        assert isinstance(chooser_for(rule, family, 10_000), Scan), rule
        assert isinstance(chooser_on_device(rule, family, 10), Scan), rule


def test_a_level_that_reads_statistics_has_no_tournament():
    """A tournament computes the level without the arms, so a level that reads them is found out."""

    @policy
    class ByPulls(NamedTuple):
        c: float = 1.0

        def level(self, family, arms, clock):
            return arms.pulls[0]

        def index_of(self, family, arms, i, level):
            return arms.mean(i) + level / arms.pulls[i]

    try:

        @facts_of(ByPulls)
        class ByPullsFacts(NamedTuple):
            policy: Any

            def tournament_from(self, family):
                return 24.0

        with pytest.raises(TypeError, match=r"ByPulls\.level reads more of them"):
            chooser_for(ByPulls(), Bernoulli(), 1000)
    finally:
        POLICIES.pop("ByPulls", None)


def test_few_arms_are_looked_at():
    """A choice among 4,096 arms computes indices of only the few arms that the last pull
    affects."""
    n_arms = 4096
    rng = np.random.default_rng(1)
    arms = Arms(np.ones(n_arms), rng.normal(size=n_arms), np.ones(n_arms))
    looks = []

    class Counting(UCB):  # interpreted: it counts the looks
        def index_of(self, family, arms, i, level):
            looks.append(i)
            return UCB.index_of(self, family, arms, i, level)

    policy = Counting()
    tournament = Tournament.of(facts_for(UCB(), Gaussian()), n_arms)
    for t in range(n_arms + 1, n_arms + 41):
        if t == n_arms + 11:
            looks.clear()
        level = policy.level(None, arms, Clock(t, 0))
        tournament.replay(policy, None, arms, level)
        i = tournament.champion(Draws(0, 0, 0, t, True))
        assert i == max(range(n_arms), key=lambda j: UCB().index_of(None, arms, j, level))
        arms.learn(i, rng.normal())
        tournament.changed(i)
    assert len(looks) / 30 < 40
