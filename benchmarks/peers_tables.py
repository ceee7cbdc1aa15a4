"""Two tables of labelled rows as contextual bandits, played by `Decider` and by other libraries.

    pip install mabwiser river coba contextualbandits scikit-learn
    python benchmarks/peers_tables.py              # five minutes
    python benchmarks/peers_tables.py --choose     # how alpha was chosen, on other tables: a minute

The arm is the predicted class, the reward 1 if it is right. River's phishing data: 1,250 rows, 9
numbers, 2 classes. Scikit-learn's digits: 1,797 rows, 64 numbers, 10 classes. Each library's linear
policies play the same streams, in the order of the file and in shuffled ones, with the numbers as
they are (raw), scaled as `Encode` scales numbers and with an intercept, and encoded: the features
that ours learns from. How ours is told the columns is decided by the first 200 rows of each stream
(`chosen`). Its settings: alpha was chosen among 0.01, 0.02, 0.05, 0.1, 0.5 and 2 by the mean reward
on other data, iris, wine and breast cancer of scikit-learn and river's image segments; sigma is the
largest deviation of a reward in [0, 1]; the rest is the default. Times are those of the processor
in the thread that plays, so that other programs do not count.
"""

from __future__ import annotations

import functools
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
POLICY, FAMILY = "ucb(alpha=0.02)", "gaussian(sigma=0.5)"
FIRST = 200  # rows by which it is decided how columns are told: a choice
# coba's model of digits has 660 features, and a round of it takes 25 ms.
FEWER_ROWS = {("digits", "coba"): 300}


class Played(NamedTuple):
    """How many rows were right, of how many, and the microseconds of a decision with its reward."""

    right: float
    rows: int
    micros: float


def tables() -> dict[str, tuple[Floats, NDArray[np.int64]]]:
    """The numbers and the classes of both tables."""
    from river.datasets import Phishing
    from sklearn.datasets import load_digits

    digits, rows = load_digits(), list(Phishing())
    x = np.array([list(row.values()) for row, _ in rows], dtype=float)
    return {"phishing": (x, np.array([int(y) for _, y in rows])),
            "digits": (digits.data, digits.target)}  # fmt: skip


def raw(x: Floats, y: NDArray[np.int64]) -> Floats:
    """The numbers as they are."""
    return x


def scaled(x: Floats, y: NDArray[np.int64]) -> Floats:
    """What `Encode` makes of numbers: 1, and each less its mean over its deviation so far."""
    n = np.arange(1, len(x) + 1)[:, None]
    mean = np.cumsum(x, axis=0) / n
    variance = np.cumsum(x * x, axis=0) / n - mean * mean
    z = np.where(variance > 1e-12, (x - mean) / np.sqrt(np.maximum(variance, 1e-12)), 0.0)
    return np.hstack([np.ones((len(x), 1)), z])


Columns = tuple[list[str], dict[str, list[str]]]


def columns(x: Floats, most: int) -> Columns:
    """The columns that are numbers, and the values of those that are categories, because the first
    rows have at most so many of them; another value later is "other"."""
    values = {f"x{k}": sorted(set(column)) for k, column in enumerate(x[:FIRST].T.tolist())}
    categories = {name: list(map(str, each)) for name, each in values.items() if len(each) <= most}
    return [name for name in values if name not in categories], categories


@functools.cache
def _chosen(x: bytes, y: bytes, width: int) -> int:
    """0 for numbers alone, 3 for categories of up to three values: with which ours has more of the
    first rows right; numbers, if it is the same."""
    rows, classes = np.frombuffer(x).reshape(-1, width), np.frombuffer(y, np.int64)
    arms = list(range(int(classes.max()) + 1))
    right = {most: play(rows, classes, arms, columns(rows, most)).right for most in (0, 3)}
    return max(right, key=right.__getitem__)


def chosen(x: Floats, y: NDArray[np.int64]) -> Columns:
    """How the columns are told to ours: decided by the first 200 rows of the stream."""
    some = np.ascontiguousarray(x[:FIRST]), np.ascontiguousarray(y[:FIRST])
    return columns(x, _chosen(some[0].tobytes(), some[1].tobytes(), x.shape[1]))


