"""An A/B test from a CSV file to a decision: look every day, and stop when it is safe.

    python examples/ab_test.py [visits.csv] [ab_test.png]

The file has the columns day, arm and reward. Without one, visits are made up: 60 days with 400
visitors each, of whom 10 % buy with the red button and 13 % with the green one. The intervals of
`summary` hold at every look at once, so that looking every day costs nothing. The figure needs the
extra: pip install ".[report]".
"""

import csv
import sys
import tempfile
from itertools import groupby
from pathlib import Path

import numpy as np

import rbmle


def made_up() -> Path:
    rng = np.random.default_rng(7)
    path = Path(tempfile.mkdtemp()) / "visits.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["day", "arm", "reward"])
        for day in range(1, 61):
            for arm in rng.choice(["red", "green"], 400):
                rows.writerow([day, arm, int(rng.random() < (0.13 if arm == "green" else 0.10))])
    return path


given = [Path(each) for each in sys.argv[1:]]
path = next((each for each in given if each.suffix == ".csv"), None) or made_up()
with path.open() as file:
    days = [
        (int(day), list(rows)) for day, rows in groupby(csv.DictReader(file), lambda r: r["day"])
    ]
arms = sorted({row["arm"] for _, rows in days for row in rows})
decider = rbmle.Decider(arms, "ts", "bernoulli")
looks = []
for day, rows in days:
    log = {"arm": [r["arm"] for r in rows], "reward": [float(r["reward"]) for r in rows]}
    decider.learn(log)
    found = decider.summary()
    looks.append((day, found.arms))
    if day % 10 == 0 or found.safe_to_stop:
        print(f"day {day}: {found.verdict}")
    if found.safe_to_stop:
        print(f"\n{found}\n\nstop, ship {found.leader}")
        break

pictures = [each for each in given if each.suffix == ".png"]
if pictures:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.4), layout="constrained")
    axes = figure.add_subplot(xlabel="day", ylabel="share of visitors who buy")
    for name, colour in zip(arms, ["#009e73", "#d55e00", "#0072b2"], strict=False):
        at = [day for day, _ in looks]
        low, mean, high = ([getattr(a[name], k) for _, a in looks] for k in ("low", "mean", "high"))
        axes.fill_between(at, low, high, color=colour, alpha=0.25, linewidth=0)
        axes.plot(at, mean, color=colour, label=name)
    axes.legend(frameon=False)
    figure.savefig(pictures[0], dpi=110)
