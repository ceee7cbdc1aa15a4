"""News: one of 20 articles for each reader; at half time tastes change; clicks come an hour late.

    python examples/news.py

Readers have features. Each article has a taste of its own for them: how likely a click is follows a
logistic curve of the reader's features. A thousand readers come in an hour, for forty hours.
RBMLE plays with three kinds of evidence: it counts all clicks, it forgets old ones, or it fits each
article's clicks to the readers' features. Regret is clicks lost against the best article for each
reader, on average.

The world and the factor 0.99995 were chosen, with a few others tried, so that each part can be seen
to help: forgetting more, 0.9995, was worse than not forgetting, and in milder worlds forgetting did
not pay at all. Choose such a factor on data of your own.
"""

import numpy as np

import rbmle

ARTICLES, READERS_AN_HOUR, HOURS = 20, 1_000, 40
DIMENSION = 4  # 1, and three interests of a reader
REPLICATIONS = 10


def world() -> rbmle.Phases:
    """Readers from a table, and two phases: at half time the articles change their places."""
    draw = np.random.default_rng(7)
    readers = np.hstack([np.ones((500, 1)), draw.choice([-1.0, 1.0], size=(500, DIMENSION - 1))])
    taste = 0.4 * draw.normal(size=(ARTICLES, DIMENSION))
    taste[:, 0] = np.linspace(-3.0, 0.0, ARTICLES)  # what an article is to a reader on average
    features = rbmle.TableFeatures(ARTICLES, readers, common=True)
    before, after = (
        rbmle.LinearProblem(each, features, rbmle.Bernoulli()) for each in (taste, taste[::-1])
    )
    return rbmle.Phases([before, after], at=[READERS_AN_HOUR * HOURS // 2])


# Discounted(1) is Counting(), and FixedDelay(0) no delay: less is compiled if they are written so.
EVIDENCE = {
    "counts all clicks": rbmle.Discounted(1.0),
    "forgets old ones": rbmle.Discounted(0.99995),
    "reads features": rbmle.Linear(DIMENSION, shared=False),
}
DELAYS = {
    "clicks come at once": rbmle.FixedDelay(0),
    "an hour late": rbmle.FixedDelay(READERS_AN_HOUR, patience=2 * READERS_AN_HOUR),
    "late, not counted": rbmle.FixedDelay(READERS_AN_HOUR, pending="ignored"),
}


def main() -> None:
    news, horizon = world(), READERS_AN_HOUR * HOURS
    # A click is 0 or 1: its standard deviation is 0.5 at most.
    player = {"RBMLE": rbmle.Assuming(rbmle.RBMLE(), rbmle.Gaussian(0.5))}
    print(f"Regret of RBMLE: {ARTICLES} articles, {horizon:,} readers, tastes change at half time")
    print(f"{'':20}" + "".join(f"{name:>22}" for name in DELAYS))
    for name, evidence in EVIDENCE.items():
        cells = []
        for delay in DELAYS.values():
            result = rbmle.simulate(
                news, player, horizon, REPLICATIONS, checkpoints=[], evidence=evidence, delay=delay
            )
            [mean], [error] = result.final_regret.mean(axis=1), result.standard_errors()
            cells.append(f"{mean:.0f} ({error:.0f})")
        print(f"{name:20}" + "".join(f"{cell:>22}" for cell in cells))


if __name__ == "__main__":
    main()
