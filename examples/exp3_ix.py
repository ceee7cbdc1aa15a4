"""EXP3-IX as a policy of your own: it draws from round 1 on, and remembers a weight of each arm.

    python examples/exp3_ix.py

EXP3 with implicit exploration (Neu 2015, "Explore no more"), for rewards in [0, 1] that may be
anything, even chosen by an adversary: draw arm i with the probability p_i = w_i / (w_1 + ... + w_K)
and multiply the weight of the arm that was drawn by exp(-2 gamma loss / (p_i + gamma)), where its
loss is 1 - reward. gamma in the divisor keeps rare arms from huge steps. (`rbmle.EXP3` is the
original, which mixes in uniform draws instead.)
"""

from math import exp, log, sqrt
from typing import Annotated, Any, NamedTuple

import rbmle
from rbmle import Arms, Clock
from rbmle.testing import check_policy

# What is remembered of each arm: log w_i, the sum of its losses so far, and p_i of its last pull.
WEIGHT, LOSSES, DRAWN, EACH = 0, 1, 2, 3


@rbmle.policy
class Exp3IX(NamedTuple):
    """EXP3-IX. gamma: in (0, 1]; sqrt(log K / (2 K T)) is that of the paper's Theorem 1.

    The losses of the last round are how much the arm's losses have grown since. Weights are divided
    by the largest, which changes no probability.
    """

    gamma: Annotated[float, "(0, 1]"] = 0.05

    def remembers(self, n_arms: int) -> int:
        return EACH * n_arms

    def plays_each_first(self) -> bool:
        return False

    def settles(self) -> bool:
        return False  # it explores for ever

    def choose(self, state: Any, family: Any, arms: Arms, clock: Clock, rng: Any) -> int:
        n, largest, total = arms.n_arms(), -1e300, 0.0
        for i in range(n):
            losses, drawn = arms.pulls[i] - arms.sums[i], state[EACH * i + DRAWN]
            if drawn > 0.0:
                loss = losses - state[EACH * i + LOSSES]
                state[EACH * i + WEIGHT] -= 2.0 * self.gamma * loss / (drawn + self.gamma)
            state[EACH * i + LOSSES] = losses
            largest = max(largest, state[EACH * i + WEIGHT])
        for i in range(n):
            state[EACH * i + WEIGHT] -= largest
            total += exp(state[EACH * i + WEIGHT])
        left, chosen = rng.cell(0).uniform(0) * total, n - 1
        for i in range(n):
            left -= exp(state[EACH * i + WEIGHT])
            if left < 0.0:
                chosen = i
                break
        state[EACH * chosen + DRAWN] = exp(state[EACH * chosen + WEIGHT]) / total
        return chosen


def tuned(n_arms: int, horizon: int) -> Exp3IX:
    """EXP3-IX with the gamma of Theorem 1."""
    return Exp3IX(min(1.0, sqrt(log(n_arms) / (2.0 * n_arms * horizon))))


def main() -> None:
    for check, outcome in check_policy(Exp3IX(), rbmle.Bernoulli()):
        print(f"{check}: {outcome}")

    horizon = 10_000
    problem = rbmle.Problem(rbmle.Bernoulli(), [0.3, 0.5, 0.6])
    policies = [tuned(3, horizon), rbmle.EXP3(), rbmle.UCB()]
    print(rbmle.simulate(problem, policies, horizon, replications=50))

    decider = rbmle.Decider(["a", "b"], Exp3IX(), rbmle.Bernoulli())
    for _ in range(200):
        arm = decider.pull()
        decider.update(arm, 0.9 if arm == "b" else 0.1)
    print(decider)


if __name__ == "__main__":
    main()
