"""What ceilings must not rely on."""

import numpy as np
import pytest

from rbmle.families import Bernoulli, Gaussian
from rbmle.policies import KG, KLUCB
from rbmle.policies.arms import Arms, Clock
from rbmle.policies.recommended import recommended
from rbmle.random import Draws
from rbmle.testing.chooser_checks import makers_of_choosers

CASES = [(KG(), Gaussian()), (KLUCB(), Bernoulli()), (recommended("bernoulli"), Bernoulli())]


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "family"), CASES, ids=repr)
def test_rounds_may_be_taken_back(policy, family):
    """As when pulls are withdrawn: then more rounds are left than before, or fewer have passed."""
    rng, n = np.random.default_rng(2), 4
    scan, *others = (make(n) for make in makers_of_choosers(policy, family))
    arms, t = Arms.fresh(n), 1
    for _ in range(300):
        clock, draws = Clock(t, 1000), Draws(1, 0, 0, t, True)
        picked = [
            chooser.pick(policy, np.zeros(0), family, arms, clock, draws)
            for chooser in (scan, *others)
        ]
        assert set(picked) == {picked[0]}
        arms.learn(picked[0], float(rng.random() < 0.4 + 0.1 * picked[0]))
        for chooser in others:
            chooser.changed(picked[0])
        t = min(t + 20, 1000) if t < 60 or rng.random() < 0.9 else int(rng.integers(n + 1, t))
