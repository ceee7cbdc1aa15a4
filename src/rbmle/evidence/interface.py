"""The interface of evidence, and the methods that every kind gets by default.

Evidence says what an arm's past is worth now: it fills the statistics that policies read, `Arms`.
So every policy plays with features, with forgetting or with a window, without a line of its own.
A kind of evidence is an immutable record of numbers. Its state is in an array `memory`,
which comes from outside: a row of an array on a CPU, a column on a GPU. Bodies are scalar
arithmetic and allocate nothing.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import wraps
from typing import Any, NamedTuple, Protocol, TypeVar

from .._numba.compile import Floats, defaults_of, record
from .._records.record import Record, register
from ..errors import ParameterError, Words
from ..families import Family
from ..policies.arms import Arms, Clock
from ..random import Draws
from ..spec import as_record
from ..tables import Encode, Transformed, as_features
from .matrices import FeatureRows, largest_feature

T = TypeVar("T")

EVIDENCE: dict[str, type] = {}


@record
class Features(NamedTuple):
    """The features of all arms in one round: values (arms, dimension)."""

    values: Floats

    def feature(self, i: int, a: int) -> float:
        """Feature a of arm i."""
        return float(self.values[i, a])

    def moving(self) -> bool:
        """Whether they change from round to round: always, if there are any."""
        return self.values.size > 0


class Evidence(Record, Protocol):
    """The methods of every kind of evidence, with the defaults that a class gets."""

    def memory_size(self, n_arms: int) -> int:
        """The size of its memory, in numbers."""
        return 0

    def begin(self, arms: Arms, memory: Floats) -> None:
        """A new replication begins: nothing is known. The arms have been restarted."""

    def look(self, arms: Arms, memory: Floats, features: FeatureRows, fresh: bool) -> None:
        """Bring the arms' statistics up to date before a choice.

        features: those of this round, a record such as `Features`. fresh: whether they are new to
        the evidence: in round 1, and in every round if they are drawn anew each round.
        """

    def clock(self, memory: Floats, t: int, horizon: int) -> Clock:
        """The round and the horizon that the policy sees; horizon is 0 if it does not need it."""
        return Clock(t, horizon)

    def learn(
        self, arms: Arms, memory: Floats, features: FeatureRows, moving: bool, i: int, reward: float
    ) -> None:
        """Learn a reward of arm i. moving: whether features are drawn anew each round."""
        arms.learn(i, reward)

    def expect(
        self, arms: Arms, memory: Floats, features: FeatureRows, moving: bool, i: int
    ) -> float:
        """Learn a pull of arm i with the mean so far imputed as its reward; returns that mean.

        For evidence that reads features, where rewards may come late.
        """
        return 0.0

    def correct(
        self, arms: Arms, memory: Floats, features: FeatureRows, moving: bool, i: int,
        imputed: float, reward: float,
    ) -> None:  # fmt: skip
        """Replace an imputed reward by the real one. Evidence without it ignores pending pulls."""

    def draw(
        self, arms: Arms, memory: Floats, features: FeatureRows, rng: Draws, drawn: Floats
    ) -> None:
        """Draw the errors of all arms' means together, for policies that ask for it (`LinTS`)."""

    def draws(self) -> bool:
        """Whether it has a `draw` of its own, for arms whose means have errors in common."""
        return False

    def changes_all(self) -> bool:
        """Whether more than the pulled arm's statistics change in a round.

        If so, `arms.pulls` are not the numbers of pulls either.
        """
        return True

    def reads(self) -> int:
        """The dimension of the features that it reads; 0 if it reads none."""
        return 0

    def check_family(self, family: Family) -> None:
        """Raise ParameterError if the family does not go with this evidence."""

    def largest(self) -> float:
        """The largest feature that a `Decider` accepts: beyond it rounding leaves nothing right.

        By default such that products of three of them are finite.
        """
        return 1e100

    def separate(self) -> bool:
        """Whether each arm has parameters of its own, so that arms may share their features."""
        return False

    def estimate(self, memory: Floats, i: int) -> tuple[Floats, Floats] | None:
        """theta of arm i, or of all, and the standard deviation of each coefficient; None if there
        is no theta. It is not compiled."""
        return None

    def relayout(
        self, arms: Arms, memory: Floats, places: Sequence[int], new: Arms, after: Floats
    ) -> None:
        """Lay out the memory for other arms, where arms of a `Decider` come and go.

        arms, memory: before. places: for each new arm its place among the old ones, -1 if it had
        none. new: the statistics after, which are those of the old arms already. after: the new
        memory, as `begin` left it. It is not compiled. This default is for a memory that does not
        depend on the number of arms.
        """
        if memory.size != after.size:
            raise ParameterError(
                "Decider",
                "arm",
                f"one of those it has: {type(self).__name__} cannot add or remove arms, as it has "
                "no method `relayout`",
            )
        after[:] = memory

    def holds(self, n_arms: int, memory: Floats) -> bool:
        """Whether this memory, read from a file, is valid for this many arms."""
        return True


