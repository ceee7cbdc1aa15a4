"""A study as plain data and as TOML, with a sentence for every mistake in it.

A world is a table of the file: a problem, phases, a drift, a linear problem, or a CSV file.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .._records.names import import_modules, load_installed
from .._records.record import Record
from ..errors import ParameterError, StudyError, did_you_mean
from ..evidence import EVIDENCE
from ..families import FAMILIES
from ..policies.fit import PLAYERS, Assuming, labelled
from ..rewards.availability import Availability
from ..rewards.changing import Drift, Phases
from ..rewards.costs import Costs
from ..rewards.delays import DELAYS
from ..rewards.features import FEATURES_DRAWN
from ..rewards.laws import LAWS
from ..rewards.linear_problem import LinearProblem
from ..rewards.problems import Problem, World
from ..rewards.slates import INDEPENDENT, Slates
from ..rewards.table_worlds import Classification, Replay
from ..spec import from_spec, stand_in_of, to_spec
from .table_file import COMMON, OF_REPLAY, beside, table_data, table_world

Data: TypeAlias = dict[str, Any]  # what JSON and TOML hold
Table: TypeAlias = Mapping[str, Any]  # the same, to be read

_REQUIRED = ("horizon", "replications", "problem", "policy")
_OPTIONAL = ("name", "import", "seed", "rewards", "ties", "checkpoints", "evidence", "delay")
_KEYS = (*_REQUIRED[:2], *_OPTIONAL, *_REQUIRED[2:])
_RECORDS: dict[str, Mapping[str, type]] = {"evidence": EVIDENCE, "delay": DELAYS}
RESERVED = ("name", "label", "family")  # keys of a policy that are not its parameters


def policy_data(label: str, given: Record) -> Data:
    """A policy, alone or `Assuming` a family, as its table in the file."""
    policy, family = given if isinstance(given, Assuming) else (given, None)
    assumed = {} if family is None else {"family": to_spec(family)}
    return {"label": label, **to_spec(policy), **assumed}


def study_arguments(data: object, where: str) -> Data:
    """The arguments of `Study`, from the data of a file.

    where: the file's name. Error messages begin with it, and modules beside it can be imported.
    """
    with at(where):
        if not isinstance(data, Mapping):
            raise ParameterError("Study", "study", "a table of keys and values", data)
        _check_keys(data, _KEYS, _REQUIRED)
        modules = module_names(data.get("import", ()))
        import_modules(modules, "Study", beside=os.path.dirname(where))
        load_installed()
        worlds, policies = _tables(data, "problem"), _tables(data, "policy")
    problems: Data = {}
    for number, table in enumerate(worlds, 1):
        with at(f"{where}, problem {number}"):
            name = printable("name", table.get("name", f"problem {number}"))
            _add(problems, "name", name, world_of(beside(table, where)))
    players = []
    for number, table in enumerate(policies, 1):
        with at(f"{where}, policy {number}"):
            players.append(_policy(table))
    named: Data = {}
    for number, (label, player) in enumerate(labelled(players).items(), 1):
        with at(f"{where}, policy {number}"):
            given = printable("label", policies[number - 1].get("label", label))
            _add(named, "label", given, player)
    with at(where):
        records = {
            key: _record(key, data[key], among) for key, among in _RECORDS.items() if key in data
        }
    read = ("import", "problem", "policy")
    plain = {key: value for key, value in data.items() if key not in read}
    return {**plain, **records, "imports": modules, "problems": problems, "policies": named}


@contextlib.contextmanager
def at(where: str) -> Iterator[None]:
    """Begin the message of a mistake inside this block with `where` it is."""
    try:
        yield
    except ParameterError as problem:
        message = str(problem).removeprefix("Study: ").removeprefix("Problem: ")
        raise StudyError(f"{where}: {message}") from None


def module_names(given: object) -> tuple[str, ...]:
    """The given names of modules, checked to be dotted Python names."""
    names = given if isinstance(given, (list, tuple)) else (None,)
    for name in names:
        if not isinstance(name, str) or not all(map(str.isidentifier, name.split("."))):
            raise ParameterError("Study", "import", "a list of names of modules", given)
    return tuple(names)


def printable(key: str, given: object) -> str:
    """The given name, checked to be one line of printable text."""
    if not isinstance(given, str) or not given or not given.isprintable():
        raise ParameterError("Study", key, "a printable text of one line", given)
    return given


def _add(known: Data, key: str, name: str, value: object) -> None:
    if name in known:
        raise ParameterError("Study", key, "unique", name)
    known[name] = value


def _check_keys(
    data: Table,
    allowed: Sequence[str],
    required: Sequence[str],
    owner: str = "Study",
    key: str = "key",
) -> None:
    """Refuse a key that is not allowed, and the lack of one that is required."""
    for each in data:
        if each not in allowed:
            known = ", ".join(map(repr, allowed))
            hint = did_you_mean(each, allowed)
            raise ParameterError(owner, "", f"the {key}s are {known}", each, hint)
    for each in required:
        if each not in data:
            raise ParameterError(owner, each, "given")


def _tables(data: Table, key: str) -> list[Table]:
    given = data[key]
    if not isinstance(given, list) or not all(isinstance(each, Mapping) for each in given):
        raise ParameterError("Study", key, f"a list of tables, as in [[{key}]]", given)
    return given


def _record(key: str, given: object, among: Mapping[str, type]) -> Any:
    """The record that a file states, by its name or as a table."""
    spec = {"name": given} if isinstance(given, str) else given
    if not isinstance(spec, Mapping) or not isinstance(spec.get("name"), str):
        raise ParameterError("Study", key, "a name, or a table with a 'name'", given)
    return from_spec(given, among, "Study", key)


def _policy(table: Table) -> object:
    _check_keys(table, tuple(table), ("name",))
    spec = {key: value for key, value in table.items() if key not in ("label", "family")}
    policy = stand_in_of(spec) or _record("name", spec, PLAYERS)
    if "family" not in table:
        return policy
    return Assuming(policy, _record("family", table["family"], FAMILIES))


def _law(given: object, key: str = "law") -> Any:
    return _record(key, given, {**FAMILIES, **LAWS})


def _numbers(values: object) -> object:
    """The numbers as lists. Adding 0 turns -0 into 0, so that equal worlds have equal digests."""
    return (np.asarray(values, dtype=float) + 0.0).tolist()


def _problem_data(problem: Problem) -> Data:
    return {"law": to_spec(problem.law), "means": _numbers(problem.means)}


def _problem(table: Table) -> Problem:
    return Problem(_law(table["law"]), table["means"])


def _phases_data(world: Phases) -> Data:
    """Phases of plain problems have one law and a list of means for each phase."""
    first, phases, at = world.problems[0], world.problems, list(world.at)
    if isinstance(first, Problem):
        means = [_numbers(each.means) for each in phases]
        return {"law": to_spec(first.law), "means": means, "at": at}
    return {"phase": [world_data(phase) for phase in phases], "at": at}


def _phases(table: Table) -> Phases:
    given = table.get("phase", table.get("means"))
    if not isinstance(given, list) or ("phase" in table) == ("means" in table):
        allowed = "given with a list of means for each phase, or with 'phase'"
        raise ParameterError("Study", "at", allowed, table["at"])
    if "phase" in table:
        for each in given:
            if not isinstance(each, Mapping):
                raise ParameterError("Study", "phase", "a list of tables", each)
        return Phases([world_of(each) for each in given], table["at"])  # type: ignore[misc]
    if "law" not in table:
        raise ParameterError("Study", "law", "given")
    law = _law(table["law"])
    return Phases([Problem(law, each) for each in given], table["at"])


def _drift_data(world: Drift) -> Data:
    low, high = world.law.mean_range()
    drift: Data = {"step": world.step, "every": world.every, "seed": world.seed}
    drift |= {"low": world.low} if world.low != low else {}
    drift |= {"high": world.high} if world.high != high else {}
    return {**_problem_data(world.problem), "drift": drift}


def _drift(table: Table) -> Drift:
    given = table["drift"]
    if not isinstance(given, Mapping):
        raise ParameterError("Study", "drift", "a table, as in { step = 0.01 }", given)
    parameters = ("step", "every", "seed", "low", "high")
    _check_keys(given, parameters, ("step",), "Drift", "parameter")
    return Drift(_problem(table), **given)


def _linear_data(world: LinearProblem) -> Data:
    drawn = not isinstance(world.features, np.ndarray)
    return {
        "theta": _numbers(world.theta if len(world.theta) > 1 else world.theta[0]),
        "features": to_spec(world.features) if drawn else _numbers(world.features),
        "noise": to_spec(world.law),
    }


def _linear(table: Table) -> LinearProblem:
    features = table["features"]
    if isinstance(features, (str, Mapping)):
        features = from_spec(features, FEATURES_DRAWN, "Study", "features")
    noise = _law(table.get("noise", "Gaussian"), "noise")
    return LinearProblem(table["theta"], features, noise)


def _availability_data(world: Availability) -> Data:
    chances: list[float] = world.awake.tolist()
    return {**world_data(world.problem), "awake": chances if len(set(chances)) > 1 else chances[0]}


def _availability(table: Table) -> Availability:
    inner = {key: value for key, value in table.items() if key != "awake"}
    return Availability(world_of(inner), table["awake"])


class WorldForm(NamedTuple):
    """How a kind of world is written: the keys of its table, and functions to write and read it."""

    kind: type
    keys: tuple[str, ...]
    required: tuple[str, ...]
    write: Callable[[Any], Data]
    read: Callable[[Table], World]


_PLAIN, _LINEAR = ("law", "means"), ("theta", "features", "noise")
# By a key that no form after it has.
_FORMS = {
    "awake": WorldForm(
        Availability,
        (*_PLAIN, *_LINEAR, "phase", "at", "drift", "awake"),
        (),
        _availability_data,
        _availability,
    ),
    "label": WorldForm(Classification, (*COMMON, "label"), ("table",), table_data, table_world),
    "table": WorldForm(Replay, (*COMMON, *OF_REPLAY), ("table",), table_data, table_world),
    "at": WorldForm(Phases, (*_PLAIN, "phase", "at"), ("at",), _phases_data, _phases),
    "costs": WorldForm(
        Costs,
        (*_PLAIN, "costs", "largest"),
        (*_PLAIN, "costs", "largest"),
        lambda world: {
            **_problem_data(world),
            "costs": world.costs.tolist(),
            "largest": world.largest,
        },
        lambda table: Costs(_problem(table), table["costs"], table["largest"]),
    ),
    "places": WorldForm(
        Slates,
        (*_PLAIN, "places", "clicks"),
        (*_PLAIN, "places"),
        lambda world: {**_problem_data(world.problem), "places": world.k, "clicks": world.clicks},
        lambda table: Slates(_problem(table), table["places"], table.get("clicks", INDEPENDENT)),
    ),
    "drift": WorldForm(Drift, (*_PLAIN, "drift"), (*_PLAIN, "drift"), _drift_data, _drift),
    "theta": WorldForm(LinearProblem, _LINEAR, _LINEAR[:2], _linear_data, _linear),
    "means": WorldForm(Problem, _PLAIN, _PLAIN, _problem_data, _problem),
}


def world_data(world: World) -> Data:
    """A world as its table in the file, without its name."""
    return next(each for each in _FORMS.values() if isinstance(world, each.kind)).write(world)


def world_of(table: Table) -> World:
    """The world that a table of the file states."""
    form = _FORMS[next((key for key in _FORMS if key in table), "means")]
    _check_keys(table, ("name", *form.keys), form.required)
    return form.read(table)


def to_toml(data: Table) -> str:
    """The data of a study as TOML: one line a value, one table a problem or policy."""
    tables = ("problem", "policy")
    lines = _lines({k: v for k, v in data.items() if k not in tables and v is not None})
    for key in tables:
        for table in data[key]:
            lines += ["", f"[[{key}]]", *_lines(table)]
    return "\n".join(lines) + "\n"


def _lines(table: Table) -> list[str]:
    quoted = (key if key.isascii() else json.dumps(key, ensure_ascii=False) for key in table)
    return [f"{key} = {_toml(value)}" for key, value in zip(quoted, table.values(), strict=True)]


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(_lines(value)) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False)  # strings, whole numbers, true and false
