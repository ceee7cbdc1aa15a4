"""Play policies on rewards that were logged elsewhere: a CSV file with one column for each arm.

    python examples/logged_rewards.py [rewards.csv]

Row t has the reward of each arm in round t. Without a file, rewards are made up. The means of the
columns count as the arms' means for the regret.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import rbmle

if len(sys.argv) > 1:
    path = Path(sys.argv[1])
else:
    path = Path(tempfile.mkdtemp()) / "rewards.csv"
    made_up = np.random.default_rng(1).binomial(1, [0.2, 0.3, 0.35], (5_000, 3))
    np.savetxt(path, made_up, fmt="%d", delimiter=",", header="red,green,blue", comments="")

names = path.read_text().splitlines()[0].split(",")
rewards = np.loadtxt(path, delimiter=",", skiprows=1)
problem = rbmle.Problem(rbmle.Bernoulli(), rewards.mean(axis=0))
policies = [rbmle.RBMLE(), rbmle.KLUCB(), rbmle.UCB()]
result = rbmle.simulate(
    problem, policies, horizon=len(rewards), replications=1, rewards=rbmle.Table(rewards)
)
for policy, regret, pulls in zip(
    result.names, result.final_regret[:, 0], result.pulls[:, 0], strict=True
):
    played = ", ".join(f"{name} {count}" for name, count in zip(names, pulls, strict=True))
    print(f"{policy:8} regret {regret:7.1f}   {played}")
