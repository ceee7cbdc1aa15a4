"""Stochastic multi-armed bandits built round RBMLE, reward-biased maximum likelihood estimation."""

from ._io import interrupt  # noqa: F401  (first, for Ctrl-C during the other imports)

# isort: split
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from . import theory
from .engine import simulate, simulate_many
from .errors import BudgetError, DefinitionError, ParameterError, RbmleError, StateError
from .evidence import Counting, Diagonal, Discounted, Linear, Logistic, Window, evidence
from .families import (
    Bernoulli,
    Binomial,
    Exponential,
    Gamma,
    Gaussian,
    Geometric,
    NegativeBinomial,
    Poisson,
    family,
)
from .inference.identification import GLR, identify
from .live.decider import Decider
from .live.evaluation import evaluate
from .live.simulated_log import simulate_log
from .live.spending import Spend
from .paper.published import published, published_problem
from .paper.published_table import PublishedTable
from .policies import (
    EXP3,
    GLRKLUCB,
    GPUCB,
    IDS,
    IMED,
    KG,
    KGMN,
    KLUCB,
    LBSDA,
    MOSS,
    NPTS,
    POLICIES,
    RBMLE,
    RBSDA,
    TSUCB,
    UCB,
    UCBV,
    VIDS,
    WRSDA,
    AdaptiveBernoulli,
    AdaptiveExponential,
    AdaptiveGaussian,
    AdaUCB,
    ArmBias,
    Arms,
    Assuming,
    BayesUCB,
    BetaBias,
    Choice,
    Clock,
    EpsilonGreedy,
    ExploreThenCommit,
    Floor,
    GPUCBTuned,
    KGMin,
    KGStar,
    LinTS,
    LogBias,
    MaillardSampling,
    Priced,
    Recommended,
    RootBias,
    Seen,
    SuccessiveRejects,
    ThompsonSampling,
    TopTwo,
    TrackAndStop,
    UCBTuned,
    policy,
    policy_named,
    recommended,
    record,
)
from .reports import write_report
from .result import Result
from .rewards.availability import Availability
from .rewards.changing import Drift, Phases
from .rewards.delays import BatchDelay, FixedDelay, GeometricDelay, TableDelay
from .rewards.features import GaussianFeatures, SphereFeatures, TableFeatures
from .rewards.laws import Beta, ClippedGaussian, GaussianMixture, Laplace, TwoPoint, Uniform, law
from .rewards.linear_problem import LinearProblem
from .rewards.problems import Problem
from .rewards.slates import Slates
from .rewards.sources import RewardStream, Table
from .studies.runner import load, run
from .studies.study import Study
from .studies.study_result import StudyResult
from .tables import Encode

# Imported when they are used: the module, and the optional package that it needs.
_LATER = {
    "AsyncClient": ("service.client", "httpx"),
    "Client": ("service.client", "httpx"),
    "atlas": ("atlas", ""),
    "figures": ("figures", "matplotlib"),
    "testing": ("testing", ""),
}

if TYPE_CHECKING:
    from . import atlas as atlas
    from . import figures as figures
    from . import testing as testing
    from .service.client import AsyncClient as AsyncClient
    from .service.client import Client as Client
else:

    def __getattr__(name: str) -> object:
        """What is imported when it is used."""
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = import_module(f".{_LATER[name][0]}", __name__)
        return getattr(module, name) if name.endswith("Client") else module


def __dir__() -> list[str]:
    """The public names; those that need an optional package, if that is installed."""
    later = [name for name, (_, needs) in _LATER.items() if not needs or find_spec(needs)]
    return sorted([*__all__, *later, "__version__"])


report = write_report

__version__ = "0.1.0"

__all__ = [
    "EXP3",
    "GLR",
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
    "Availability",
    "BatchDelay",
    "BayesUCB",
    "Bernoulli",
    "Beta",
    "BetaBias",
    "Binomial",
    "BudgetError",
    "Choice",
    "ClippedGaussian",
    "Clock",
    "Counting",
    "Decider",
    "DefinitionError",
    "Diagonal",
    "Discounted",
    "Drift",
    "Encode",
    "EpsilonGreedy",
    "ExploreThenCommit",
    "Exponential",
    "FixedDelay",
    "Floor",
    "GPUCBTuned",
    "Gamma",
    "Gaussian",
    "GaussianFeatures",
    "GaussianMixture",
    "Geometric",
    "GeometricDelay",
    "KGMin",
    "KGStar",
    "Laplace",
    "LinTS",
    "Linear",
    "LinearProblem",
    "LogBias",
    "Logistic",
    "MaillardSampling",
    "NegativeBinomial",
    "ParameterError",
    "Phases",
    "Poisson",
    "Priced",
    "Problem",
    "PublishedTable",
    "RbmleError",
    "Recommended",
    "Result",
    "RewardStream",
    "RootBias",
    "Seen",
    "Slates",
    "Spend",
    "SphereFeatures",
    "StateError",
    "Study",
    "StudyResult",
    "SuccessiveRejects",
    "Table",
    "TableDelay",
    "TableFeatures",
    "ThompsonSampling",
    "TopTwo",
    "TrackAndStop",
    "TwoPoint",
    "UCBTuned",
    "Uniform",
    "Window",
    "evaluate",
    "evidence",
    "family",
    "identify",
    "law",
    "load",
    "policy",
    "policy_named",
    "published",
    "published_problem",
    "recommended",
    "record",
    "report",
    "run",
    "simulate",
    "simulate_log",
    "simulate_many",
    "theory",
    "write_report",
]
