"""The README's first example: four policies on three coins, their table and regret curves.

    python examples/first_figure.py [regret.svg]

With docs/images/regret.svg it draws the README's figure. The figure needs the extra:
pip install ".[report]".
"""

import sys

import rbmle

coins = rbmle.Problem(rbmle.Bernoulli(), [0.3, 0.5, 0.6])
policies = [rbmle.RBMLE(), rbmle.ThompsonSampling(), rbmle.KLUCB(), rbmle.UCB()]
result = rbmle.simulate(coins, policies, horizon=10_000, replications=200)
print(result)
if len(sys.argv) > 1:
    result.plot(path=sys.argv[1])
