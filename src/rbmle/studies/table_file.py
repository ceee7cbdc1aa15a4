"""Worlds that are tables as a study's file has them: the path of a CSV file, or its columns.

A path is relative to the study's file. The SHA-256 of the table's file is written beside it: it
is a part of the study's digest, where the path is not, and a table that has changed is refused.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import ParameterError, Words
from ..rewards.table_worlds import Classification, Replay
from ..spec import from_spec, to_spec
from ..tables import ENCODERS

COMMON = ("table", "sha256", "features", "shuffle")
OF_REPLAY = ("arm", "reward", "probability")


def table_data(world: Classification | Replay) -> dict[str, Any]:
    """A world of a table as plain data; features are False if there are none."""
    names = ("label",) if isinstance(world, Classification) else OF_REPLAY
    table = world.table
    data: dict[str, Any] = {"table": table.path, "sha256": table.sha256}
    if not table.path:
        data = {"table": {name: list(map(_cell, each)) for name, each in table.columns.items()}}
    data |= {name: getattr(world, name) for name in names}
    data |= {"features": world.features is not None and to_spec(world.features)}
    return {k: v for k, v in data.items() if v is not None} | {"shuffle": world.shuffle}


def table_world(given: Mapping[str, Any]) -> Classification | Replay:
    """The world that a table of the file states; one with a `label` is a `Classification`."""
    data = {key: value for key, value in given.items() if key not in ("name", "sha256")}
    if isinstance(data.get("features"), Mapping):
        data["features"] = from_spec(data["features"], ENCODERS, "Study", "features")
    elif data.get("features") is False:
        data["features"] = None
    world = Classification(**data) if "label" in data else Replay(**data)
    found = world.table.sha256
    if given.get("sha256", found) != found:
        words = f"that of {os.path.basename(world.table.path)!r}, which has changed: {found[:12]}"
        raise ParameterError("Study", "sha256", words, Words(str(given["sha256"])[:12]))
    return world


def beside(given: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """The same with the path of its table, if it has one, relative to the folder of `where`."""
    path = given.get("table")
    if not isinstance(path, str):
        return given
    return {**given, "table": os.path.join(os.path.dirname(where), path)}


def placed(worlds: list[dict[str, Any]], folder: str | None) -> list[dict[str, Any]]:
    """The worlds of a study as data, with paths relative to a folder; None: without paths."""
    made = [dict(each) for each in worlds]
    for each in made:
        if "sha256" in each:
            path = each.pop("table")
            each |= {} if folder is None else {"table": os.path.relpath(path, folder)}
    return made


def _cell(value: object) -> object:
    """A cell of a table as TOML has it: an empty one is an empty word."""
    plain = value.item() if isinstance(value, np.generic) else value
    return "" if plain is None else plain
