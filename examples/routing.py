"""Routing: which model answers this request? Dear models are right more often; a budget is given.

    python examples/routing.py [routing.png]

Requests are scikit-learn's handwritten digits, models are classifiers of different price:

    small     1   a logistic regression that was only ever shown the digits 0 to 4
    medium    3   a decision tree
    large    10   a support vector machine

Half of the digits trains the models and chooses the only setting, the number of clusters by which a
request is described. All that is printed is of the other half, which nothing was chosen on: each
of its requests comes once, in ten random orders. A router pays for each answer, and is told twenty
requests later whether it was right; it is told nothing of the models that it did not ask. It is
compared with the best single model that the budget affords for all requests, and with the best
fixed mixture of models: each request to a model drawn by lot, at the best odds that cost the same.

It needs two extras, pip install ".[examples,report]", the second for the figure.
"""

import sys

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import rbmle

Numbers = NDArray[np.float64]
PRICE = {"small": 1.0, "medium": 3.0, "large": 10.0}
BUDGETS = (1.5, 2.0, 3.0, 4.0, 6.0, 8.0)  # for each request, on average
LATE = 20  # requests after which it is told whether an answer was right
ORDERS = 10


class World:
    """The requests, and which models answer them right."""

    def __init__(self) -> None:
        pixels, digit = load_digits(return_X_y=True)
        self.pixels = pixels / 16.0
        order = np.random.default_rng(0).permutation(digit.size)
        half = digit.size // 2
        self.taught, self.chosen_on, self.reported = np.split(order, [half // 2, half])
        easy = self.taught[digit[self.taught] < 5]
        models = {
            "small": (LogisticRegression(max_iter=1_000), easy),
            "medium": (DecisionTreeClassifier(random_state=0), self.taught),
            "large": (SVC(), self.taught),
        }
        self.right = {
            name: model.fit(self.pixels[rows], digit[rows]).predict(self.pixels) == digit
            for name, (model, rows) in models.items()
        }

    def features(self, clusters: int) -> Numbers:
        """A request by the cluster that it is nearest to: a row of zeros and a one."""
        kmeans = KMeans(clusters, random_state=0).set_params(n_init=4)
        found = kmeans.fit(self.pixels[self.taught])
        return np.asarray(np.eye(clusters)[found.predict(self.pixels)])

    def accuracy(self, rows: NDArray[np.int64]) -> dict[str, float]:
        return {name: float(right[rows].mean()) for name, right in self.right.items()}


def route(
    world: World, rows: NDArray[np.int64], features: Numbers, budget: float, seed: int
) -> tuple[float, float]:
    """The share of right answers, and what a request cost, if RBMLE routes them in random order."""
    requests = np.random.default_rng(seed).permutation(rows)
    router = rbmle.Decider(
        list(PRICE), "recommended", rbmle.Gaussian(sigma=0.5), seed=seed, horizon=requests.size,
        evidence=rbmle.Linear(features.shape[1], shared=False),
        cost=PRICE, budget=budget * requests.size,
    )  # fmt: skip
    right = []
    for number, request in enumerate(requests):
        model = router.pull(id=number, context=features[request])
        right.append(float(world.right[model][request]))
        if number >= LATE:
            router.update(id=number - LATE, reward=right[number - LATE])
    return float(np.mean(right)), router.spend.spent / requests.size


def fixed(accuracy: dict[str, float], budget: float) -> tuple[float, float]:
    """The accuracy of the best single model and of the best mixture that cost at most this."""
    single = max(accuracy[name] for name, price in PRICE.items() if price <= budget)
    best = single
    for cheap, low in PRICE.items():
        for dear, high in PRICE.items():
            if low <= budget < high:
                share = (budget - low) / (high - low)
                best = max(best, share * accuracy[dear] + (1.0 - share) * accuracy[cheap])
    return single, best


def chosen_clusters(world: World) -> int:
    """The number of clusters with the most right answers where settings are chosen."""

    def right(clusters: int) -> float:
        features = world.features(clusters)
        return sum(route(world, world.chosen_on, features, 4.0, seed)[0] for seed in range(ORDERS))

    return max((8, 12, 16, 24), key=right)


def main() -> None:
    world = World()
    clusters = chosen_clusters(world)
    features, accuracy = world.features(clusters), world.accuracy(world.reported)
    told = ", ".join(f"{name} {accuracy[name]:.3f} for {price:g}" for name, price in PRICE.items())
    print(f"{world.reported.size} requests, {clusters} clusters. Right answers: {told}")
    print("  budget   best model  best mixture         routed   spent")
    curve = []
    for budget in BUDGETS:
        runs = np.array(
            [route(world, world.reported, features, budget, seed) for seed in range(ORDERS)]
        )
        assert runs[:, 1].max() <= budget  # in every order
        (right, spent), error = runs.mean(axis=0), runs[:, 0].std(ddof=1) / np.sqrt(ORDERS)
        single, mixture = fixed(accuracy, budget)
        print(f"{budget:8.1f}{single:13.3f}{mixture:14.3f}{right:9.3f} ({error:.3f}){spent:8.2f}")
        curve.append((spent, right, error))
    if len(sys.argv) > 1:
        draw(np.array(curve), accuracy, sys.argv[1])


def draw(curve: Numbers, accuracy: dict[str, float], path: str) -> None:
    """Accuracy against spend."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    spends = np.linspace(1.0, 10.0, 200)
    axes.plot(
        spends,
        [fixed(accuracy, each)[1] for each in spends],
        "--",
        color="0.5",
        label="best fixed mixture of models",
    )
    axes.plot(
        list(PRICE.values()),
        [accuracy[name] for name in PRICE],
        "s",
        color="black",
        label="one model for all requests",
    )
    for name, price in PRICE.items():
        axes.annotate(name, (price, accuracy[name]), xytext=(6, -12), textcoords="offset points")
    spent, right, error = curve.T
    axes.errorbar(
        spent,
        right,
        2.0 * error,
        fmt="o-",
        color="tab:blue",
        capsize=3,
        label="routed by RBMLE (mean of ten orders, two standard errors)",
    )
    axes.set(
        xlabel="spent for each request",
        ylabel="share of right answers",
        xlim=(0.5, 11.0),
        ylim=(0.45, 1.0),
    )
    axes.legend(loc="lower right", frameon=False)
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main()
