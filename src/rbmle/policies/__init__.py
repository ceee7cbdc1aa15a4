"""Every policy of the paper, one class each."""

from .alpha import AdaptiveBernoulli, AdaptiveExponential, AdaptiveGaussian, BetaBias, LogBias
from .base import POLICIES, Assuming, check_fit, families_of, policy, policy_named
from .bayes import BayesUCB, ThompsonSampling
from .ids import IDS, VIDS
from .kg import KG, KGMN, KGMin, KGStar
from .klucb import KLUCB
from .rbmle import RBMLE
from .ucb import GPUCB, MOSS, UCB, GPUCBTuned, UCBTuned

__all__ = [
    "GPUCB",
    "IDS",
    "KG",
    "KGMN",
    "KLUCB",
    "MOSS",
    "POLICIES",
    "RBMLE",
    "UCB",
    "VIDS",
    "AdaptiveBernoulli",
    "AdaptiveExponential",
    "AdaptiveGaussian",
    "Assuming",
    "BayesUCB",
    "BetaBias",
    "GPUCBTuned",
    "KGMin",
    "KGStar",
    "LogBias",
    "ThompsonSampling",
    "UCBTuned",
    "check_fit",
    "families_of",
    "policy",
    "policy_named",
]
