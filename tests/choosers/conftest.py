"""Fixtures that play a policy with every chooser that its promises allow."""

import pytest

from rbmle.choosers import Ceilings, Champion, Chords, Lines, LineTournament, Scan, Tournament
from rbmle.choosers.promises import bounds_for, curve_for, line_for, rising_for
from rbmle.engine import cpu_kernel
from rbmle.live import live_arms


def choosers(policy, family):
    """Functions that make the choosers which fit the policy, the scan first."""
    curve, bounds = curve_for(policy, family), bounds_for(policy, family)
    made = [Scan]
    made += [] if curve is None else [lambda n: Tournament.of(curve, n)]
    made += [] if curve is None or curve.bends() == 0 else [lambda n: Chords.of(curve, n)]
    made += [] if bounds is None else [lambda n: Champion.of(bounds)]
    line = line_for(policy, family)
    made += [] if line is None else [lambda n: Lines.of(line, n)]
    if line is not None and line.helps_many():
        made.append(lambda n: LineTournament.of(line, n))
    rising = rising_for(policy, family)
    made += [] if rising is None else [lambda n: Ceilings.of(rising, n)]
    return made


@pytest.fixture
def by_each_chooser(monkeypatch):
    """Call a function with each chooser that fits the policy; its results, the scan's first."""

    def each(policy, family, action):
        results = []
        for make in choosers(policy, family):
            for module in (cpu_kernel, live_arms):
                monkeypatch.setattr(module, "chooser_for", lambda p, f, n, *_, make=make: make(n))
            results.append(action())
        assert len(results) > 1
        return results

    return each
