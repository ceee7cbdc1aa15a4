"""Two equal arms, and two kinds of intervals: how many runs have ever missed the truth?

    python examples/equal_arms.py [equal_arms.png]

Thompson sampling plays two coins of 0.5 for 5,000 decisions, and every 50 decisions someone looks
at the usual interval, mean +- 1.96 standard errors, and at the confidence sequence that
`Decider.summary` tells. With docs/images/equal_arms.png it draws the figure of
docs/explanation/inference.md.
"""

import sys

import numpy as np

import rbmle
from rbmle.inference.intervals import interval

T, EVERY, RUNS = 5_000, 50, 400
rewards = (np.random.default_rng(1).random((RUNS, T, 2)) < 0.5).astype(float)
# The second mean is less by an amount that nobody can notice, so that pulls of the first count.
coins = rbmle.Problem(rbmle.Bernoulli(), [0.5, 0.5 - 1e-12])
rounds = np.arange(1, T + 1)
result = rbmle.simulate(coins, ["ts"], T, RUNS, rbmle.Table(rewards), checkpoints=rounds)
first = np.diff(result.best_pulls[0], axis=1, prepend=0).astype(bool)
looks = rounds[EVERY - 1 :: EVERY]
pulls = np.stack([first, ~first]).cumsum(axis=2)[:, :, looks - 1].astype(float)
paid = np.stack([first * rewards[..., 0], ~first * rewards[..., 1]])
sums = paid.cumsum(axis=2)[:, :, looks - 1]

means = sums / pulls
errors = 1.96 * np.sqrt(means * (1.0 - means) / pulls)
usual = means - errors, means + errors
always = interval(rbmle.Bernoulli(), pulls, sums, level=0.975)  # 0.95 for both arms
missed = {}
for name, (low, high) in {"mean +- 1.96 s.e.": usual, "confidence sequence": always}.items():
    out = np.any((low > 0.5) | (high < 0.5), axis=0)  # of the two arms
    missed[name] = np.maximum.accumulate(out, axis=1).mean(axis=0)
    print(f"{name}: {out[:, -1].mean():.1%} of runs miss at the end, {missed[name][-1]:.1%} ever")

if len(sys.argv) > 1:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    colours = "#d55e00", "#0072b2"
    for (low, high), colour, name in zip((usual, always), colours, missed, strict=True):
        for end in (low, high):
            left.plot(looks, end[0, 0], color=colour)
        right.plot(looks, missed[name], color=colour, label=name)
    left.axhline(0.5, color="#222223", linewidth=0.8)
    left.set(xlabel="decision", ylabel="mean of one arm, in one run", ylim=(0.3, 0.7))
    right.axhline(0.05, color="#222223", linewidth=0.8, linestyle=":")
    right.set(xlabel="decision", ylabel="runs that have ever missed", ylim=(0, 1))
    right.legend(frameon=False, loc="center right")
    figure.savefig(sys.argv[1], dpi=90)
