"""The tournament: the choices of a scan, whatever happens to the arms, with far fewer looks."""

import numpy as np
import pytest

from rbmle import engine
from rbmle.choosers.scan import Scan, chooser_for
from rbmle.choosers.tournament import Tournament
from rbmle.engine import simulate
from rbmle.families import Bernoulli, Binomial, Exponential, Gaussian, Poisson
from rbmle.live import live_arms as _live
from rbmle.live.decider import Decider
from rbmle.policies import GPUCB, KLUCB, MOSS, RBMLE, UCB, BayesUCB, ThompsonSampling, UCBTuned
from rbmle.policies.alpha import AdaptiveGaussian
from rbmle.policies.arms import Arms, Clock
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
    (RBMLE(), Gaussian()),
    (RBMLE(), Bernoulli()),
    (RBMLE(), Exponential()),
    (RBMLE(0.3), Binomial(3)),
    (RBMLE(boundary="published"), Bernoulli()),
    (RBMLE(0.5, boundary="corollary"), Bernoulli()),
]


@pytest.fixture
def found_by(monkeypatch):
    """Run something twice: where every chooser is a scan, and where each is a tournament."""

    def both(action):
        results = []
        for kind in (Scan, Tournament.of):
            for module in (engine, _live):
                monkeypatch.setattr(module, "chooser_for", lambda p, f, n, kind=kind: kind(n))
            results.append(action())
        return results

    return both


@pytest.mark.parametrize("ties", ["random", "first"])
@pytest.mark.parametrize(("policy", "family"), CASES, ids=repr)
def test_ties(found_by, policy, family, ties):
    """Rewards of few kinds, so that many arms have the same index, or nearly, in every round."""
    rng = np.random.default_rng(5)
    values = {Bernoulli: [0.0, 1.0], Exponential: [0.5, 1.0, 2.0]}.get(
        type(family), [0.0, 1.0, 2.0]
    )
    table = rng.choice(values, (4, 800, N))
    table[0] = 1.0  # every arm alike, for ever
    problem = Problem(family, np.linspace(0.3, 0.7, N))

    def run():
        rewards = Table(table)
        return simulate(problem, [policy], 800, 4, rewards, ties, checkpoints=range(1, 801))

    scan, tournament = found_by(run)
    assert np.array_equal(scan.regret, tournament.regret)
    assert np.array_equal(scan.pulls, tournament.pulls)


@pytest.mark.parametrize("n_arms", [2, 3, 64, 65])
def test_any_number_of_arms(found_by, n_arms):
    problem = Problem(Bernoulli(), np.linspace(0.2, 0.6, n_arms))
    scan, tournament = found_by(
        lambda: simulate(problem, [UCB(), RBMLE()], 1000, 3, RewardStream(2))
    )
    assert np.array_equal(scan.regret, tournament.regret)


@pytest.mark.parametrize(
    ("policy", "family"),
    [(UCB(), Gaussian()), (RBMLE(), Bernoulli()), (MOSS(), Bernoulli()), (KLUCB(), Exponential())],
    ids=repr,
)
def test_live_arms_that_come_and_go(found_by, policy, family):
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

    scan, tournament = found_by(live)
    assert scan == tournament


def test_it_is_used_where_it_pays_and_fits():
    """Many arms, and an index that is known ahead; else the policy looks at every arm itself."""
    family = Bernoulli()
    for policy, _ in CASES:
        many = int(policy.kinetic(family))
        assert isinstance(chooser_for(policy, family, many), Tournament)
        assert isinstance(chooser_for(policy, family, many - 1), Scan)
    scanned = [
        BayesUCB(),
        ThompsonSampling(),
        RBMLE(AdaptiveGaussian()),
        KLUCB(search="published"),
    ]
    for policy in scanned:
        assert isinstance(chooser_for(policy, family, 10_000), Scan), policy


def test_few_arms_are_looked_at():
    """A choice among 4,096 arms draws the lines of a few arms: those that the pull concerns."""
    n_arms = 4096
    rng = np.random.default_rng(1)
    arms = Arms(np.ones(n_arms), rng.normal(size=n_arms), np.ones(n_arms))
    looks = []

    class Counting(UCB):  # interpreted: it counts the looks
        def index_of(self, family, arms, i, level):
            looks.append(i)
            return UCB.index_of(self, family, arms, i, level)

    policy, tournament = Counting(), Tournament.of(n_arms)
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
