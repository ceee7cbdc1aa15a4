"""Fixtures that play a policy with every chooser that its promises allow."""

import pytest

from rbmle.engine import cpu_kernel
from rbmle.live import live_arms
from rbmle.testing.chooser_checks import makers_of_choosers


@pytest.fixture
def by_each_chooser(monkeypatch):
    """Call a function with each chooser that fits the policy; its results, the scan's first."""

    def each(policy, family, action):
        results = []
        for make in makers_of_choosers(policy, family):
            for module in (cpu_kernel, live_arms):
                monkeypatch.setattr(module, "chooser_for", lambda p, f, n, *_, make=make: make(n))
            results.append(action())
        assert len(results) > 1
        return results

    return each
