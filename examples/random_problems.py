"""RBMLE on random problems: Bernoulli arms whose means are drawn uniformly from [0, 1].

    python examples/random_problems.py

The means of the paper's nine problems are close to one another. Here they are spread out, and RBMLE
with the alpha(t) of the paper's experiments explores more than necessary. Biasing by another
function of the mean, f = stable, mends it on these problems, and so does the form that
`rbmle.recommended` returns. Every policy meets the same rewards.
Standard errors over the problems are in brackets. It takes half a minute.
"""

import numpy as np

import rbmle

POLICIES = {
    "RBMLE, as published": rbmle.RBMLE(boundary="published"),
    "RBMLE": rbmle.RBMLE(),
    "RBMLE, alpha = log t": rbmle.RBMLE(1.0),
    "RBMLE, f = mean": rbmle.RBMLE(f="mean"),
    "RBMLE, f = stable": rbmle.RBMLE(f="stable"),
    "RBMLE, recommended": rbmle.recommended("bernoulli"),
    "Thompson sampling": rbmle.ThompsonSampling(),
    "IMED": rbmle.IMED(),
    "KL-UCB": rbmle.KLUCB(),
    "UCB": rbmle.UCB(),
}


def main(problems: int = 50, arms: int = 10, horizon: int = 10_000) -> None:
    means = np.random.default_rng(1).uniform(size=(problems, arms))
    regret = np.array(
        [
            rbmle.simulate(
                rbmle.Problem(rbmle.Bernoulli(), row), list(POLICIES.values()), horizon, 10
            ).final_regret.mean(axis=1)
            for row in means
        ]
    )
    print(f"Regret: {problems} problems, {arms} arms, means uniform in [0, 1], T = {horizon}")
    print(f"{'':22}{'mean':>16}{'median':>9}{'largest':>9}   below Thompson sampling on")
    reference = regret[:, list(POLICIES).index("Thompson sampling")]
    for name, each in zip(POLICIES, regret.T, strict=True):
        mean = f"{each.mean():.1f} ({each.std(ddof=1) / problems**0.5:.1f})"
        print(
            f"{name:22}{mean:>16}{np.median(each):9.1f}{each.max():9.1f}",
            f"  {(each < reference).sum():2} of {problems}",
        )


if __name__ == "__main__":
    main()
