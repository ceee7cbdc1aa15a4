"""Compare policies on the log of another one, without playing them.

    python examples/off_policy.py [off_policy.png]

A shop has shown one of three banners (0: red, 1: green, 2: blue) at random, green more often than
the others, and noted with which probability. Visitors come by desktop or by phone, and like
different banners. What would other rules have earned? The figure needs the extra:
pip install ".[report]".
"""

import sys
from typing import Any

import numpy as np

import rbmle

CLICKS = np.array([[0.05, 0.06, 0.03], [0.02, 0.06, 0.09]])  # by desktop, by phone

# Stands for the real world: two visits of five are by phone. Floors that add up to 1 leave nothing
# to the policy: banners are shown at random.
visits = rbmle.TableFeatures(3, [[1.0, 0.0]] * 3 + [[0.0, 1.0]] * 2, common=True)
shop = rbmle.LinearProblem(np.log(CLICKS / (1.0 - CLICKS)).T, visits, "bernoulli")
shown = rbmle.Floor("ucb", {0: 0.25, 1: 0.5, 2: 0.25})
log = rbmle.simulate_log(shop, shown, 40_000, seed=3)


def by_device(piece: Any) -> Any:
    """Blue for phones, green for others: a row of probabilities for each visit."""
    phone = piece.columns["context"][:, :1, 1] == 1.0  # all banners have the visit's features
    return np.where(phone, [0.0, 0.0, 1.0], [0.0, 1.0, 0.0])


rules = {
    "as it was": {0: 0.25, 1: 0.5, 2: 0.25},
    "always green": {1: 1.0},
    "by device": by_device,
    "Thompson sampling": "ts",
}
found = {name: rbmle.evaluate(log, rule, family="bernoulli") for name, rule in rules.items()}
for name, each in found.items():
    print(f"{name}\n{each}\n")

try:
    rbmle.evaluate(log, {1: 0.5, 3: 0.5})
except rbmle.ParameterError as refused:
    print(refused)

if len(sys.argv) > 1:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.4), layout="constrained")
    axes = figure.add_subplot(xlabel="clicks per visit, with 95 % intervals")
    places = []
    for place, each in enumerate(found.values()):
        for k, (kind, value) in enumerate(each.estimates.items()):
            y = place + 0.15 * (k - 1.5)
            colour = {"IPS": "#0072b2", "SNIPS": "#56b4e9", "DR": "#009e73"}.get(kind, "#e69f00")
            label = kind if kind not in places else None
            places.append(kind)
            axes.plot([value.low, value.high], [y, y], color=colour, label=label)
            axes.plot(value.value, y, "o", color=colour)
    axes.set_yticks(range(len(found)), list(found))
    axes.invert_yaxis()
    axes.legend(frameon=False, fontsize=8)
    figure.savefig(sys.argv[1], dpi=110)
