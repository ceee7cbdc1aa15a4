"""The paper's analysis: divergences, admissible constants, regret bounds, adaptive schemes.

    from rbmle import Bernoulli, Problem, theory
    theory.regret_bound(Problem(Bernoulli(), [0.2, 0.7]), 10_000, proposition=2).total

docs/explanation/mathematics.md lists every numbered result with its function and its test.
"""

from .adaptive import AdaptiveTrace, adaptive_limit, adaptive_target, adaptive_trace
from .analysis import divergence, explain_k_star, k_star, xi
from .c_alpha import Theoretical, smallest_c_alpha, theoretical_rbmle
from .regret_bounds import Bound, applicable, growth_rate, lai_robbins, lower_bound, regret_bound

__all__ = [
    "AdaptiveTrace",
    "Bound",
    "Theoretical",
    "adaptive_limit",
    "adaptive_target",
    "adaptive_trace",
    "applicable",
    "divergence",
    "explain_k_star",
    "growth_rate",
    "k_star",
    "lai_robbins",
    "lower_bound",
    "regret_bound",
    "smallest_c_alpha",
    "theoretical_rbmle",
    "xi",
]
