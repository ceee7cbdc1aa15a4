"""EXP3 as a policy of your own: it draws from round 1 on, and remembers a weight of each arm.

    python examples/exp3.py

EXP3 (Auer, Cesa-Bianchi, Freund and Schapire 2002, Figure 1), for rewards in [0, 1] that may be
anything, even chosen by an adversary: draw arm i with the probability

    p_i = (1 - gamma) w_i / (w_1 + ... + w_K) + gamma / K,

and multiply the weight of the arm that was drawn by exp(gamma x / (p_i K)), where x is its reward.
"""

from math import e, exp, log, sqrt
from typing import Annotated, Any, NamedTuple

import rbmle
from rbmle import Arms, Clock
from rbmle.testing import check_policy

WEIGHT, SEEN = 0, 1  # what is remembered of each arm: log w_i, and the sum of its rewards so far


@rbmle.policy
class EXP3(NamedTuple):
    """EXP3 with a constant share of exploration.

    gamma: in (0, 1]. sqrt(K log K / ((e - 1) T)) gives a regret below 2.63 sqrt(T K log K)
    (Corollary 3.2 of the paper), against the best arm for the rewards that there were.

    The reward of the last round is how much the arm's sum has grown since. Where rewards come late,
    the arm's mean is imputed until then, and what is known later is corrected by the probability
    of that time. Weights are divided by the largest, which changes no probability.
    """

    gamma: Annotated[float, "(0, 1]"] = 0.1

    def remembers(self, n_arms: int) -> int:
        return 2 * n_arms

    def plays_each_first(self) -> bool:
        return False

    def settles(self) -> bool:
        return False  # it explores for ever

    def choose(self, state: Any, family: Any, arms: Arms, clock: Clock, rng: Any) -> int:
        n, largest = arms.n_arms(), -1e300
        total = self.total(state, n)  # of the weights by which the last arm was drawn
        for i in range(n):
            reward = arms.sums[i] - state[2 * i + SEEN]
            estimate = reward / self.probability(state, i, n, total)
            state[2 * i + WEIGHT] += self.gamma * estimate / n
            state[2 * i + SEEN] = arms.sums[i]
            largest = max(largest, state[2 * i + WEIGHT])
        for i in range(n):
            state[2 * i + WEIGHT] -= largest
        total, left = self.total(state, n), rng.cell(0).uniform(0)
        for i in range(n):
            left -= self.probability(state, i, n, total)
            if left < 0.0:
                return i
        return n - 1

    def total(self, state: Any, n: int) -> float:
        total = 0.0
        for i in range(n):
            total += exp(state[2 * i + WEIGHT])
        return total

    def probability(self, state: Any, i: int, n: int, total: float) -> float:
        return (1.0 - self.gamma) * exp(state[2 * i + WEIGHT]) / total + self.gamma / n


def tuned(n_arms: int, horizon: int) -> EXP3:
    """EXP3 with the gamma of Corollary 3.2."""
    return EXP3(min(1.0, sqrt(n_arms * log(n_arms) / ((e - 1.0) * horizon))))


def main() -> None:
    for check, outcome in check_policy(EXP3(), rbmle.Bernoulli()):
        print(f"{check}: {outcome}")

    horizon = 10_000
    problem = rbmle.Problem(rbmle.Bernoulli(), [0.3, 0.5, 0.6])
    print(rbmle.simulate(problem, [tuned(3, horizon), rbmle.UCB()], horizon, replications=50))

    decider = rbmle.Decider(["a", "b"], EXP3(), rbmle.Bernoulli())
    for _ in range(200):
        arm = decider.pull()
        decider.update(arm, 0.9 if arm == "b" else 0.1)
    print(decider)


if __name__ == "__main__":
    main()
