"""Play one library's policies; peers.py starts this once in the environment of each library.

    python benchmarks/peers_play.py river --horizon 10000 --budget 2 --replications 0 3 6

Needs NumPy and that library. The last line of the output is JSON: for each policy, the seconds and
the regret of every replication that was begun within the budget. A note says how a policy deviates
from: log t, each arm once first, ties to the first arm.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peers_player import Floats, Player, command_line, report

MEANS = [0.41, 0.52, 0.66, 0.43, 0.58, 0.65, 0.48, 0.67, 0.59, 0.63]
SEED = 46

ARMS = list(range(len(MEANS)))
Rows = list[list[int]]


def table(replication: int, horizon: int) -> NDArray[np.bool_]:
    """The rewards [round, arm] of one replication, the same for every library."""
    return np.random.default_rng([SEED, replication]).random((horizon, len(MEANS))) < MEANS


def rbmle() -> list[Player]:
    from rbmle import KLUCB, UCB, Bernoulli, Decider, ThompsonSampling

    def live(policy: Any) -> Callable[[int], Any]:
        return lambda number: Decider(
            ARMS, policy, Bernoulli(), seed=SEED, ties="first", replication=number
        )

    def play(decider: Any, rows: Rows) -> list[int]:
        chosen = []
        for row in rows:
            arm = decider.pull()
            decider.update(arm, row[arm])
            chosen.append(arm)
        return chosen

    name = "rbmle, Decider"
    return [
        Player(name, "UCB1", live(UCB()), play),
        Player(name, "KL-UCB", live(KLUCB()), play),
        Player(name, "Thompson", live(ThompsonSampling()), play),
    ]


def river() -> list[Player]:
    from river import bandit, proba

    def play(policy: Any, rows: Rows) -> list[int]:
        chosen = []
        for row in rows:
            arm = policy.pull(ARMS)
            policy.update(arm, row[arm])
            chosen.append(arm)
        return chosen

    def ucb(seed: int) -> Any:
        return bandit.UCB(delta=1, seed=seed)

    def thompson(seed: int) -> Any:
        return bandit.ThompsonSampling(reward_obj=proba.Beta(1, 1), seed=seed)

    return [
        Player("river", "UCB1", ucb, play, "log(t - 1), random ties"),
        Player("river", "Thompson", thompson, play, "draws from round 1"),
    ]


def pymab() -> list[Player]:
    from pymab import BanditEnvironment, BernoulliReward, Experiment, ExperimentConfig
    from pymab.policies import BernoulliThompsonSamplingPolicy, KLUCBPolicy, UCBPolicy

    def ucb() -> Any:
        return UCBPolicy(n_arms=len(MEANS), c=2.0)

    def kl_ucb() -> Any:  # c = 0 is refused; a c this small changes no index
        return KLUCBPolicy(n_arms=len(MEANS), c=1e-12)

    def thompson() -> Any:
        return BernoulliThompsonSamplingPolicy(n_arms=len(MEANS))

    def live(policy: Callable[[], Any]) -> Callable[[int], Any]:
        return lambda seed: (policy(), np.random.default_rng(seed))

    def simulated(policy: Callable[[], Any]) -> Callable[[int], Any]:
        return lambda seed: (policy(), seed)

    def play(started: Any, rows: Rows) -> list[int]:
        policy, rng = started
        chosen = []
        for row in rows:
            arm = policy.select_action(rng=rng)
            policy.update(action=arm, reward=row[arm])
            chosen.append(arm)
        return chosen

    # Its simulator draws its own rewards, so regrets agree only within sampling error.
    world = BanditEnvironment(means=np.array(MEANS), reward_model=BernoulliReward())

    def run(started: Any, rows: Rows) -> list[int]:
        policy, seed = started
        config = ExperimentConfig(horizon=len(rows), n_replicates=1, seed=seed)
        result = Experiment(environment=world, policies={"it": policy}, config=config).run()
        chosen: list[int] = result.actions[0, :, 0].tolist()
        return chosen

    policies = [
        ("UCB1", ucb, "random ties"),
        ("KL-UCB", kl_ucb, "log(t - 1), to 1e-6, random ties"),
        ("Thompson", thompson, "draws from round 1"),
    ]
    calls = [Player("pymab", name, live(each), play, note) for name, each, note in policies]
    runs = [
        Player("pymab, Experiment", name, simulated(each), run, note)
        for name, each, note in policies
    ]
    return calls + runs


def mabwiser() -> list[Player]:
    from mabwiser.mab import MAB, LearningPolicy

    def start(policy: Any) -> Callable[[int], Any]:
        return lambda seed: MAB(arms=ARMS, learning_policy=policy, seed=seed)

    def play(mab: Any, rows: Rows) -> list[int]:
        for arm in ARMS:  # it never tries an arm that it was not fitted to
            mab.partial_fit([arm], [rows[arm][arm]])
        chosen = list(ARMS)
        for row in rows[len(ARMS) :]:
            arm = mab.predict()
            mab.partial_fit([arm], [row[arm]])
            chosen.append(arm)
        return chosen

    ucb, thompson = LearningPolicy.UCB1(alpha=1), LearningPolicy.ThompsonSampling()
    return [
        Player("MABWiser", "UCB1", start(ucb), play, "log(t - 1)"),
        Player("MABWiser", "Thompson", start(thompson), play),
    ]


def smpybandits() -> list[Player]:
    # SciPy 1.14 dropped btdtri; SMPyBandits imports it for Bayes-UCB, which is not played here.
    import scipy.special

    scipy.special.btdtri = scipy.special.betaincinv
    from SMPyBandits.Policies import UCB, Thompson, klUCB

    def start(policy: Any) -> Callable[[int], Any]:
        def started(seed: int) -> Any:
            np.random.seed(seed)  # its policies draw from NumPy's global generator
            player = policy(len(MEANS))
            player.startGame()
            return player

        return started

    def play(policy: Any, rows: Rows) -> list[int]:
        chosen = []
        for row in rows:
            arm = policy.choice()
            policy.getReward(arm, row[arm])
            chosen.append(arm)
        return chosen

    return [
        Player("SMPyBandits", "UCB1", start(UCB), play, "log(t - 1), random ties"),
        Player("SMPyBandits", "KL-UCB", start(klUCB), play, "log(t - 1), to 1e-4, random ties"),
        Player("SMPyBandits", "Thompson", start(Thompson), play, "draws from round 1"),
    ]


LIBRARIES = {
    "rbmle": rbmle,
    "river": river,
    "pymab": pymab,
    "mabwiser": mabwiser,
    "smpybandits": smpybandits,
}


def main() -> None:
    parser = command_line(LIBRARIES)
    parser.add_argument("--horizon", type=int, default=10_000)
    options = parser.parse_args()

    def worlds(problem: str, replication: int, rounds: int) -> tuple[Rows, Floats]:
        rows: Rows = table(replication, options.horizon)[:rounds].astype(int).tolist()
        return rows, np.broadcast_to(max(MEANS) - np.array(MEANS), (len(rows), len(MEANS)))

    report(LIBRARIES[options.library](), worlds, options)


if __name__ == "__main__":
    main()
