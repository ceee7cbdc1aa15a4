"""Compare policies on the log of another one, without playing them.

    python examples/off_policy.py [off_policy.png]

A shop has shown one of three banners at random, green more often than the others, and noted with
which probability. Visitors come by phone or by desktop, and like different banners. What would
other rules have earned? The figure needs the extra: pip install ".[report]".
"""

import sys
from typing import Any

import numpy as np

import rbmle

ARMS = ["red", "green", "blue"]
CHANCES = np.array([0.25, 0.5, 0.25])
CLICKS = {False: np.array([0.05, 0.06, 0.03]), True: np.array([0.02, 0.06, 0.09])}  # by phone?

rng = np.random.default_rng(3)
phone = rng.random(40_000) < 0.4
shown = rng.choice(3, phone.size, p=CHANCES)
clicked = rng.random(phone.size) < np.where(phone, CLICKS[True][shown], CLICKS[False][shown])
log = {
    "arm": np.array(ARMS)[shown],
    "reward": clicked.astype(float),
    "probability": CHANCES[shown],
    "phone": phone,
}


def by_device(piece: Any) -> Any:
    """Blue for phones, green for others: a row of probabilities for each visit."""
    return np.where(piece.columns["phone"][:, None], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0])


rules = {
    "as it was": {"red": 0.25, "green": 0.5, "blue": 0.25},
    "always green": {"green": 1.0},
    "by device": by_device,
    "Thompson sampling": "ts",
}
found = {
    name: rbmle.evaluate(log, rule, arms=ARMS, family="bernoulli") for name, rule in rules.items()
}
for name, each in found.items():
    print(f"{name}\n{each}\n")

try:
    rbmle.evaluate(log, {"green": 0.5, "gold": 0.5})
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
