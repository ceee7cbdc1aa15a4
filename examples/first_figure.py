"""The README's first example: four policies on three coins, the table and the regret curves.

    python examples/first_figure.py [regret.png]

`python examples/first_figure.py docs/images/regret.png` draws the README's figure again. The figure
needs the extra: pip install "rbmle[report]".
"""

import sys

import rbmle

coins = rbmle.Problem(rbmle.Bernoulli(), [0.3, 0.5, 0.6])
policies = [rbmle.RBMLE(), rbmle.ThompsonSampling(), rbmle.KLUCB(), rbmle.UCB()]
result = rbmle.simulate(coins, policies, horizon=10_000, replications=200)
print(result)
if len(sys.argv) > 1:
    result.plot().savefig(sys.argv[1])
