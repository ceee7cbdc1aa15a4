"""Compare policies on one problem: a table, differences on the same rewards, regret curves.

    python examples/compare.py [figure.png]

The figure needs the extra: pip install ".[report]".
"""

import sys

import rbmle

study = rbmle.Study(
    problems={"coins": rbmle.Problem(rbmle.Bernoulli(), [0.4, 0.5, 0.6])},
    policies=[rbmle.RBMLE(), rbmle.ThompsonSampling(), rbmle.KLUCB(), rbmle.UCB()],
    horizon=5_000,
    replications=100,
)
result = rbmle.run(study).result
print(result.summary())
print()
print(result.compare())

if len(sys.argv) > 1:
    result.plot().savefig(sys.argv[1])
