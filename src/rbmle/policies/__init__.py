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
from .bayes import TSUCB, BayesUCB, LinTS, ThompsonSampling
from .best_arm import SuccessiveRejects, TopTwo, TrackAndStop
from .empirical import EmpiricalIMED
from .exp3 import EXP3
from .fit import Assuming, check_fit, families_of, player
from .floor import Floor
from .glr import GLRKLUCB
from .greedy import EpsilonGreedy, ExploreThenCommit
from .ids import IDS, VIDS
from .imed import IMED
from .kg import KG, KGMN, KGMin, KGStar
from .klucb import KLUCB
from .maillard import MaillardSampling
from .npts import NPTS
from .priced import Priced, Seen
from .rbmle import RBMLE, Recommended, recommended
from .subsampling import LBSDA, RBSDA, WRSDA
from .ucb import GPUCB, MOSS, UCB, UCBV, AdaUCB, GPUCBTuned, UCBTuned

__all__ = [
    "EXP3",
    "GLRKLUCB",
    "GPUCB",
    "IDS",
    "IMED",
    "KG",
    "KGMN",
    "KLUCB",
    "LBSDA",
    "MOSS",
    "NPTS",
    "POLICIES",
    "RBMLE",
    "RBSDA",
    "TSUCB",
    "UCB",
    "UCBV",
    "VIDS",
    "WRSDA",
    "AdaUCB",
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
    "EmpiricalIMED",
    "EpsilonGreedy",
    "ExploreThenCommit",
    "Floor",
    "GPUCBTuned",
    "KGMin",
    "KGStar",
    "LinTS",
    "LogBias",
    "MaillardSampling",
    "Policy",
    "Priced",
    "Recommended",
    "RootBias",
    "Seen",
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
