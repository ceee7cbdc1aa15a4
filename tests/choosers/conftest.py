"""Runs by every chooser that a policy's promises allow."""

import pytest

from rbmle import engine
from rbmle.choosers import Champion, Scan, Tournament
from rbmle.choosers.promises import bounds_for, curve_for
from rbmle.live import live_arms


def choosers(policy, family):
    """How to make each chooser that fits the policy, the scan first."""
    curve, bounds = curve_for(policy, family), bounds_for(policy, family)
    made = [Scan]
    made += [] if curve is None else [lambda n: Tournament.of(curve, n)]
    made += [] if bounds is None else [lambda n: Champion.of(bounds)]
    return made


@pytest.fixture
def by_each_chooser(monkeypatch):
    """Do something once with each chooser that fits the policy; what it gave, the scan's first."""

    def each(policy, family, action):
        results = []
        for make in choosers(policy, family):
            for module in (engine, live_arms):
                monkeypatch.setattr(module, "chooser_for", lambda p, f, n, make=make: make(n))
            results.append(action())
        assert len(results) > 1
        return results

    return each
