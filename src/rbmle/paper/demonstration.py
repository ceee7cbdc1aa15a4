"""The runs that demonstrate the theory: RBMLE with Proposition 2's C_alpha, and Algorithms 1 to 3.

They take seconds and are stored in the paper's folder, because a report is made of stored runs.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._io.files import write_atomically
from ..families import Bernoulli, Gamma, Gaussian
from ..policies import AdaptiveBernoulli, AdaptiveExponential, AdaptiveGaussian
from ..policies.alpha import Adaptive
from ..rewards.problems import Problem
from ..studies.runner import load, run
from ..studies.study import Study
from ..studies.study_result import StudyResult
from ..theory import AdaptiveTrace, Theoretical, adaptive_trace

_SEED = 11  # of the traces


class Scheme(NamedTuple):
    """An adaptive scheme, and a problem with a gap large enough for its estimate of C_alpha."""

    problem: Problem
    bias: Adaptive
    horizon: int


SCHEMES = {
    "Algorithm 1": Scheme(Problem(Gaussian(0.05), [0.5, 1.0]), AdaptiveGaussian(0.05), 20_000),
    "Algorithm 2": Scheme(
        Problem(Bernoulli(), [0.9, 0.1]), AdaptiveBernoulli(0.45, power=2.0), 100_000
    ),
    "Algorithm 3": Scheme(
        Problem(Gamma(200.0), [1.0, 0.2]),
        AdaptiveExponential(*Gamma(200.0).sub_exponential(1.0), epsilon=0.45, lower=0.1, power=1.5),
        50_000,
    ),
}


class Demonstration(NamedTuple):
    """The run with Proposition 2's C_alpha, and a trace of each scheme by name."""

    bounded: StudyResult
    traces: dict[str, AdaptiveTrace]


def store_demonstration(folder: Path, threads: int | None = None) -> None:
    """Play what the folder does not hold yet, and store it."""
    problem = Problem(Bernoulli(), [0.9, 0.5, 0.1])
    # The smallest C_alpha for which Proposition 2's bound is proved.
    policies = {"RBMLE": Theoretical(2, sharp=True)}
    study = Study(problem, policies, horizon=20_000, replications=40, name="Proposition 2")
    run(study, folder / "bounded", threads)
    for name, scheme in SCHEMES.items():
        path = _path(folder, name)
        if not path.exists():
            content = io.BytesIO()
            trace = adaptive_trace(*scheme, seed=_SEED)
            np.savez_compressed(content, **trace._asdict())
            write_atomically(path, content.getvalue())


def stored_demonstration(folder: Path) -> Demonstration | None:
    """The demonstration in the folder; None unless all of it is there."""
    try:
        bounded = load(folder / "bounded")
        traces = {name: _trace(_path(folder, name)) for name in SCHEMES}
    except (OSError, ValueError, KeyError):
        return None
    return Demonstration(bounded, traces) if bounded.complete else None


def _path(folder: Path, scheme: str) -> Path:
    return folder / f"{scheme.lower().replace(' ', '-')}.npz"


def _trace(path: Path) -> AdaptiveTrace:
    with np.load(path, allow_pickle=False) as stored:
        trace = AdaptiveTrace(*(stored[name] for name in AdaptiveTrace._fields))
    return trace._replace(target=float(trace.target), limit=float(trace.limit))
