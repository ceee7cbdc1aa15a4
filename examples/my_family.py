"""A reward family of your own, in one class: inverse Gaussian rewards with a known shape.

    python examples/my_family.py

`natural`, `log_partition`, `mean_range` and `sample` define the family; RBMLE's index, the KL
divergence and all else are derived from them. A derived method may also be written out, as
`kl_upper` is here.
"""

from math import inf, sqrt
from typing import Annotated, NamedTuple

import rbmle
from rbmle.random import Cell
from rbmle.testing import check_family, check_policy


@rbmle.family
class InverseGaussian(NamedTuple):
    """Positive rewards with mean theta and variance theta^3 / shape: waiting times, durations.

    F(eta) = -sqrt(-2 shape eta), natural(theta) = -shape / (2 theta^2).
    """

    shape: Annotated[float, "(0, inf)"] = 1.0

    def natural(self, mean: float) -> float:
        return -0.5 * self.shape / mean / mean

    def log_partition(self, eta: float) -> float:
        return -sqrt(-2.0 * self.shape * eta)

    def mean_range(self) -> tuple[float, float]:
        return 0.0, inf

    def kl_upper(self, mean: float, bound: float) -> float:
        """The theta above mean with D(mean, theta) = shape (1 - mean/theta)^2 / (2 mean) = bound.
        D stays below shape / (2 mean), so there may be none."""
        root = sqrt(2.0 * mean * max(bound, 0.0) / self.shape)
        return mean / (1.0 - root) if root < 1.0 else inf

    def sample(self, mean: float, cell: Cell) -> float:
        """The method of Michael, Schucany and Haas (1976): one of two roots of an equation in a
        chi-squared number."""
        z = cell.normal(0)
        w = 0.5 * mean * z * z / self.shape
        x = mean / (1.0 + w + sqrt(w * (2.0 + w)))
        return x if cell.uniform(1) * (mean + x) <= mean else mean * mean / x


def main() -> None:
    family = InverseGaussian(2.0)
    check_family(family)  # raises BrokenLawError if a law is broken
    for policy in (rbmle.RBMLE(), rbmle.KLUCB(), rbmle.UCB()):
        check_policy(policy, family)
    print("InverseGaussian obeys every law, and so do RBMLE, KLUCB and UCB on it.\n")

    problem = rbmle.Problem(family, [0.5, 0.6, 0.8, 1.0])
    policies = [rbmle.RBMLE(), rbmle.KLUCB(), rbmle.UCB()]
    print(rbmle.simulate(problem, policies, horizon=20_000, replications=50))


if __name__ == "__main__":
    main()
