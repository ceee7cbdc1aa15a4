"""Reward families: what a policy assumes about the rewards; a problem may also draw from them."""

from .base import FAMILIES, Conjugate, Family, every_family, family
from .bernoulli import Bernoulli, Binomial
from .gamma import Exponential, Gamma
from .gaussian import Gaussian
from .poisson import Poisson

__all__ = [
    "FAMILIES",
    "Bernoulli",
    "Binomial",
    "Conjugate",
    "Exponential",
    "Family",
    "Gamma",
    "Gaussian",
    "Poisson",
    "every_family",
    "family",
]
