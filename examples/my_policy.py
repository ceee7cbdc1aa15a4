"""A policy of your own in one class, UCB-V: checked by every law, simulated and used live.

    python examples/my_policy.py

UCB-V (Audibert, Munos and Szepesvari 2009) uses the empirical variance V of each arm. Its index is
p + sqrt(2 V zeta log t / n) + 3 b zeta log t / n, for rewards in an interval of length b.
"""

from math import sqrt
from typing import Annotated, Any, NamedTuple

import rbmle
from rbmle import Arms
from rbmle.testing import check_policy


@rbmle.policy
class MyUCBV(NamedTuple):
    """UCB-V: the index p + sqrt(2 V e / n) + 3 b e / n with e = zeta log t, V the empirical
    variance.

    zeta: how much to explore. b: the length of the interval of rewards.
    """

    zeta: Annotated[float, "(0, inf)"] = 1.0
    b: Annotated[float, "(0, inf)"] = 1.0

    def index_of(self, family: Any, arms: Arms, i: int, level: float) -> float:
        n, mean, e = float(arms.pulls[i]), arms.mean(i), self.zeta * level
        variance = arms.variance(i)
        return mean + sqrt(2.0 * variance * e / n) + 3.0 * self.b * e / n


def main() -> None:
    check_policy(MyUCBV(0.2), rbmle.Bernoulli())  # raises BrokenLawError if a law is broken
    print("MyUCBV obeys every law.\n")

    problem = rbmle.Problem(rbmle.Bernoulli(), [0.02, 0.05, 0.08, 0.1])
    policies = [MyUCBV(0.2), rbmle.UCB(), rbmle.RBMLE()]
    print(rbmle.simulate(problem, policies, horizon=20_000, replications=50), "\n")

    decider = rbmle.Decider(["a", "b"], MyUCBV(0.2), rbmle.Bernoulli())
    for _ in range(200):
        arm = decider.pull()
        decider.update(arm, 0.9 if arm == "b" else 0.1)
    print(decider)


if __name__ == "__main__":
    main()
