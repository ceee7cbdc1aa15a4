"""The world: laws of rewards, problems made of them, and where a run's rewards come from."""

from .laws import LAWS, Beta, GaussianMixture, Laplace, TwoPoint, Uniform, law
from .problems import Problem
from .sources import PublishedTable, Rewards, RewardStream, Table

__all__ = [
    "LAWS",
    "Beta",
    "GaussianMixture",
    "Laplace",
    "Problem",
    "PublishedTable",
    "RewardStream",
    "Rewards",
    "Table",
    "TwoPoint",
    "Uniform",
    "law",
]
