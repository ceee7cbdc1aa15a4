"""What late rewards cost: the table of docs/howto/worlds.md. About a minute, most of it compiling.

python benchmarks/delays.py
"""

from __future__ import annotations

import rbmle

POLICIES = {"RBMLE": "rbmle", "UCB": "ucb", "Thompson sampling": "ts"}
COINS = rbmle.Problem("bernoulli", [0.4, 0.45, 0.5, 0.55, 0.6])
HORIZON, REPLICATIONS = 10_000, 400


def main() -> None:
    print("| delay | pending pulls | " + " | ".join(POLICIES) + " |")
    print("|---|---|" + "---|" * len(POLICIES))
    for rounds in (0, 10, 100, 500):
        for pending in ("counted", "ignored"):
            delay = rbmle.FixedDelay(rounds, pending=pending)
            result = rbmle.simulate(
                COINS, POLICIES, HORIZON, REPLICATIONS, checkpoints=[], delay=delay
            )
            means, errors = result.final_regret.mean(axis=1), result.standard_errors()
            cells = [f"{x:.1f} ({y:.1f})" for x, y in zip(means, errors, strict=True)]
            print(f"| {rounds} | {pending} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
