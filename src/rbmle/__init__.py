"""Stochastic multi-armed bandits built round RBMLE, reward-biased maximum likelihood estimation."""

from . import theory
from .decider import Decider
from .engine import simulate
from .errors import ParameterError, RbmleError, StateError
from .families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson, family
from .laws import Beta, GaussianMixture, Laplace, TwoPoint, Uniform, law
from .policies import (
    GPUCB,
    IDS,
    KG,
    KGMN,
    KLUCB,
    MOSS,
    POLICIES,
    RBMLE,
    UCB,
    VIDS,
    AdaptiveBernoulli,
    AdaptiveExponential,
    AdaptiveGaussian,
    Assuming,
    BayesUCB,
    BetaBias,
    GPUCBTuned,
    KGMin,
    KGStar,
    LogBias,
    ThompsonSampling,
    UCBTuned,
    policy,
    policy_named,
)
from .problems import Problem
from .published import published, published_problem
from .result import Result
from .rewards import PublishedTable, RewardStream, Table
from .runner import load, run
from .study import Study
from .study_result import StudyResult

__version__ = "0.1.0"

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
    "Bernoulli",
    "Beta",
    "BetaBias",
    "Binomial",
    "Decider",
    "Exponential",
    "GPUCBTuned",
    "Gamma",
    "Gaussian",
    "GaussianMixture",
    "KGMin",
    "KGStar",
    "Laplace",
    "LogBias",
    "ParameterError",
    "Poisson",
    "Problem",
    "PublishedTable",
    "RbmleError",
    "Result",
    "RewardStream",
    "StateError",
    "Study",
    "StudyResult",
    "Table",
    "ThompsonSampling",
    "TwoPoint",
    "UCBTuned",
    "Uniform",
    "family",
    "law",
    "load",
    "policy",
    "policy_named",
    "published",
    "published_problem",
    "run",
    "simulate",
    "theory",
]
