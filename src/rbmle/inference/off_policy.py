"""What another policy would have earned on logged decisions: replay, IPS, its self-normalised form
and doubly robust, in one pass over the log and in constant memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._io.text import count_text, html_table, number_text, text_table
from .._numba.compile import Floats
from ..errors import ParameterError
from ..policies.arms import Name
from ..special import normal_quantile_upper
from .logs import Piece

# Rows of a block, as many as all blocks before it. The model of a block is made of the blocks
# before it, so the first is short.
_LEAST_BLOCK, _MOST_BLOCK = 32, 4_096
_SUMS_TO = 1e-6  # how far from 1 probabilities may add up
_OWN = 0x7E9  # so that random numbers differ from those of a log that was made with the same seed
_OWNER = "evaluate"
_HEAD = "value", "low", "high", "rows"


class Estimate(NamedTuple):
    """The mean reward that a policy would have earned, its interval, and the rows it is made of."""

    value: float
    low: float
    high: float
    rows: int


@dataclass(frozen=True)
class Evaluation:
    """The estimates of a policy's mean reward by their names, on a log of `rows` rows.

    effective_rows: how many rows of the policy's own the weighted log is worth, (sum w)^2 / sum w^2
    with the weights w of the rows. Estimates that rest on few are not to be trusted.
    """

    estimates: Mapping[str, Estimate]
    rows: int
    effective_rows: float
    mean: float
    level: float

    def __getitem__(self, name: str) -> Estimate:
        return self.estimates[name]

    @property
    def title(self) -> str:
        """What was evaluated, in a line."""
        worth = f"worth {number_text(self.effective_rows)} of the policy's own"
        paid = f"the log's mean is {self.mean:.6g}"
        return f"Value at level {self.level:g}: {count_text(self.rows, 'row')}, {worth}; {paid}"

    def _rows(self) -> list[tuple[str, list[str]]]:
        return [
            (name, [f"{x:.6g}" for x in each[:3]] + [f"{each.rows:,}"])
            for name, each in self.estimates.items()
        ]

    def __str__(self) -> str:
        return f"{self.title}\n{text_table(_HEAD, self._rows())}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(self.title, _HEAD, self._rows())


# Of each arm in each row, (n, K); or of the row's own arm alone, (n,).
Chances = Callable[[Piece], ArrayLike]


class Decides(Protocol):
    """A decider, as `replay` uses it."""

    @property
    def arms(self) -> tuple[Name, ...]: ...
    def pull(self, *, among: Sequence[Name] | None = None) -> Name: ...
    def update(self, arm: Name, reward: float, /) -> None: ...
    def forget(self, arm: Name, /) -> None: ...


class Mean:
    """A mean of numbers that come in blocks, and its interval by the central limit theorem."""

    def __init__(self) -> None:
        self.n, self.mean, self.squares = 0, 0.0, 0.0

    def add(self, x: Floats) -> None:
        """Count some numbers, by the formula of Chan, Golub and LeVeque, which does not cancel."""
        if not x.size:
            return
        own = float(x.mean())
        apart, n = own - self.mean, self.n + x.size
        self.squares += float(np.square(x - own).sum()) + apart * apart * self.n * x.size / n
        self.mean += apart * x.size / n
        self.n = n

    def estimate(self, level: float) -> Estimate:
        """The mean and its interval."""
        if self.n < 2:
            return Estimate(self.mean if self.n else nan, -inf, inf, self.n)
        z = float(normal_quantile_upper(0.5 * (1.0 - level)))
        radius = z * sqrt(self.squares / (self.n - 1) / self.n)
        return Estimate(self.mean, self.mean - radius, self.mean + radius, self.n)


class Estimators:
    """The estimates of one policy, as the rows of a log come in.

    arms: the names in the order of the columns of `chances`. model: the rewards that a model
    predicts, (n, K) for a piece; by default the mean of each arm in earlier blocks of the log.
    """

    def __init__(
        self, arms: list[Name], chances: Chances, model: Chances | None, seed: int
    ) -> None:
        self.arms, self.chances, self.model = arms, chances, model
        self.place = {name: i for i, name in enumerate(arms)}
        self.ips, self.dr, self.kept = Mean(), Mean(), Mean()
        self.weights = np.zeros(5)  # sums of w, w^2, w r, w^2 r, w^2 r^2
        self.paid, self.seen, self.wanted = (np.zeros(len(arms)) for _ in range(3))
        self.rng, self.least = np.random.default_rng([seed, _OWN]), inf

    def add(self, piece: Piece) -> None:
        """Count the rows of a piece."""
        n = len(piece.arms)
        known = self.place
        for name in set(piece.arms) - known.keys():  # the policy never plays it
            known[name] = len(self.arms)
            self.arms.append(name)
            self.paid, self.seen, self.wanted = (
                np.append(each, 0.0) for each in (self.paid, self.seen, self.wanted)
            )
        rows = np.fromiter(map(known.__getitem__, piece.arms), np.intp, n)
        chances = self._chances(piece, n)
        model = None if self.model is None else np.asarray(self.model(piece), float)
        last = 0
        while last < n:
            size = min(max(int(self.seen.sum()), _LEAST_BLOCK), _MOST_BLOCK)
            part = slice(last, last + size)
            last += size
            logged = None if piece.probability is None else piece.probability[part]
            of_model = None if model is None else model[part]
            self._block(rows[part], piece.rewards[part], logged, chances[part], of_model)

    def _chances(self, piece: Piece, n: int) -> Floats:
        found = np.asarray(self.chances(piece), float)
        if found.shape not in ((n,), (n, len(self.arms))):
            if found.ndim != 2 or found.shape[0] != n or found.shape[1] > len(self.arms):
                allowed = f"probabilities of shape ({n}, {len(self.arms)}) or ({n},)"
                raise ParameterError(_OWNER, "policy", allowed, found.shape)
            found = np.pad(found, ((0, 0), (0, len(self.arms) - found.shape[1])))
        if found.size and not (found.min() >= 0.0 and found.max() <= 1.0 + _SUMS_TO):
            bad = found[~((found >= 0.0) & (found <= 1.0 + _SUMS_TO))][0]
            raise ParameterError(_OWNER, "policy", "probabilities in [0, 1]", float(bad))
        if found.ndim == 2 and found.size:
            sums = found.sum(axis=1)
            worst = float(sums[np.abs(sums - 1.0).argmax()])
            if abs(worst - 1.0) > _SUMS_TO:
                raise ParameterError(_OWNER, "policy", "probabilities that add up to 1", worst)
        return found

    def _block(
        self, rows: NDArray[np.intp], rewards: Floats, logged: Floats | None, chances: Floats,
        model: Floats | None,
    ) -> None:  # fmt: skip
        n, each = rows.size, np.arange(rows.size)
        own = chances if chances.ndim == 1 else chances[each, rows]
        self.least = min(self.least, inf if logged is None else float(logged.min()))
        fair = 1.0 if logged is None else self.least / logged
        self.kept.add(rewards[self.rng.random(n) < own * fair])
        if chances.ndim == 2:
            self.wanted += chances.sum(axis=0)
        else:
            self.wanted += np.bincount(rows, own, self.wanted.size)
        if logged is not None:
            w = own / logged
            worth = w * rewards
            self.ips.add(worth)
            self.weights += [w.sum(), w @ w, worth.sum(), w @ worth, worth @ worth]
            if chances.ndim == 2:
                if model is None:
                    model = np.broadcast_to(self.paid / np.maximum(self.seen, 1.0), chances.shape)
                direct = (chances * model).sum(axis=1)
                self.dr.add(direct + w * (rewards - model[each, rows]))
        self.seen += np.bincount(rows, minlength=self.seen.size)
        self.paid += np.bincount(rows, rewards, self.paid.size)

    def result(self, level: float) -> Evaluation:
        """The estimates; refused if the policy plays arms that the log has not."""
        missing = [
            name for name, i in self.place.items() if self.wanted[i] > 0 and not self.seen[i]
        ]
        n = int(self.seen.sum())
        if missing or not n:
            raise _lacking(missing)
        found, worth = {}, float(n)
        if self.ips.n:
            w, w2, wr, w2r, w2r2 = self.weights
            worth = w * w / w2 if w2 > 0.0 else 0.0
            value = wr / w if w > 0.0 else nan
            spread = sqrt(max(w2r2 - 2.0 * value * w2r + value * value * w2, 0.0))
            radius = float(normal_quantile_upper(0.5 * (1.0 - level))) * spread / w if w else inf
            found["IPS"] = self.ips.estimate(level)
            found["SNIPS"] = Estimate(value, value - radius, value + radius, n)
        if self.dr.n:
            found["DR"] = self.dr.estimate(level)
        found["replay"] = self.kept.estimate(level)
        if not self.ips.n:
            worth = float(self.kept.n)
        return Evaluation(found, n, worth, float(self.paid.sum()) / n, level)


def _lacking(arms: list[Name]) -> ParameterError:
    lacks = ", ".join(map(repr, arms[:8])) + (" and more" if len(arms) > 8 else "")
    allowed = "a log in which every arm that the policy plays was chosen at times"
    return ParameterError(_OWNER, "log", allowed, hint=f" It lacks {lacks or 'rows'}.")


def replay(log: Iterator[Piece], player: Decides, level: float, seed: int) -> Evaluation:
    """What a policy that learns would have earned (Li, Chu, Langford and Wang 2011).

    A row counts if the policy chooses the arm that was logged; it then learns the reward. Arms must
    have been logged at random. If some were more often than others, as probabilities say, rows of
    those are left out at random, so that all are left equally often.

    player: a decider of the policy; all arms of the log must be its own.
    """
    matched, paid, n, least = Mean(), Mean(), 0, inf
    rng = np.random.default_rng([seed, _OWN])
    names: set[Name] = set()
    for piece in log:
        draws = rng.random(len(piece.arms))
        chances = piece.probability if piece.probability is not None else np.ones(len(piece.arms))
        paid.add(piece.rewards)
        counted = []
        among = piece.among or [None] * len(piece.arms)
        rows = zip(piece.arms, piece.rewards.tolist(), chances, draws, among, strict=True)
        for arm, reward, chance, draw, candidates in rows:
            least = min(least, chance)
            chosen = player.pull(among=candidates)
            if chosen == arm and draw * chance < least:
                player.update(arm, reward)
                counted.append(reward)
            else:
                player.forget(chosen)
        names.update(piece.arms)
        n += len(piece.arms)
        matched.add(np.array(counted))
    missing = [name for name in player.arms if name not in names]
    if missing:
        raise _lacking(missing)
    return Evaluation({"replay": matched.estimate(level)}, n, float(matched.n), paid.mean, level)
