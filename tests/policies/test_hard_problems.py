"""The recommended form does not lose the best arm for good more often than Thompson sampling."""

import numpy as np
import pytest

import rbmle
from benchmarks.hard_problems import REPORT

# The 99 % and the 99.9 % quantile of regret, in units of Thompson sampling's. The exception is
# stated in docs/explanation/claims.md: one run in a hundred never finds the arm at .62.
MOST = dict.fromkeys(REPORT, (2.0, 3.0)) | {".62, 14 x .55": (2.5, 3.0)}


@pytest.mark.slow
@pytest.mark.parametrize("name", REPORT)
def test_unlucky_runs_are_as_short_as_thompson_samplings(name):
    """Of 1,000 runs the 99.9 % quantile is the second largest. On the first problem, where it
    varies most, it was 0.4 to 1.6 times Thompson sampling's with four seeds."""
    family, [means], horizon, _ = REPORT[name]
    policies = ["ts", rbmle.recommended(family)]
    problem = rbmle.Problem(family, means)
    result = rbmle.simulate(problem, policies, horizon, 1_000, seed=17, checkpoints=[horizon])
    thompson, ours = np.quantile(result.final_regret, [0.99, 0.999], axis=1).T
    assert (ours <= np.array(MOST[name]) * thompson).all()
