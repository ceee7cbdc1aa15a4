"""A published table beside our recomputation of it: mean, std and quantiles of the final regret.

    python examples/table.py                            the fast policies of Figure 1a's table
    python examples/table.py Gaussian_ID=24 RBMLE TS    any table, any of its policies

A printed number that is not ours, rounded half up as in print, is marked with a `!`.
"""

import sys
from decimal import Decimal
from math import floor

import rbmle
from rbmle.published import tables
from rbmle.result import STATISTICS

TABLE = "Bernoulli_ID=2"
FAST = ["RBMLE", "UCB", "UCBT", "MOSS", "KG", "KGMin", "KGMN"]


def agrees(ours: float, printed: float) -> bool:
    """Whether ours is printed like that, in as many decimals."""
    scale = 10.0 ** -int(Decimal(str(printed)).as_tuple().exponent)
    return floor(ours * scale + 0.5 + 1e-6) == round(printed * scale)


def main(table: str = TABLE, *names: str) -> None:
    entry = tables()["regret"][table]
    columns = entry["policies"]
    names = names or tuple(name for name in FAST if name in columns)
    result = rbmle.simulate(
        rbmle.published_problem(table),
        [rbmle.published(table, name) for name in names],
        horizon=entry["horizon"],
        replications=entry["trials"],
        rewards=rbmle.PublishedTable(seed=46),
        ties="first",
    )
    print(f"{table}: final regret, T = {entry['horizon']}, {entry['trials']} trials")
    print(f"{'':22}" + " ".join(f"{each:>10}" for each in STATISTICS))
    agreeing = 0
    for name, ours in zip(names, result.statistics(), strict=True):
        printed = [columns[name][each] for each in STATISTICS]
        marks = [" " if agrees(*pair) else "!" for pair in zip(ours, printed, strict=True)]
        agreeing += marks.count(" ")
        pairs = zip(printed, marks, strict=True)
        row = "".join(f"{each:>10}{mark}" for each, mark in pairs)
        print(f"{name:10}  ours      " + " ".join(f"{each:10.4f}" for each in ours))
        print(f"{'':10}  published " + row.rstrip())
    print(f"{agreeing} of {len(names) * len(STATISTICS)} printed numbers agree to the last digit.")


if __name__ == "__main__":
    main(*sys.argv[1:])