def words(x: Floats, told: Columns) -> list[dict[str, Any]]:
    """The rows of a table, with words where a column is a category."""
    named = [{f"x{k}": value for k, value in enumerate(row)} for row in x.tolist()]
    return [{k: str(v) if k in told[1] else v for k, v in row.items()} for row in named]


def encoded(x: Floats, y: NDArray[np.int64]) -> Floats:
    """The features that ours learns from."""
    from rbmle import Encode
    from rbmle.tables import Encoder

    told = chosen(x, y)
    encoder, rows = Encoder(Encode(*told).layout, [0]), []
    for row in words(x, told):
        features, encoder.scale = encoder.peek(encoder.layout.cells("Encode", row)[None])
        rows.append(features[0])
    return np.array(rows)


def timed(classes: NDArray[np.int64], decide: Callable[[int], int], learn: Any) -> Played:
    """Play a stream. decide: the arm for a row. learn: is told the row, the arm and the reward."""
    right, start = 0.0, time.thread_time()
    for n, label in enumerate(classes.tolist()):
        arm = decide(n)
        reward = float(arm == label)
        learn(n, arm, reward)
        right += reward
    return Played(right, len(classes), 1e6 * (time.thread_time() - start) / len(classes))


def rbmle(x: Floats, y: NDArray[np.int64], arms: list[int], policy: str = POLICY) -> Played:
    return play(x, y, arms, chosen(x, y), policy)


def play(
    x: Floats, y: NDArray[np.int64], arms: list[int], told: Columns, policy: str = POLICY
) -> Played:
    from rbmle import Decider, Encode, Linear

    rows, evidence = words(x, told), Linear(features=Encode(*told), shared=False)
    live = Decider(arms, policy, FAMILY, evidence=evidence)
    return timed(y, lambda n: live.pull(context=rows[n]), lambda _, arm, r: live.update(arm, r))


def mabwiser(kind: str, x: Floats, y: NDArray[np.int64], arms: list[int]) -> Played:
    from mabwiser.mab import MAB, LearningPolicy

    policies = {
        "LinUCB": LearningPolicy.LinUCB(alpha=1.0),
        "LinTS": LearningPolicy.LinTS(alpha=1.0),
    }
    live = MAB(arms=arms, learning_policy=policies[kind], seed=1)

    def learn(n: int, arm: int, reward: float) -> None:
        (live.partial_fit if n else live.fit)([arm], [reward], x[n : n + 1])

    return timed(y, lambda n: live.predict(x[n : n + 1]) if n else 0, learn)


def river(kind: str, x: Floats, y: NDArray[np.int64], arms: list[int]) -> Played:
    from river import bandit

    live = bandit.LinUCBDisjoint(alpha=1.0, beta=1.0, seed=1)
    rows = [dict(enumerate(row)) for row in x.tolist()]
    return timed(
        y, lambda n: live.pull(arms, context=rows[n]), lambda n, a, r: live.update(a, rows[n], r)
    )


def contextualbandits(kind: str, x: Floats, y: NDArray[np.int64], arms: list[int]) -> Played:
    from contextualbandits import online

    common = {"fit_intercept": False, "random_state": 1}
    if kind == "LinUCB":
        live: Any = online.LinUCB(len(arms), alpha=1.0, **common)
    else:  # as peers_features_play.py says
        live = online.LinTS(len(arms), v_sq=1.0, sample_from="ci", method="sm", **common)

    def learn(n: int, arm: int, reward: float) -> None:
        live.partial_fit(x[n : n + 1], np.array([arm]), np.array([reward]))

    return timed(y, lambda n: int(live.predict(x[n : n + 1])[0]) if n >= len(arms) else n, learn)


