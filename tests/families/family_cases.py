"""Every family and every law of rewards of the package, with two sets of parameters each."""

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
from rbmle.rewards.laws import Beta, ClippedGaussian, GaussianMixture, Laplace, TwoPoint, Uniform

OURS = [
    Bernoulli(), Bernoulli(2.5, 0.5), Binomial(5), Binomial(12, 0.5, 2.0), Gaussian(),
    Gaussian(2.0, -1.0, 0.5), Exponential(), Exponential(2.5, 3.0), Gamma(2.5),
    Gamma(0.4, 3.0, 2.0), Poisson(), Poisson(0.5, 2.0), NegativeBinomial(),
    NegativeBinomial(3.5, 3.0, 0.5), Bounded(0.0, 10.0), Bounded(-3.0, 2.0, 2.0, 0.5),
    GaussianUnknown(), GaussianUnknown(2.5, 9.0),
]  # fmt: skip
OTHER_LAWS = [
    Uniform(), Uniform(0.7), Beta(), Beta(0.5), TwoPoint(), TwoPoint(-2.0, 3.0),
    GaussianMixture(), GaussianMixture(3.0, 0.5), Laplace(), Laplace(0.3),
    ClippedGaussian(), ClippedGaussian(0.1),
]  # fmt: skip
