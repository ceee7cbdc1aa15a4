"""examples/routing.py: the router beats what is fixed, and stays within its budget."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "routing.py"


@pytest.mark.slow
def test_the_router_beats_the_best_model_and_the_best_mixture_of_the_same_spend() -> None:
    """On requests that nothing was chosen on, by more than three standard errors."""
    spec: Any = importlib.util.spec_from_file_location("routing", EXAMPLE)
    routing: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(routing)
    world = routing.World()
    assert not set(world.reported) & {*world.taught, *world.chosen_on}
    features, accuracy = world.features(12), world.accuracy(world.reported)
    for budget in (1.5, 2.0, 4.0, 8.0):
        each = [routing.route(world, world.reported, features, budget, seed) for seed in range(5)]
        right, spent = np.array(each).T
        assert spent.max() <= budget
        single, mixture = routing.fixed(accuracy, budget)
        assert single <= mixture < right.mean() - 3.0 * right.std(ddof=1) / np.sqrt(5)
