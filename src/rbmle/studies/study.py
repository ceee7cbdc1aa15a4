"""A study: frozen data that determines every number in its results."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence, ValuesView
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from .._io.text import count_text, html_table, without_defaults
from .._records.names import load_package
from .._records.record import Record
from ..engine import rounds_kept
from ..engine.plan import Listed, Plan, Setup, plan
from ..errors import ParameterError, StudyError, integer, one_of
from ..evidence import Counting
from ..families import FAMILIES
from ..policies.fit import PLAYERS, Assuming, as_policy, labelled, on_problem
from ..rewards.problems import World
from ..rewards.sources import SOURCES
from ..spec import stands_in, to_spec
from .file import (
    RESERVED,
    Data,
    at,
    module_names,
    policy_data,
    printable,
    study_arguments,
    to_toml,
    world_data,
)  # fmt: skip
from .table_file import placed

FORMAT, VERSION = "rbmle-study", 1


@dataclass(frozen=True, eq=False)
class Study:
    """A plan of simulations: policies, problems, rounds and replications.

    problems: `Problem`s or other worlds (`Phases`, `Drift`, `LinearProblem`, `Classification`,
    `Replay`) by name; or one of them.
    policies: policies by label, each alone or `Assuming` a family; or a list of them, labelled
    with their classes' names. A policy may be given by name, as in "ucb(alpha=1)". An object with
    a method `on(problem)` that returns a policy, such as `theory.Theoretical`, may stand in for
    one.
    horizon: the number of rounds T, at least the number of arms.
    replications: how often each policy plays each problem.
    seed: a whole number, from which all rewards and draws follow.
    rewards: the name of the source of rewards: "stream" for `RewardStream(seed)`, "published" for
    the paper's `PublishedTable(seed)`.
    ties: which of several arms with equal indices is pulled, a "random" one or the "first".
    checkpoints: the rounds at which regret is stored; the horizon is always one of them. None:
    about 200 rounds, half of them spaced evenly in t and half in log t.
    name: free text; it does not affect results or the digest.
    imports: modules to import before a study file is read; they define your own classes.
    evidence: what an arm's past is worth, for all policies; `Counting()` by default.
    delay: when rewards come, such as `FixedDelay(100)`; by default at once.

    Two studies are equal if all of this is equal.

    >>> from rbmle import RBMLE, UCB, Bernoulli, Problem
    >>> coins = Problem(Bernoulli(), [0.3, 0.5])
    >>> study = Study({"coins": coins}, [RBMLE(), UCB()], horizon=1000, replications=20)
    >>> list(study.policies), study.digest[:8]
    (['RBMLE', 'UCB'], '1133aa37')
    >>> study == Study.from_dict(study.to_dict())
    True
    """

    problems: Mapping[str, World]
    policies: Mapping[str, Any]
    horizon: int
    replications: int
    seed: int
    rewards: str
    ties: str
    checkpoints: tuple[int, ...] | None
    name: str
    imports: tuple[str, ...]
    evidence: Record
    delay: Record | None
    plan: Plan = field(init=False, repr=False)

    def __init__(
        self,
        problems: Mapping[str, World] | World,
        policies: Listed,
        horizon: int,
        replications: int,
        seed: int = 0,
        rewards: str = "stream",
        ties: str = "random",
        checkpoints: Sequence[int] | None = None,
        name: str = "",
        imports: Sequence[str] = (),
        evidence: object = None,
        delay: object = None,
    ) -> None:
        known, players = _problems(problems), _policies(policies)
        load_package()  # sources of rewards too
        rewards = one_of("Study", "rewards", rewards, SOURCES)
        seed = integer("Study", "seed", seed, SOURCES[rewards].seeds)
        given = Setup(
            "Study", tuple(known.values()), players, horizon, replications,
            SOURCES[rewards](seed), ties, evidence=evidence, delay=delay, titles=tuple(known),
        )  # fmt: skip
        planned = plan(given)
        chosen = None if checkpoints is None else _rounds(checkpoints, planned.horizon)
        vars(self).update(
            problems=MappingProxyType(known),
            policies=MappingProxyType(players),
            horizon=planned.horizon,
            replications=planned.last,
            seed=seed,
            rewards=rewards,
            ties=ties,
            checkpoints=chosen,
            name=printable("name", name) if name != "" else "",
            imports=module_names(imports),
            evidence=planned.evidence,
            delay=planned.delay,
            plan=planned._replace(rounds=rounds_kept(chosen, planned.horizon)),
        )
        self.to_dict()  # refuses now what a study file could not hold

    def policies_on(self, problem: World) -> list[object]:
        """The policies that are played on this problem; each stand-in is replaced by its policy."""
        return [on_problem(each, problem) for each in self.policies.values()]

    @property
    def rounds(self) -> tuple[int, ...]:
        """The rounds at which regret is stored, also where `checkpoints` is None."""
        return tuple(self.plan.rounds.tolist())

    @functools.cached_property
    def digest(self) -> str:
        """The SHA-256, as hex, of everything that determines the numbers, as canonical JSON.

        The number of replications is left out, so that a run can be extended. In the published
        protocol it is part of the digest: a policy that draws continues with the generator after
        all tables of rewards, so its draws depend on how many there are. The version of the stream
        of random numbers is a part of it too, so that a folder which an older stream began is
        refused.
        """
        source = SOURCES[self.rewards]
        content = {**self.to_dict(), "checkpoints": list(self.rounds)}
        content["problem"] = placed(content["problem"], None)
        for silent in ("name", "import", *(() if source.in_order else ("replications",))):
            content.pop(silent, None)
        content |= {"stream": source.stream} if source.stream else {}
        content |= {"format": FORMAT, "version": VERSION}
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(text.encode("ascii")).hexdigest()

    def to_dict(self) -> Data:
        """The study as data that JSON and TOML can hold, in the form of a study file."""
        return {
            "name": self.name,
            **({"import": list(self.imports)} if self.imports else {}),
            "horizon": self.horizon,
            "replications": self.replications,
            "seed": self.seed,
            "rewards": self.rewards,
            "ties": self.ties,
            "checkpoints": None if self.checkpoints is None else list(self.checkpoints),
            **({} if isinstance(self.evidence, Counting) else {"evidence": to_spec(self.evidence)}),
            **({} if self.delay is None else {"delay": to_spec(self.delay)}),
            "problem": [{"name": name, **world_data(x)} for name, x in self.problems.items()],
            "policy": [policy_data(*item) for item in self.policies.items()],
        }

    @classmethod
    def from_dict(cls, data: object, where: str = "study") -> Study:
        """The study that the data describes. Messages about mistakes begin with `where`."""
        given = study_arguments(data, where)
        with at(where):
            return cls(**given)

    def to_json(self) -> str:
        """The study as JSON; parsed, it is what `from_dict` takes."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)

    def to_toml(self) -> str:
        """The study as a file that `from_toml` reads."""
        return to_toml(self.to_dict())

    @classmethod
    def from_toml(cls, path: str | os.PathLike[str]) -> Study:
        """The study in a TOML file."""
        where = os.fspath(path)
        try:
            with open(path, "rb") as file:
                text = file.read().decode("utf-8-sig")  # some editors put a mark first
            data = tomllib.loads(text)
        except OSError as problem:
            raise StudyError(f"{where}: cannot be read ({problem.strerror or problem}).") from None
        except UnicodeDecodeError:
            raise StudyError(f"{where}: is not in UTF-8; save it as UTF-8.") from None
        except (ValueError, RecursionError) as problem:
            raise StudyError(f"{where}: is not valid TOML ({problem}).") from None
        return cls.from_dict(data, where)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Study):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.digest, self.replications, self.name))

    def _repr_html_(self) -> str:
        usual = [f"T = {self.horizon:,}", count_text(self.replications, "replication")]
        special = [] if isinstance(self.evidence, Counting) else [self.evidence]
        special += [] if self.delay is None else [self.delay]
        title = self.name or f"Study {self.digest[:12]}"
        title = ", ".join([title, *usual, f"seed {self.seed}", *map(without_defaults, special)])
        rows = [("problem", [name, repr(each)]) for name, each in self.problems.items()]
        rows += [("policy", [name, without_defaults(x)]) for name, x in self.policies.items()]
        return html_table(title, ("name", "what it is"), rows)

    def replaced(self, **changes: object) -> Study:
        """The study with some of its parameters changed."""
        return Study(**{**self._fields(), **changes})

    def _fields(self) -> Data:
        values = {each.name: getattr(self, each.name) for each in fields(self) if each.init}
        return {**values, "problems": dict(self.problems), "policies": dict(self.policies)}

    def __reduce__(self) -> tuple[Callable[[], Study], tuple[()]]:
        return functools.partial(Study, **self._fields()), ()


