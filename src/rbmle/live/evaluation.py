"""`evaluate`: what another policy would have earned on a log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import chain
from typing import Any

import numpy as np

from .._numba.compile import Floats
from ..errors import ParameterError, number
from ..inference.logs import Candidates, Piece, pieces
from ..inference.off_policy import Chances, Estimators, Evaluation, replay
from ..policies.arms import Name
from ..policies.fit import as_family
from .decider import Decider


def evaluate(
    log: object,
    policy: object,
    *,
    arms: Iterable[Name] | None = None,
    family: object = None,
    model: object = None,
    level: float = 0.95,
    seed: int = 0,
) -> Evaluation:
    """What another policy would have earned on logged decisions: see docs/explanation/inference.md.

    log: a data frame, or a mapping, with the columns `arm`, `reward` and `probability` (with which
    the arm was chosen; it may be missing, and then arms must have been chosen at random, each as
    often as any other), and `among`, lists of candidates, if decisions named some; the path of a
    CSV file with such columns, or of JSON lines that the service exported; or an iterable of such
    pieces, of which one at a time is in memory. Given candidates, probabilities of arms are those
    among them.
    policy: the probability of each arm, {"red": 0.2, "green": 0.8}; an array of those in each row,
    a column for each of `arms`, or of the probability of the row's own arm alone; a function that
    returns such an array for a `Piece` of the log; a `Decider`, as it would choose now; or a policy
    of the package, or its name, which learns as it goes and is replayed.
    arms: the names of the arms in the order of columns; by default those of the policy, or of the
    first piece of the log in the order in which they occur (whole numbers: in their own order).
    family: which rewards are allowed, and what a replayed policy assumes of them ("bernoulli").
    model: the rewards that a model predicts of the arms, for DR: as an array or a function like the
    policy's; by default the mean of each arm in earlier rows.
    level: of the intervals. seed: of the random numbers of replay.

    >>> log = {"arm": ["a", "b", "a", "b"], "reward": [0.0, 1.0, 0.0, 1.0]}
    >>> print(evaluate(log, {"a": 0.0, "b": 1.0}))
    Value at level 0.95: 4 rows, worth 2.0 of the policy's own; the log's mean is 0.5
               value       low      high      rows
    replay         1         1         1         2
    """
    level = number("evaluate", "level", level, "(0, 1)")
    assumed = as_family(family, "evaluate") if family is not None else None
    allowed = None if assumed is None else assumed.reward_interval()
    rows = pieces("evaluate", log, allowed)
    first = next(rows, None)
    if first is None:
        raise ParameterError("evaluate", "log", "one with at least one row")
    names = _names(arms, policy, first)
    rows = chain([first], rows)
    if isinstance(policy, (str, tuple)):
        try:
            player: Any = Decider(names, policy, assumed or "bernoulli", seed=seed)
        except ParameterError as mistake:
            raise mistake.of("evaluate", instead_of="Decider") from None
        return replay(rows, player, level, seed)
    if isinstance(policy, (Decider, Mapping)):
        policy = _among_candidates(policy, list(names))
    by_row, by_model = (_by_piece(each) for each in (policy, model))
    estimators = Estimators(names, by_row, None if model is None else by_model, seed)
    for piece in rows:
        estimators.add(piece)
    return estimators.result(level)


def _among_candidates(policy: Decider[Any] | Mapping[Name, float], names: list[Name]) -> Chances:
    """The probabilities of a policy in each row of a piece, given the candidates of the row."""

    @cache
    def of(among: Candidates) -> Floats:
        if isinstance(policy, Decider):
            known: Mapping[Name, float] = policy.probabilities(among=among)
            return np.array([known.get(name, 0.0) for name in names])
        p = np.array([policy.get(name, 0.0) for name in names], float)
        if among is None:
            return p
        p *= [name in among for name in names]
        if not p.sum() > 0.0:
            allowed = "one with a positive probability of some candidate of each row"
            raise ParameterError("evaluate", "policy", allowed, list(among))
        return np.asarray(p / p.sum())

    def rows(piece: Piece) -> Floats:
        if piece.among is None:
            return np.broadcast_to(of(None), (len(piece.arms), len(names)))
        return np.array([of(each) for each in piece.among])

    return rows


def _names(arms: Iterable[Name] | None, policy: Any, first: Piece) -> list[Name]:
    if arms is not None:
        return list(arms)
    if isinstance(policy, Mapping):
        return list(policy)
    if isinstance(policy, Decider):
        return list(policy.arms)
    found = list(dict.fromkeys(first.arms))
    whole = [each for each in found if isinstance(each, int)]
    if len(whole) < len(found):
        return found
    columns = np.shape(policy)[1] if np.ndim(policy) == 2 else 0
    return list(range(max(columns, max(whole) + 1)))


def _by_piece(given: Any) -> Chances:
    """The function itself, or one that cuts the array as pieces come."""
    if callable(given):
        known: Chances = given
        return known
    rows, at = np.asarray(given if given is not None else [], float), [0]

    def cut(piece: Piece) -> Floats:
        start, at[0] = at[0], at[0] + len(piece.arms)
        return rows[start : at[0]]

    return cut