def coba(kind: str, x: Floats, y: NDArray[np.int64], arms: list[int]) -> Played:
    from coba.learners import LinTSLearner, LinUCBLearner

    learner = LinUCBLearner if kind == "LinUCB" else LinTSLearner
    live, rows = learner(features=["a", "ax"]), list(map(tuple, x.tolist()))
    actions = [tuple(float(i == j) for i in arms) for j in arms]
    last: list[Any] = []

    def decide(n: int) -> int:
        last[:] = live.predict(rows[n], actions)
        return actions.index(last[0])

    return timed(y, decide, lambda n, _, reward: live.learn(rows[n], last[0], reward, last[1]))


PEERS: dict[str, tuple[Callable[..., Played], tuple[str, ...]]] = {
    "MABWiser": (mabwiser, ("LinUCB", "LinTS")),
    "river": (river, ("LinUCB",)),
    "contextualbandits": (contextualbandits, ("LinUCB", "LinTS")),
    "coba": (coba, ("LinUCB",)),
}


def stream(x: Floats, y: NDArray[np.int64], order: int) -> tuple[Floats, NDArray[np.int64]]:
    """The rows in the order of the file, 0, or in a shuffled one."""
    places = np.random.default_rng(order).permutation(len(y)) if order else np.arange(len(y))
    return x[places], y[places]


def main(orders: int = 3) -> None:
    warnings.simplefilter("ignore")
    for name, (x, y) in tables().items():
        arms = list(range(int(y.max()) + 1))
        print(f"{name}: {len(y):,} rows, {x.shape[1]} numbers, {len(arms)} classes")
        print(
            f"{'right: in the order of the file, mean':34}{f'of {orders}':>8}{'us':>8}{'x ours':>8}"
        )
        rbmle(x[:99], y[:99], arms)  # compile
        ours = [rbmle(*stream(x, y, order), arms) for order in range(orders)]
        show("rbmle", ours, ours)
        for peer, (others, kinds) in PEERS.items():
            rows = FEWER_ROWS.get((name, peer), len(y))
            for kind in kinds:
                for form in (raw, scaled, encoded):
                    own, theirs = [], []
                    for order in range(orders if rows == len(y) else 1):
                        a, b = (each[:rows] for each in stream(x, y, order))
                        theirs.append(others(kind, form(a, b), b, arms))
                        own.append(rbmle(a, b, arms))  # in turns: the machine may be busy
                    show(f"{peer} {kind}, {form.__name__}", theirs, own)


def show(label: str, played: list[Played], ours: list[Played]) -> None:
    """Print a line: rewards, the least time of a decision, and that as a multiple of ours."""
    right, micros = [each.right for each in played], min(each.micros for each in played)
    times = micros / min(each.micros for each in ours)
    few = f"  (of {played[0].rows}; ours {ours[0].right:.0f})" if len(played) == 1 else ""
    print(
        f"{label:34}{right[0]:6.0f}{np.mean(right):8.1f}{micros:8.0f}{times:8.1f}{few}", flush=True
    )


def choose(orders: int = 20) -> None:
    """The share of rows that are right, for each alpha, on tables that are not played above."""
    from river.datasets import ImageSegments
    from sklearn import datasets

    made = [datasets.load_iris(), datasets.load_wine(), datasets.load_breast_cancer()]
    others = [(each.data, each.target) for each in made]
    rows = list(ImageSegments())
    classes = np.unique([label for _, label in rows], return_inverse=True)[1]
    others.append((np.array([list(row.values()) for row, _ in rows], dtype=float), classes))
    for alpha in (0.01, 0.02, 0.05, 0.1, 0.5, 2.0):
        shares = []
        for x, y in others:
            arms = list(range(int(y.max()) + 1))
            streams = [stream(x, y, order) for order in range(1, orders + 1)]
            played = [rbmle(*each, arms, f"ucb(alpha={alpha})") for each in streams]
            shares.append(float(np.mean([each.right / each.rows for each in played])))
        told = "  ".join(f"{each:.4f}" for each in shares)
        print(f"alpha = {alpha:4g}: {told}; mean {np.mean(shares):.4f}", flush=True)


if __name__ == "__main__":
    choose() if "--choose" in sys.argv else main()