def _problems(given: object) -> dict[str, World]:
    named = {"problem": given} if isinstance(given, World) else given
    allowed = "a mapping of names to Problems"
    if not isinstance(named, Mapping) or not named:
        raise ParameterError("Study", "problems", allowed, given)
    for each in named.values():
        if not isinstance(each, World):
            raise ParameterError("Study", "problems", allowed, each)
    return {printable("problems", name): problem for name, problem in named.items()}


def _policies(given: object) -> dict[str, object]:
    several = given.values() if isinstance(given, Mapping) else given
    # A single policy is a NamedTuple, which is a sequence too.
    one = isinstance(several, str) or hasattr(several, "_fields")
    if one or not isinstance(several, (ValuesView, Sequence)) or not several:
        raise ParameterError("Study", "policies", "a list of at least one policy", given)
    listed = [as_policy(each, "Study", "policies") for each in several]
    for each in listed:
        policy, family = each if isinstance(each, Assuming) else (each, None)
        kind, allowed, wrong = type(policy), "", policy
        if PLAYERS.get(kind.__name__) is not kind and not stands_in(policy):
            allowed = "instances of policy classes, as in UCB()"
        elif family is not None and type(family) not in FAMILIES.values():
            allowed, wrong = "assuming instances of families, as in Gaussian()", family
        elif reserved := set(RESERVED) & set(kind._fields):
            allowed, wrong = f"without parameters called {', '.join(RESERVED)}", reserved.pop()
        if allowed:
            raise ParameterError("Study", "policies", allowed, wrong)
    labels = given if isinstance(given, Mapping) else labelled(listed)
    names = [printable("policies", label) for label in labels]
    return dict(zip(names, listed, strict=True))


def _rounds(given: object, horizon: int) -> tuple[int, ...]:
    allowed = f"[1, {horizon}]"
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ParameterError("Study", "checkpoints", f"whole numbers in {allowed}", given)
    return tuple(sorted({integer("Study", "checkpoints", each, allowed) for each in given}))
