"""Read and write a study as plain data and as TOML, with a sentence for every mistake in it."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping

from .._records.names import import_modules, load_installed
from .._records.record import Record
from ..errors import ParameterError, StudyError
from ..evidence import EVIDENCE
from ..families import FAMILIES
from ..policies.fit import PLAYERS, Assuming, labelled
from ..rewards.delays import DELAYS
from ..rewards.problems import World
from ..spec import first_named, stand_in_of, to_spec
from .world_tables import Data, Table, check_keys, record_of, world_of

_REQUIRED = ("horizon", "replications", "problem", "policy")
_OPTIONAL = ("name", "import", "seed", "rewards", "ties", "checkpoints", "evidence", "delay")
KEYS = (*_REQUIRED[:2], *_OPTIONAL, *_REQUIRED[2:])
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
        check_keys(data, KEYS, _REQUIRED)
        modules = module_names(data.get("import", ()))
        import_modules(modules, "Study", beside=os.path.dirname(where))
        load_installed()
        tables = {key: _tables(data, key) for key in ("problem", "policy")}
    problems: dict[str, World] = {}
    for number, table in enumerate(tables["problem"], 1):
        with at(f"{where}, problem {number}"):
            name = printable("name", table.get("name", f"problem {number}"))
            _add(problems, "name", name, world_of(table))
    players = []
    for number, table in enumerate(tables["policy"], 1):
        with at(f"{where}, policy {number}"):
            players.append(_policy(table))
    policies: Data = {}
    for number, (label, player) in enumerate(labelled(players).items(), 1):
        with at(f"{where}, policy {number}"):
            given = printable("label", tables["policy"][number - 1].get("label", label))
            _add(policies, "label", given, player)
    players_of = {"evidence": EVIDENCE, "delay": DELAYS}
    with at(where):
        records = {
            key: record_of(key, first_named(data[key], among), among)
            for key, among in players_of.items()
            if key in data
        }
    tabular = ("import", "problem", "policy", *players_of)
    plain = {key: value for key, value in data.items() if key not in tabular}
    return {**plain, **records, "imports": modules, "problems": problems, "policies": policies}


@contextlib.contextmanager
def at(where: str) -> Iterator[None]:
    """Begin the message of a mistake inside this block with `where` it is."""
    try:
        yield
    except ParameterError as problem:
        said = str(problem).removeprefix("Study: ").removeprefix("Problem: ")
        raise StudyError(f"{where}: {said}") from None


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


def _policy(table: Table) -> object:
    check_keys(table, tuple(table), ("name",))
    spec = {key: value for key, value in table.items() if key not in ("label", "family")}
    policy = stand_in_of(spec) or record_of("name", spec, PLAYERS)
    if "family" not in table:
        return policy
    return Assuming(policy, record_of("family", table["family"], FAMILIES))


def _tables(data: Table, key: str) -> list[Table]:
    given = data[key]
    if not isinstance(given, list) or not all(isinstance(each, Mapping) for each in given):
        raise ParameterError("Study", key, f"a list of tables, as in [[{key}]]", given)
    return given


def to_toml(data: Table) -> str:
    """The data of a study as TOML: one line a value, one table a problem or policy."""
    lines = [
        f"{key} = {_toml(value)}"
        for key, value in data.items()
        if key not in ("problem", "policy") and value is not None
    ]
    for key in ("problem", "policy"):
        for table in data[key]:
            lines += ["", f"[[{key}]]", *(f"{_key(k)} = {_toml(v)}" for k, v in table.items())]
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(each) for each in value) + "]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False)  # strings, whole numbers, true and false


def _key(name: str) -> str:
    return name if name.isascii() else json.dumps(name, ensure_ascii=False)
