"""The world that policies meet: laws of rewards, problems, and sources of rewards."""

from .laws import LAWS, Beta, ClippedGaussian, GaussianMixture, Laplace, TwoPoint, Uniform, law
from .problems import Problem
from .sources import SOURCES, Rewards, RewardStream, Table, source

__all__ = [
    "LAWS",
    "SOURCES",
    "Beta",
    "ClippedGaussian",
    "GaussianMixture",
    "Laplace",
    "Problem",
    "RewardStream",
    "Rewards",
    "Table",
    "TwoPoint",
    "Uniform",
    "law",
    "source",
]
