"""The policies of the paper, one class each, and what an author of a policy needs."""

from .._numba.compile import record
from .._records.record import Choice
from .alpha import (
    AdaptiveBernoulli,
    AdaptiveExponential,
    AdaptiveGaussian,
    BetaBias,
    LogBias,
    RootBias,
)
from .arm_bias import ArmBias
from .arms import Arms, Clock
from .base import POLICIES, Policy, policy, policy_named
from .bayes import BayesUCB, LinTS, ThompsonSampling
from .best_arm import SuccessiveRejects, TopTwo, TrackAndStop
from .fit import Assuming, check_fit, families_of, player
from .floor import Floor
from .ids import IDS, VIDS
from .imed import IMED
from .kg import KG, KGMN, KGMin, KGStar
from .klucb import KLUCB
from .maillard import MaillardSampling
from .rbmle import RBMLE, Recommended, recommended
from .ucb import GPUCB, MOSS, UCB, GPUCBTuned, UCBTuned

__all__ = [
    "GPUCB",
    "IDS",
    "IMED",
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
    "ArmBias",
    "Arms",
    "Assuming",
    "BayesUCB",
    "BetaBias",
    "Choice",
    "Clock",
    "Floor",
    "GPUCBTuned",
    "KGMin",
    "KGStar",
    "LinTS",
    "LogBias",
    "MaillardSampling",
    "Policy",
    "Recommended",
    "RootBias",
    "SuccessiveRejects",
    "ThompsonSampling",
    "TopTwo",
    "TrackAndStop",
    "UCBTuned",
    "check_fit",
    "families_of",
    "player",
    "policy",
    "policy_named",
    "recommended",
    "record",
]