def evidence(cls: type[T]) -> type[T]:
    """Make a NamedTuple class a kind of evidence: its fields are checked, its methods compiled.

    It is known by its name from now on.

        @rbmle.evidence
        class Clipped(NamedTuple):  # a reward above `top` counts as `top`
            top: Annotated[float, "(0, inf)"] = 1.0

            def learn(self, arms, memory, features, moving, i, reward):
                arms.learn(i, min(reward, self.top))

        rbmle.Decider(["a", "b"], "ts", "gaussian", evidence=Clipped(5.0))

    docs/reference/evidence.md has the other methods.
    """
    record(cls, defaults_of(Evidence))
    register(EVIDENCE, cls)
    return cls


class ReadsFeatures(Evidence, Protocol):
    """What all evidence that reads features has in common."""

    dimension: int
    ridge: float

    @abstractmethod
    def mean_of(self, memory: Floats, features: FeatureRows, i: int) -> float:
        """The mean of arm i."""

    @abstractmethod
    def show(self, arms: Arms, memory: Floats, features: FeatureRows) -> None:
        """Write what is known of each arm where policies read it."""

    def look(self, arms: Arms, memory: Floats, features: FeatureRows, fresh: bool) -> None:
        if fresh:
            self.show(arms, memory, features)

    def expect(
        self, arms: Arms, memory: Floats, features: FeatureRows, moving: bool, i: int
    ) -> float:
        mean = self.mean_of(memory, features, i)
        self.learn(arms, memory, features, moving, i, mean)
        return mean

    def draws(self) -> bool:
        return True

    def reads(self) -> int:
        return self.dimension

    def largest(self) -> float:
        return largest_feature(self.ridge)


def reads_features(cls: type[T]) -> type[T]:
    """As `evidence`, for a kind whose fields are `dimension`, `ridge` and `features`. The dimension
    is that of the features, if given: an `Encode`, or a fitted transformer."""
    record(cls, defaults_of(ReadsFeatures))
    register(EVIDENCE, cls)
    kind: Any = cls
    plain = kind.__new__
    del kind._field_defaults["dimension"]  # which is there for type checkers

    @wraps(plain)
    def new(cls_: type[T], *args: object, **kwargs: object) -> T:
        given = {**dict(zip(kind._fields, args, strict=False)), **kwargs}
        features = as_features(given.get("features", False), cls.__name__)
        if features is not False and features.dimension:
            stated = given.setdefault("dimension", features.dimension)
            if stated != features.dimension:
                words = f"left out, or {features.dimension}, as 'features' say"
                raise ParameterError(cls.__name__, "dimension", words, stated)
            args, kwargs = (), given
        elif "dimension" not in given and set(given) <= set(kind._fields):
            raise ParameterError(cls.__name__, "dimension", "given")
        return plain(cls_, *args, **kwargs)  # type: ignore[no-any-return]

    kind.__new__ = new
    return cls


def features_of(evidence: Evidence) -> Encode | Transformed | None:
    """How contexts become features for this evidence; None if contexts are features already."""
    return getattr(evidence, "features", None) or None


def without_features(evidence: T) -> T:
    """The evidence without its `features`, as compiled code takes it."""
    given: Any = evidence
    return given.replace(features=False) if features_of(given) else given  # type: ignore[no-any-return]


def can_impute(evidence: Evidence) -> bool:
    """Whether the evidence can impute the reward of a pending pull, and correct it later."""
    return type(evidence).correct is not Evidence.correct


def as_evidence(given: object, owner: str, key: str = "evidence") -> Evidence:
    """The evidence, given as a record or by name as in "discounted(0.99)"."""
    found: Evidence = as_record(given, EVIDENCE, owner, key)
    if type(found) not in EVIDENCE.values():
        raise ParameterError(owner, key, "a kind of evidence, as in Discounted(0.99)", given)
    return found


def check_evidence(evidence: Evidence, family: Family, dimension: int) -> None:
    """Raise ParameterError unless the evidence goes with the family and the world's features.

    dimension: that of the world's features; 0 if it has none.
    """
    reads = evidence.reads()
    if features_of(evidence):
        words = "left out: a problem's features are numbers"
        raise ParameterError(type(evidence).__name__, "features", words, evidence)
    if reads > 0 and reads != dimension:
        has = f"features of dimension {dimension}" if dimension else "no features"
        raise ParameterError(
            type(evidence).__name__,
            "dimension",
            "that of the problem's features",
            Words(f"{reads} for a problem with {has}"),
        )
    evidence.check_family(family)
