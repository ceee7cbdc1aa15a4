"""`Priced`: a policy whose arms cost something, with a price for each unit of cost or a budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Annotated, Any, NamedTuple, NoReturn

import numpy as np

from .._numba.compile import Floats
from .._records.record import checked, register
from ..errors import ParameterError, Words, number, one_of
from ..spec import as_record
from .arms import Name
from .base import Policy, has_worth
from .fit import WRAPPERS, as_inner_policy
from .floor import Shares, for_arms
from .ledger import Ledger, fresh_totals

NET, RATIO = "reward - price x cost", "reward / cost"


def as_largest(given: object) -> Shares:
    """A number for every arm, or a mapping of arms to numbers."""
    return for_arms("Seen", "largest", given, "[0, inf)")


@checked
class Seen(NamedTuple):
    """Costs that are known only with the reward, `update(arm, reward, cost=)`.

    largest: the most that a pull can cost, for every arm, or for each, {"small": 0.01, ...}. Until
    its cost is known, a pull reserves this of the budget.

    >>> Seen(0.05)
    Seen(largest=0.05)
    """

    largest: Annotated[Any, as_largest]


COSTS: dict[str, type] = {}
register(COSTS, Seen)


def as_costs(given: object) -> Shares | Seen:
    """A mapping of arms to their costs; a number, if all cost the same; or `Seen(largest)`."""
    found = as_record(given, COSTS, "Priced", "cost")
    return found if isinstance(found, Seen) else for_arms("Priced", "cost", found, "[0, inf)")


def as_priced(given: object) -> Any:
    """A policy, or its name."""
    return as_inner_policy(given, "Priced", "policy", stand_ins=True)


def as_objective(given: object) -> str:
    """What is maximised: one of 'reward - price x cost', 'reward / cost'."""
    return one_of("Priced", "objective", given, (NET, RATIO))


def _optional(name: str, interval: str) -> Callable[[object], float | None]:
    return lambda given: None if given is None else number("Priced", name, given, interval)


@checked
class Priced(NamedTuple):
    """A policy whose arms cost something: an arm of worth w and cost c is ranked by

        w - price x c,    or by  w / c,

    where w is what the policy believes that the arm pays: an upper bound of its mean, or a draw.
    So policies qualify that know such a number: UCB and its kin, KL-UCB, Bayes-UCB, MOSS, GP-UCB,
    Thompson sampling, LinTS, and RBMLE by the mean to which its index belongs (`RBMLE.worth`).

    policy: such a policy, or its name.
    cost: of one pull of each arm, {"small": 0.001, "large": 0.02}, by the names of a `Decider` or
    the places 0, 1, ... of a simulation; or `Seen(largest)`: then the smallest mean cost that the
    data do not rule out counts (Agrawal and Devanur 2014).
    objective: "reward - price x cost", or "reward / cost" (Ding, Qin, Zhang and Liu 2013; Xia, Li,
    Qin, Yu and Liu 2015), for a budget without a horizon; there a worth below 0 counts as 0.
    price: what a unit of cost is worth, in units of reward. If it is left out, it is learned from
    the budget B and the horizon T as a Lagrange multiplier, by one step of the dual problem with
    each pull (bandits with knapsacks: Badanidiyuru, Kleinberg and Slivkins 2013; with features:
    Agrawal and Devanur 2016; the step: Balseiro, Lu and Mirrokni 2020),

        price <- max(0, price + (R T / B) g / sqrt(sum of all g^2)),    g = c - left / rounds left,

    with R the range of the rewards so far. Deviations: the step shrinks by itself (Duchi, Hazan and
    Singer 2011), so that nothing is to be tuned, and g looks at what is left instead of at B / T,
    so that what was saved is spent later.
    budget: what all pulls may cost together. Only arms that it affords are candidates; a pull whose
    cost is not seen yet reserves the largest. The sum of costs never passes it (but for rounding, a
    part in 10^9).

    >>> Priced("ucb", {"small": 0.001, "large": 0.02}, budget=5.0).budget
    5.0
    """

    policy: Annotated[Any, as_priced]
    cost: Annotated[Any, as_costs]
    objective: Annotated[str, as_objective] = NET
    price: Annotated[Any, _optional("price", "[0, inf)")] = None
    budget: Annotated[Any, _optional("budget", "(0, inf)")] = None

    def bare(self) -> Any:
        """The policy without costs."""
        return self.policy

    def __getattr__(self, name: str) -> Any:
        """The methods of the policy, such as those that say what it needs."""
        if name in vars(Policy) and not name.startswith("_"):
            return getattr(self.policy, name)
        raise AttributeError(name)

    def settles(self) -> bool:
        return False

    def plays_each_first(self) -> bool:
        return False

    def probabilities(self, *args: object, **more: object) -> NoReturn:
        """Refused: they depend on what was spent."""
        raise ParameterError(
            "Priced", "policy", "one without costs, for probabilities", self.policy
        )

    def learns_price(self) -> bool:
        """Whether the price is learned, for which the horizon must be known."""
        return self.objective == NET and self.price is None

    def uses_horizon(self) -> bool:
        return self.learns_price() or bool(self.policy.uses_horizon())

    def ledger(self, names: Sequence[Name], horizon: int | None) -> Ledger:
        """The costs of these arms, nothing spent; refused if they do not fit one another."""
        seen = isinstance(self.cost, Seen)
        costs = _of_arms(self.cost.largest if seen else self.cost, names)
        smallest = float(costs.min())
        if self.budget is not None and smallest > self.budget:
            allowed = f"at least the smallest cost, {smallest:g}"
            raise ParameterError("Priced", "budget", allowed, self.budget)
        if (seen or self.objective == RATIO) and smallest <= 0.0:
            why = "the largest of what is seen" if seen else f"divided by in {RATIO!r}"
            raise ParameterError("Priced", "cost", f"above 0 where it is {why}", smallest)
        if not has_worth(self.policy):
            allowed = "one whose index is a mean or a bound of one, as UCB, KL-UCB and RBMLE"
            raise ParameterError("Priced", "policy", allowed, Words(type(self.policy).__name__))
        if self.objective == RATIO and self.price is not None:
            raise ParameterError("Priced", "price", f"left out with {RATIO!r}", self.price)
        if self.learns_price() and (self.budget is None or not horizon):
            allowed = "given, or learned from a 'budget' and a 'horizon'"
            raise ParameterError("Priced", "price", allowed, None)
        rounds = float(horizon or 0) if self.learns_price() else 0.0
        budget = inf if self.budget is None else self.budget
        return Ledger(
            costs, np.zeros(costs.size), np.zeros(costs.size), fresh_totals(), budget, rounds,
            self.price or 0.0, self.objective == RATIO, seen,
        )  # fmt: skip


def _of_arms(given: Shares, names: Sequence[Name]) -> Floats:
    """The cost of each of these arms."""
    if isinstance(given, float):
        return np.full(len(names), given)
    known = {str(name): cost for name, cost in given}
    lacking = next((name for name in names if str(name) not in known), None)
    if lacking is not None:
        raise ParameterError("Priced", "cost", f"given for every arm, {lacking!r} too", known)
    return np.array([known[str(name)] for name in names])


register(WRAPPERS, Priced)


def priced(policy: object, cost: object, objective: str, price: object, budget: object) -> object:
    """The policy with the costs given to a `Decider`; without costs the policy itself."""
    if cost is not None:
        return Priced(policy, cost, objective, price, budget)
    given = price if budget is None else budget
    if given is not None or objective != NET:
        allowed = "given with a price, a budget or an objective"
        raise ParameterError("Decider", "cost", allowed, None)
    return policy


def ledger_of(policy: object, names: Sequence[Name], horizon: int | None) -> Ledger | None:
    """The costs of these arms, if the policy has costs."""
    return policy.ledger(names, horizon) if isinstance(policy, Priced) else None


def net_gaps(policy: object, world: Any, horizon: int) -> Floats | None:
    """What each pull loses against the best fixed mixture of arms within the budget, and, last,
    what a round without a pull loses; None for a policy without costs.

    What counts are rewards, less their price if that is given. The best mixture is a linear program
    with two constraints, so that two arms, or one and no pull, suffice.
    """
    if not isinstance(policy, Priced):
        return None
    seen, own = isinstance(policy.cost, Seen), getattr(world, "costs", None)
    if seen != (own is not None):
        allowed = "Seen in a world with Costs, and known in any other"
        raise ParameterError("Priced", "cost", allowed, policy.cost)
    if not hasattr(world, "means") or world.dimension or world.fixed_gaps is None:
        allowed = "a Problem, whose means stay the same, for policies with costs"
        raise ParameterError("simulate", "problem", allowed, Words(type(world).__name__))
    costs = policy.ledger(range(world.n_arms), horizon).costs
    if own is not None:
        if costs.min() < world.largest:
            allowed = f"at least {world.largest:g}, what a pull may cost"
            raise ParameterError("Seen", "largest", allowed, policy.cost.largest)
        costs = own
    net = np.append(world.means - (policy.price or 0.0) * costs, 0.0)
    costs = np.append(costs, 0.0)
    rate = inf if policy.budget is None else policy.budget / horizon
    hull: list[tuple[float, float]] = []  # the best mixture of arms for each cost
    for c, v in sorted(zip(costs.tolist(), net.tolist(), strict=True)):
        while len(hull) > 1:
            (a, x), (b, y) = hull[-2:]
            if (y - x) * (c - a) > (v - x) * (b - a):
                break
            hull.pop()
        hull.append((c, v))
    mixed = float(np.interp(rate, *np.array(hull).T))
    return np.asarray(max(mixed, float(net[costs <= rate].max())) - net)
