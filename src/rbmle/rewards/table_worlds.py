"""Worlds that are tables: `Classification`, rows with a label, and `Replay`, logged rounds."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .._io.text import count_text, number_text
from .._numba.compile import Floats
from ..errors import Interval, ParameterError
from ..families import Bernoulli
from ..random import MAX_ARMS, key
from ..tables import DataTable, Encode
from ..tables.layout import RUNNING, Column
from ..tables.rows import Category
from .problems import Pays, World
from .table_rounds import Places, TableRounds


class Logged(NamedTuple):
    """The law of logged rewards: nothing is known of it but where they were."""

    low: float
    high: float

    def reward_interval(self) -> Interval:
        """The interval of the rewards."""
        return Interval(self.low, self.high, True, True)


@dataclass(frozen=True, eq=False, repr=False)
class TableWorld(World):
    """A table as a world: its rows are the rounds, and each names one of the arms.

    arms: the names, sorted. cells: what `features` read of each row. `TableRounds` has the others.
    """

    table: DataTable
    arms: tuple[Category, ...]
    places: Places
    rewards: Floats
    kept: Floats
    best: float
    features: Encode | None
    shuffle: bool
    cells: Floats

    def _take(
        self, table: DataTable, named: tuple[str, str], others: set[str], features: object,
        shuffle: object,
    ) -> None:  # fmt: skip
        """Take over what all worlds of tables have. named: the parameter and the column of the
        arms. others: columns that are no features either."""
        owner, (parameter, name) = type(self).__name__, named
        if not isinstance(shuffle, bool):
            raise ParameterError(owner, "shuffle", "True or False", shuffle)
        found = table.names(parameter, name)
        arms = sorted(set(found), key=lambda each: (isinstance(each, str), each))
        if not 2 <= len(arms) <= MAX_ARMS:
            raise ParameterError(owner, parameter, "a column with two names or more", arms)
        if isinstance(features, str) and features == "all":
            features = Encode.fit(table.rows_without({name, *others}))
        if features is not None and not isinstance(features, Encode):
            raise ParameterError(owner, "features", "an Encode, 'all' or None", features)
        cells = np.zeros((table.rows, 0))
        if features is not None:
            features.layout.arm_cells(arms)  # refuses an arm that it has no features of
            cells = table.cells(features.layout)
        slots = {arm: i for i, arm in enumerate(arms)}
        vars(self).update(
            table=table, arms=tuple(arms), places=np.array([slots[each] for each in found]),
            rewards=np.ones(table.rows), kept=np.ones(table.rows), best=1.0, features=features,
            shuffle=shuffle, cells=cells,
        )  # fmt: skip

    @functools.cached_property
    def digest(self) -> str:
        """That of all that makes the world, by which worlds are compared."""
        rest = repr((self.arms, self.features, self.shuffle)).encode()
        arrays = self.cells, self.places, self.rewards, self.kept
        return hashlib.sha256(b"".join([rest, *(each.tobytes() for each in arrays)])).hexdigest()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._title()})"

    def _title(self) -> str:
        return f"{os.path.basename(self.table.path) or 'a table'}, {len(self.places):,} rows"

    @property
    def n_arms(self) -> int:
        return len(self.arms)

    @property
    def dimension(self) -> int:
        return 0 if self.features is None else self.features.dimension

    def source(self, seed: int, horizon: int) -> Pays:
        scale, own = np.zeros((0, 0)), np.zeros((self.n_arms, 0))
        sizes, parts = np.zeros(0, np.int64), np.zeros((0, 0), np.int64)
        if self.features is not None:
            layout = self.features.layout
            scale, own = layout.scale, layout.arm_cells(list(self.arms))
            sizes, parts = layout.sizes, layout.parts
        return TableRounds(
            self.replays, self.shuffle, self.places, self.rewards, self.kept, self.best,
            np.zeros(1), np.arange(self.places.size), self.cells, own, scale, scale.copy(), sizes,
            parts, np.zeros((self.n_arms, self.dimension)), *key(seed),
        )  # fmt: skip

    def sources(self, worlds: Sequence[Self], seed: int, horizon: int) -> Pays:
        raise ParameterError(type(self).__name__, "device", "'cpu' for worlds of a table", "cuda")

    def check_horizon(self, horizon: int) -> None:
        """Refuse rounds for which there are no rows."""
        if horizon > self.places.size:
            words = f"at most the number of rows, {self.places.size:,}"
            raise ParameterError(type(self).__name__, "horizon", words, horizon)

    def words(self) -> str:
        return repr(self)

    def described(self) -> dict[str, str]:
        order = "shuffled in each replication" if self.shuffle else "in their order"
        names = ", ".join(map(str, self.arms[:24])) + (" ..." if self.n_arms > 24 else "")
        return {"Table": f"{self._title()}, {order}", "Names of arms": names}

    def identity(self) -> Hashable:
        return self.digest


@dataclass(frozen=True, eq=False, repr=False)
class Classification(TableWorld):
    """A table with a label in each row as a bandit: the arm is the predicted label, and the reward
    is 1 if it is right, else 0. Each round is a row.

    table: the path of a CSV file whose first line names its columns; a DataFrame of pandas or
    polars; a mapping of columns; a list of mappings.
    label: the column of the labels, which are the arms, sorted.
    features: an `Encode`; "all", for every other column as `Encode.fit` reads them from the whole
    table; None, for none.
    shuffle: whether rows come in another order in each replication, by the seed.

    Policies see the features that a `Decider` computes from the rows. Regret counts mistakes.

    >>> flowers = {"petal": [1.4, 4.7, 6.0, 1.3], "kind": ["small", "large", "large", "small"]}
    >>> world = Classification(flowers, label="kind")
    >>> world.arms, world.features.names
    (('large', 'small'), ('intercept', 'petal'))
    """

    label: str

    def __init__(
        self, table: object, label: str = "class", features: Encode | str | None = "all",
        shuffle: bool = True,
    ) -> None:  # fmt: skip
        read = DataTable.of("Classification", table)
        self._take(read, ("label", label), set(), features, shuffle)
        vars(self).update(label=label)

    @property
    def law(self) -> Bernoulli:
        """Rewards are 0 or 1."""
        return Bernoulli()


@dataclass(frozen=True, eq=False, repr=False)
class Replay(TableWorld):
    """Logged rounds, replayed (Li, Chu, Langford and Wang 2011, their Algorithm 2): a row counts
    only where the policy chooses the arm that was logged. Then it learns the reward; else it goes
    on as if the row had not been there.

    table, features, shuffle: as for `Classification`. arm, reward: columns.
    probability: the column of the probabilities with which the logged arms were chosen. None: each
    was chosen at random among all. Where they differ, rows of likelier arms are left out at random,
    so that all are left equally often.

    A log tells the rewards of rows that count, and nothing else. `regret` is the mean of the best
    arm in the log, `best`, minus the mean reward of the rows that counted so far; it is below 0
    where features help. `best_pulls` is the number of those rows, `pulls` that of each arm.

    >>> import rbmle
    >>> world = Replay({"arm": ["a", "b", "a", "b", "b", "a"], "reward": [0, 1, 1, 1, 0, 0]})
    >>> result = rbmle.simulate(world, ["ucb"], 6, 1)
    >>> result.pulls.tolist(), world.reward_of(result.final_regret).round(3).tolist()
    ([[[2, 3]]], [[0.4]])
    """

    arm: str
    reward: str
    probability: str | None

    replays = True

    def __init__(
        self, table: object, arm: str = "arm", reward: str = "reward",
        probability: str | None = None, features: Encode | str | None = None, shuffle: bool = False,
    ) -> None:  # fmt: skip
        read = DataTable.of("Replay", table)
        rewards, chances = read.read("reward", Column(reward, RUNNING)), np.ones(read.rows)
        if probability is not None:
            chances = read.read("probability", Column(probability, RUNNING))
            wrong = chances[(chances <= 0.0) | (chances > 1.0)]
            if wrong.size:
                raise ParameterError("Replay", "probability", "numbers in (0, 1]", float(wrong[0]))
        self._take(read, ("arm", arm), {reward, str(probability)}, features, shuffle)
        sums, weights = (np.bincount(self.places, x / chances) for x in (rewards, 1.0))
        vars(self).update(
            arm=arm, reward=reward, probability=probability, rewards=rewards,
            kept=chances.min() / chances, best=float((sums / weights).max()),
        )  # fmt: skip

    @property
    def law(self) -> Bernoulli | Logged:
        """Bernoulli where all rewards are in [0, 1]; else policies must be given a family."""
        low, high = float(self.rewards.min()), float(self.rewards.max())
        return Bernoulli() if low >= 0.0 and high <= 1.0 else Logged(low, high)

    def reward_of(self, regret: Floats) -> Floats:
        """The mean reward of the rows that counted, which belongs to this regret."""
        return np.asarray(self.best - regret)

    def note(self, names: Sequence[str], regret: Floats, pulls: NDArray[np.int64]) -> str:
        """The mean reward of each policy in the rows that counted, and how many these were."""
        paid, rows = self.reward_of(regret).mean(axis=1), pulls.sum(axis=2).mean(axis=1)
        each = (
            f"{name} {number_text(reward)} ({count_text(round(count), 'row')})"
            for name, reward, count in zip(names, paid, rows, strict=True)
        )
        best = number_text(self.best)
        return f"Reward of a row that counts: {', '.join(each)}; the log's best arm has {best}."

    def described(self) -> dict[str, str]:
        against = f"of a row that counts, against the log's best arm, {number_text(self.best)}"
        return {**super().described(), "Regret": against}
