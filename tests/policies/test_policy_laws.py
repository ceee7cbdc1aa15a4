"""Every policy, in every form, on every family it fits, obeys every law."""

import pytest

from rbmle import testing
from rbmle.families import (
    Bernoulli,
    Binomial,
    Bounded,
    Exponential,
    Gamma,
    Gaussian,
    GaussianUnknown,
    NegativeBinomial,
    Poisson,
)
from rbmle.policies import (
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
    BayesUCB,
    EmpiricalIMED,
    EpsilonGreedy,
    ExploreThenCommit,
    GPUCBTuned,
    KGMin,
    KGStar,
    LogBias,
    MaillardSampling,
    SuccessiveRejects,
    ThompsonSampling,
    UCBTuned,
    families_of,
)

FAMILIES = [Bernoulli(), Gaussian(), Exponential(), Poisson(), Gamma(2.0), Binomial(5)]

# A policy of the package is tested by existing: these are the defaults of every class, but with
# room for few rewards where a policy keeps them, so that some are replaced.
OURS = [each for each in POLICIES.values() if each.__module__.startswith("rbmle.")]
DEFAULTS = [each(**{"memory": 100} if "memory" in each._fields else {}) for each in OURS]
VARIANTS = [
    (RBMLE(LogBias(2.0)), Gaussian()),
    (RBMLE(AdaptiveGaussian()), Gaussian()),
    (RBMLE(AdaptiveBernoulli()), Bernoulli()),
    (RBMLE(AdaptiveExponential(lower=0.1, rho=1.0, kappa=1.0)), Exponential()),
    (RBMLE(boundary="corollary"), Bernoulli()),
    (RBMLE(boundary="published"), Bernoulli()),
    *((RBMLE(f=f), family) for f in ("mean", "stable") for family in FAMILIES),
    (RBMLE(16.0, f="mean"), Bernoulli()),
    (RBMLE(AdaptiveGaussian(), f="stable"), Gaussian()),
    (KLUCB(c=3.0), Bernoulli()),
    *((KLUCB(upto="plus"), family) for family in FAMILIES),
    (KLUCB(search="published", upto="plus"), Exponential()),
    *((KLUCB(upto="plus_plus"), family) for family in (Bernoulli(), Gaussian())),
    *((KLUCB(upto="moss"), family) for family in (Exponential(), Poisson())),
    *((KLUCB(upto="left"), family) for family in (Bernoulli(), Gaussian(), Gamma(2.0))),
    *(
        (policy, NegativeBinomial(2.0))
        for policy in (
            RBMLE(),
            RBMLE(f="stable"),
            KLUCB(),
            ThompsonSampling(),
            BayesUCB(),
            IMED(),
            GPUCBTuned(),
        )
    ),
    *(
        (policy, family)
        for policy in (RBMLE(), RBMLE(f="stable"), KLUCB(), IMED(), ThompsonSampling())
        for family in (GaussianUnknown(2.0), Bounded(-2.0, 3.0))
    ),
    (RBMLE(f="mean"), GaussianUnknown(2.0)),
    (KLUCB(upto="moss"), GaussianUnknown(2.0)),
    (BayesUCB(), GaussianUnknown(2.0)),
    (GPUCBTuned(), GaussianUnknown(2.0)),
    (MaillardSampling(), GaussianUnknown(2.0)),
    (EmpiricalIMED(memory=100), Bounded(-2.0, 3.0)),
    (NPTS(memory=100), Bounded(-2.0, 3.0)),
    (EpsilonGreedy(c=5.0), Bernoulli()),
    (TSUCB(draws=5), Gaussian()),
    (RBSDA(memory=50, even="leader"), Bernoulli()),
    (LBSDA(memory=50, forced=True), Exponential()),
    (WRSDA(memory=50, even="challenger"), Poisson()),
    (GLRKLUCB(exploration=0.0, restart="all", memory=50), Bernoulli()),
    (KLUCB(search="published"), Bernoulli()),
    (KLUCB(search="published"), Exponential()),
    (MOSS(anytime=True), Gaussian()),
    (BayesUCB(c=5.0), Bernoulli()),
    (ThompsonSampling(prior="flat"), Gaussian()),
    (KG(form="published"), Bernoulli()),
    (KGStar(form="published"), Gaussian()),
    (KGMin(whole=True), Bernoulli()),
    (IDS(method="monte_carlo", samples=50), Bernoulli()),
    (VIDS(commit=0.9), Gaussian()),
]


# These ask nothing of the family: two are enough.
BLIND = (
    EXP3, MOSS, UCBV, AdaUCB, EpsilonGreedy, ExploreThenCommit, LBSDA, RBSDA,
    SuccessiveRejects, UCBTuned, WRSDA,
)  # fmt: skip
FITTING = [
    (policy, family)
    for policy in DEFAULTS
    for family in (FAMILIES[:2] if isinstance(policy, BLIND) else FAMILIES)
    if type(family) in families_of(type(policy))
]
# What `pytest` runs without options: UCB, which compiles quickly, on the first family it fits.
CORE = next(pair for pair in FITTING if type(pair[0]) is UCB)


def cases() -> list:
    found = []
    for pair in FITTING + VARIANTS:
        for check in testing.checks():
            long = check.__name__ == "every_chooser_equals_the_scan"
            core = pair is CORE and not long  # tests/choosers has some of its cases in the core
            marks = [] if core else [pytest.mark.pairs]
            name = "-".join([*map(repr, pair), check.__name__])
            found.append(pytest.param(*pair, check, marks=marks, id=name))
    return found


@pytest.mark.parametrize(("policy", "family", "check"), cases())
def test_policy(policy, family, check):
    check(policy, family)


def test_every_policy_of_the_paper_is_here():
    named = [
        RBMLE, UCB, UCBTuned, KLUCB, MOSS, BayesUCB, GPUCB, GPUCBTuned, ThompsonSampling,
        KG, KGStar, KGMin, KGMN, IDS, VIDS,
    ]  # fmt: skip
    assert {type(each) for each in DEFAULTS} >= set(named)
    for policy in (RBMLE, UCB, KLUCB, ThompsonSampling, BayesUCB):
        assert {type(each) for each in FAMILIES} <= set(families_of(policy))
