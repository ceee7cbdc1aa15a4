"""Reward families: what a policy assumes about the rewards; a problem may also draw from them."""

from .bernoulli import Bernoulli, Binomial
from .bounded import Bounded
from .exponential import Exponential, Gamma
from .gaussian import Gaussian
from .gaussian_unknown import GaussianUnknown
from .negative_binomial import Geometric, NegativeBinomial
from .poisson import Poisson
from .protocols import Conjugate, Crosses, Family, Law, Learns, LooksAhead, Shaped, Tells
from .registry import FAMILIES, family

__all__ = [
    "FAMILIES",
    "Bernoulli",
    "Binomial",
    "Bounded",
    "Conjugate",
    "Crosses",
    "Exponential",
    "Family",
    "Gamma",
    "Gaussian",
    "GaussianUnknown",
    "Geometric",
    "Law",
    "Learns",
    "LooksAhead",
    "NegativeBinomial",
    "Poisson",
    "Shaped",
    "Tells",
    "family",
]
