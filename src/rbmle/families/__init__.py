"""Reward families: what a policy assumes about the rewards; a problem may also draw from them."""

from .base import FAMILIES, family
from .bernoulli import Bernoulli, Binomial
from .gamma import Exponential, Gamma
from .gaussian import Gaussian
from .poisson import Poisson
from .protocols import Conjugate, Crosses, Family, Law, Learns, LooksAhead, Shaped, Tells

__all__ = [
    "FAMILIES",
    "Bernoulli",
    "Binomial",
    "Conjugate",
    "Crosses",
    "Exponential",
    "Family",
    "Gamma",
    "Gaussian",
    "Law",
    "Learns",
    "LooksAhead",
    "Poisson",
    "Shaped",
    "Tells",
    "family",
]
