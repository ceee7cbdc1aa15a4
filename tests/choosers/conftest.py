"""What plays a policy with every chooser that the facts about it allow."""

import numpy as np
import pytest

from rbmle.live import settings
from rbmle.testing.policy_checks import makers_of_choosers


@pytest.fixture
def by_each_chooser():
    """Call a function with each chooser that fits the policy; the results must be the scan's."""

    def each(policy, family, n_arms, action):
        scan, *others = (action(make(n_arms)) for make in makers_of_choosers(policy, family))
        assert others
        for other in others:
            for one, expected in zip(other, scan, strict=True):
                assert np.array_equal(one, expected)

    return each


@pytest.fixture
def live_by_each_chooser(monkeypatch):
    """The same for a function of a `Decider`, whose number of arms may change."""

    def each(policy, family, action):
        results = []
        for make in makers_of_choosers(policy, family):
            monkeypatch.setattr(settings, "chooser_for", lambda p, f, n, e, make=make: make(n))
            results.append(action())
        assert all(each == results[0] for each in results)

    return each
