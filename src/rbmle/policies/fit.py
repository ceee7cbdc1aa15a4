"""Checks that a policy fits a family, and the family a problem, before anything is played."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Sequence
from math import isnan
from typing import Annotated, Any, NamedTuple, Protocol, TypeVar

from .._io.text import described_record, distinct_names
from .._numba.guards import an_arm
from .._numba.mistakes import rehearse
from .._records.record import Record, checked, is_package
from ..errors import DefinitionError, ParameterError, Words
from ..families import FAMILIES, Family, Law
from ..families.registry import mean_at
from ..random import Draws
from ..spec import STAND_INS, as_record, stands_in
from .arms import Arms, Clock
from .base import NEEDS, POLICIES, Policy, bare, fresh_state, ranks_only

T = TypeVar("T")

WRAPPERS: dict[str, type] = {}  # `Floor`
PLAYERS: ChainMap[str, type] = ChainMap(POLICIES, WRAPPERS, STAND_INS)  # what a name may mean
_ROUNDS = 100  # of a dry run; they take a few milliseconds
_PLACES = (0.3, 0.6)  # the constant rewards of its two arms, as places in the range of means
_tried: set[tuple[object, ...]] = set()


def as_policy(given: object, owner: str = "Assuming", key: str = "policy") -> Any:
    """The policy or stand-in, given as a record or by name as in "ucb(alpha=1)"."""
    return as_record(given, PLAYERS, owner, key)


def as_inner_policy(given: object, owner: str, key: str, stand_ins: bool = False) -> Any:
    """A policy that is a part of another, given as a record or by name.

    stand_ins: whether a stand-in such as "recommended" is allowed too.
    """
    found = as_policy(given, owner, key) if isinstance(given, (str, tuple)) else None
    if type(found) not in POLICIES.values() and not (stand_ins and stands_in(found)):
        raise ParameterError(owner, key, "a policy, as in UCB() or 'ucb'", given)
    return found


def as_family(given: object, owner: str = "Assuming", key: str = "family") -> Any:
    """The family, given as a record or by name as in "gaussian(sigma=2)"."""
    return as_record(given, FAMILIES, owner, key)


@checked
class Assuming(NamedTuple):
    """A policy together with the family that it assumes, if that is not the problem's own.

    `Assuming(RBMLE(), Gaussian(0.5))` plays the Gaussian index on rewards of any law
    (Proposition 4). Both may be given by name: `Assuming("rbmle", "gaussian(sigma=0.5)")`.

    >>> from rbmle import Gaussian, UCB
    >>> Assuming(UCB(), Gaussian(0.5))
    Assuming(policy=UCB(alpha=2.0), family=Gaussian(sigma=0.5, prior_mean=0.0, prior_sd=1.0))
    """

    policy: Annotated[Any, as_policy]
    family: Annotated[Any, as_family]


class HasLaw(Protocol):
    """What is asked of a world: its law, and the family that policies assume by default."""

    @property
    def law(self) -> Law: ...
    @property
    def family(self) -> Family | None: ...


class ForPolicies(Protocol):
    """What is asked of evidence: whether it draws the errors of all means together, and whether it
    changes the statistics of arms that are not pulled."""

    def draws(self) -> bool: ...
    def changes_all(self) -> bool: ...


def player(
    given: object,
    problem: HasLaw,
    family: object,
    evidence: ForPolicies | None = None,
    owner: str = "simulate",
) -> tuple[Policy, Family]:
    """The policy to play on a problem and the family it assumes, checked to fit each other.

    given: a policy, its name, or one `Assuming` a family. family: what a policy alone assumes; None
    means the problem's own family. evidence: what an arm's past is worth; None: it counts.
    owner: the function that the user called.
    """
    if isinstance(given, Assuming):
        policy, model = given
    else:
        policy, model = as_policy(given, owner, "policies"), as_family(family, owner)
    if model is None:
        model = problem.family
    if model is None:
        law = type(problem.law).__name__
        raise ParameterError(owner, "family", f"given for rewards of law {law}", None)
    if not hasattr(model, "reward_interval"):
        raise ParameterError(owner, "family", "a family, as in Gaussian()", model)
    policy = on_family(policy, model, owner, "policies")
    check_fit(policy, model, evidence)
    rewards, assumed = problem.law.reward_interval(), model.reward_interval()
    if rewards.low < assumed.low or rewards.high > assumed.high:
        name, allows = type(policy).__name__, f"{type(model).__name__}, which allows {assumed}"
        raise ParameterError(name, "family", f"one that allows rewards in {rewards}", Words(allows))
    return policy, model


def on_problem(given: Any, problem: object) -> Any:
    """The policy to play on the problem: that of a stand-in, or the given one."""
    policy, family = given if isinstance(given, Assuming) else (given, None)
    if bare(policy) is not policy and stands_in(bare(policy)):
        return policy.replace(policy=policy.policy.on(problem, family))
    return policy.on(problem, family) if stands_in(policy) else given


def on_family(policy: Any, family: object, owner: str, key: str = "policy") -> Any:
    """The policy to play where only the family is known: that of a stand-in, or the given one.

    owner, key: whose parameter the policy is, for error messages.
    """
    if bare(policy) is not policy:
        return policy.replace(policy=on_family(policy.policy, family, owner, key))
    if type(policy) in NEEDS:
        return policy
    if not stands_in(policy):
        raise ParameterError(owner, key, "an instance of a policy class, as in UCB()", policy)
    if not hasattr(policy, "on_family"):
        name = type(policy).__name__
        raise ParameterError(owner, key, "known without the means of the arms", Words(name))
    return policy.on_family(family)


def labelled(players: Sequence[T]) -> dict[str, T]:
    """The policies by label: distinct labels made of class names and parameters."""
    described = []
    for each in players:
        policy, family = each if isinstance(each, Assuming) else (each, None)
        kind, parts = described_record(policy)
        described.append((kind, {**parts, **({} if family is None else {"family": family})}))
    return dict(zip(distinct_names(described), players, strict=True))


def check_fit(policy: object, family: Family, evidence: ForPolicies | None = None) -> None:
    """Raise ParameterError unless the policy fits the family.

    evidence: if it draws errors of means together, as the policy wants, it checks the family. A
    policy that keeps rewards is refused unless every reward counts once.
    A user's own policy is also refused if it uses what it must not; see `dry_run`.
    """
    rule = bare(policy)
    kind = type(rule)
    together = evidence is not None and evidence.draws() and rule.draws_jointly()
    missing = [] if together else _missing(kind, type(family))
    if missing:
        fitting = [each.__name__ for each in families_of(kind)]
        allowed = f"{'one of ' * (len(fitting) > 1)}{', '.join(fitting)}"
        own = "" if is_package(type(family)) else f", which has no method {missing[0]}"
        got = Words(f"{type(family).__name__}{own}")
        raise ParameterError(kind.__name__, "family", allowed, got)
    if evidence is not None and evidence.changes_all() and rule.keeps_rewards():
        allowed = "one in which every reward counts once, as in Counting()"
        raise ParameterError(kind.__name__, "evidence", allowed, evidence)
    if hasattr(rule, "check_family"):
        rule.check_family(family)
    dry_run(rule, family)


def families_of(policy: type) -> list[type]:
    """The families that have all methods that the policy needs."""
    return [each for each in FAMILIES.values() if not _missing(policy, each)]


def _missing(policy: type, family: type) -> list[str]:
    return [each for each in NEEDS[policy] if not hasattr(family, each)]


class _Statistics(Arms):
    """Statistics that cannot be changed, and that refuse the mean of an arm without a reward."""

    def mean(self, i: int) -> float:
        if self.pulls[i] == 0.0:
            raise DefinitionError(
                "'arms.mean' and 'arms.variance' must be of an arm that has a reward: "
                "arms.pulls[i] > 0."
            )
        return super().mean(i)


class _NoHorizon(Clock):
    """A clock that refuses to tell the horizon, for policies that do not say that they need it."""

    @property
    def horizon(self) -> int:
        raise DefinitionError(
            "'needs_horizon' must return True for a rule that uses clock.horizon or clock.left()."
        )

    def left(self) -> float:
        return float(self.horizon)


def dry_run(policy: Policy, family: Family) -> None:
    """Raise DefinitionError if a user's own policy does what it must not, and ParameterError if a
    field can change.

    The interpreter plays a few rounds. A policy that uses the horizon must say so by
    `needs_horizon` (or `uses_horizon`); otherwise it would be played with a horizon of 0, without
    any warning. The package's own policies are not tried, nor is a policy that has passed before.
    """
    if is_package(type(policy)):
        return
    _refuse_changing_fields(policy)
    _refuse_changing_fields(family)
    key = type(policy), policy, type(family), family
    if key not in _tried:
        rehearse(_play, (policy, family))
        _tried.add(key)


def _refuse_changing_fields(record: Record) -> None:
    """Raise ParameterError if a field of the record holds a list, an array or the like."""
    for name, value in record._asdict().items():
        try:
            hash(value)
        except TypeError:
            allowed = "a number, True or False, a name, a record, or a tuple of these"
            raise ParameterError(type(record).__name__, name, allowed, value) from None


def _check_memory(policy: Policy) -> None:
    """Raise DefinitionError unless the policy remembers a + b n_arms numbers."""
    sizes = [policy.remembers(n_arms) for n_arms in range(4)]
    a, b = sizes[0], sizes[1] - sizes[0]
    if type(a) is not int or min(a, b) < 0 or sizes != [a, a + b, a + 2 * b, a + 3 * b]:
        rule = "a + b n_arms, where a and b are whole numbers from 0 on"
        raise DefinitionError(f"'remembers' must return {rule}. Got {sizes} for 0 to 3 arms.")


def _check_index(policy: Policy, family: Family, arms: Arms, clock: Clock) -> None:
    """Raise DefinitionError if arms without a reward have no index, where that is needed."""
    if isnan(policy.index_of(family, arms, 0, policy.level(family, arms, clock))):
        rule = "a number for an arm without a reward, where 'plays_each_first' returns False"
        raise DefinitionError(f"'index_of' must return {rule}. Got nan.")


def _play(policy: Policy, family: Family) -> None:
    """Play a few rounds; raises DefinitionError for what is wrong with any arms and rewards, and
    ValueError where statistics are written to.

    Other exceptions are ignored here: with two arms and constant rewards they need not be mistakes.
    The rehearsal of the real run reports those that are.
    """
    try:
        _check_memory(policy)
        rewards = [mean_at(family, place) for place in _PLACES]
        arms, state = Arms.fresh(len(rewards)), fresh_state(policy, family, len(rewards))
        shown, knows = _Statistics(*arms.shown()), policy.uses_horizon()
        if ranks_only(policy) and not policy.plays_each_first():
            _check_index(policy, family, shown, Clock(1, _ROUNDS if knows else 0))
        for t in range(1, _ROUNDS + 1):
            clock = Clock(t, _ROUNDS) if knows else _NoHorizon(t, 0)
            i = an_arm(policy.choose(state, family, shown, clock, Draws(1, 0, 0, t, True)))
            arms.learn(i, rewards[i])
    except ValueError:
        raise
    except Exception:
        return
