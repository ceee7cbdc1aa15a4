"""The worlds of a study as tables of its file: problems, phases, drifts, linear problems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..errors import ParameterError, one_of
from ..families import FAMILIES
from ..rewards.changing import Drift, Phases
from ..rewards.features import FEATURES_DRAWN
from ..rewards.laws import LAWS
from ..rewards.linear_problem import LinearProblem
from ..rewards.problems import Problem, World
from ..spec import from_spec, to_spec

Data: TypeAlias = dict[str, Any]  # what JSON and TOML hold
Table: TypeAlias = Mapping[str, Any]  # the same, to be read
_DRIFT = ("step", "every", "seed", "low", "high")


class WorldForm(NamedTuple):
    """How a kind of world is written. keys: of its table; `only` is one that no other kind has."""

    kind: type
    only: str
    keys: tuple[str, ...]
    required: tuple[str, ...]
    write: Callable[[Any], Data]
    read: Callable[[Table], World]


def world_data(world: World) -> Data:
    """A world as its table in the file, without its name."""
    return next(each for each in FORMS if isinstance(world, each.kind)).write(world)


def world_of(table: Table) -> World:
    """The world that a table of the file states."""
    form = next((each for each in FORMS if each.only in table), FORMS[-1])
    check_keys(table, ("name", *form.keys), form.required)
    return form.read(table)


def check_keys(data: Table, allowed: Sequence[str], required: Sequence[str]) -> None:
    """Raise ParameterError if a key is not allowed, or one that is required is missing."""
    for key in data:
        one_of("Study", "key", key, allowed)
    for key in required:
        if key not in data:
            raise ParameterError("Study", key, "given")


def record_of(key: str, given: object, among: Mapping[str, type]) -> Any:
    """The record that a file states, by its name or as a table."""
    spec = {"name": given} if isinstance(given, str) else given
    if not isinstance(spec, Mapping) or not isinstance(spec.get("name"), str):
        raise ParameterError("Study", key, "a name, or a table with a 'name'", given)
    return from_spec(given, among, "Study", key)


def _law(given: object, key: str = "law") -> Any:
    return record_of(key, given, {**FAMILIES, **LAWS})


def _numbers(values: object) -> object:
    """The numbers as lists. Adding 0 turns -0 into 0, so that equal worlds have equal digests."""
    return (np.asarray(values, dtype=float) + 0.0).tolist()


def _problem_data(problem: Problem) -> Data:
    return {"law": to_spec(problem.law), "means": _numbers(problem.means)}


def _problem(table: Table) -> Problem:
    return Problem(_law(table["law"]), table["means"])


def _phases_data(world: Phases) -> Data:
    """Phases of plain problems have one law and a list of means for each phase."""
    first, at = world.problems[0], list(world.at)
    if isinstance(first, Problem):
        means = [_numbers(each.means) for each in world.problems]
        return {"law": to_spec(first.law), "means": means, "at": at}
    return {"phase": [world_data(phase) for phase in world.problems], "at": at}


def _phases(table: Table) -> Phases:
    given = table.get("phase", table.get("means"))
    if not isinstance(given, list) or ("phase" in table) == ("means" in table):
        raise ParameterError(
            "Study", "at", "given with a list of means for each phase, or with 'phase'", table["at"]
        )
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
    ends = world.law.mean_range()
    drift: Data = {"step": world.step, "every": world.every, "seed": world.seed}
    drift |= {"low": world.low} if world.low != ends[0] else {}
    drift |= {"high": world.high} if world.high != ends[1] else {}
    return {**_problem_data(world.problem), "drift": drift}


def _drift(table: Table) -> Drift:
    given = table["drift"]
    if not isinstance(given, Mapping):
        raise ParameterError("Study", "drift", "a table, as in { step = 0.01 }", given)
    for key in given:
        one_of("Drift", "parameter", key, _DRIFT)
    if "step" not in given:
        raise ParameterError("Drift", "step", "given")
    return Drift(_problem(table), **given)


def _linear_data(world: LinearProblem) -> Data:
    drawn = not isinstance(world.features, np.ndarray)
    theta = world.theta if len(world.theta) > 1 else world.theta[0]
    return {
        "theta": _numbers(theta),
        "features": to_spec(world.features) if drawn else _numbers(world.features),
        "noise": to_spec(world.law),
    }


def _linear(table: Table) -> LinearProblem:
    features = table["features"]
    if isinstance(features, (str, Mapping)):
        features = from_spec(features, FEATURES_DRAWN, "Study", "features")
    noise = _law(table.get("noise", "Gaussian"), "noise")
    return LinearProblem(table["theta"], features, noise)


_PLAIN = ("law", "means")
FORMS = (
    WorldForm(Phases, "at", (*_PLAIN, "phase", "at"), ("at",), _phases_data, _phases),
    WorldForm(Drift, "drift", (*_PLAIN, "drift"), (*_PLAIN, "drift"), _drift_data, _drift),
    WorldForm(
        LinearProblem,
        "theta",
        ("theta", "features", "noise"),
        ("theta", "features"),
        _linear_data,
        _linear,
    ),
    WorldForm(Problem, "means", _PLAIN, _PLAIN, _problem_data, _problem),
)
