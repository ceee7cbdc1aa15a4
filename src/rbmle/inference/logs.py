"""Logs of decisions, read piece by piece: tables, arrays, and lines that the service exports."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from .._numba.compile import Floats
from ..errors import Interval, ParameterError, Words
from ..policies.arms import Name
from ..tables.data import DataTable

_ORDER = ("seq", "t", "at", "time", "timestamp")  # columns that must not fall, if there are any
_LOG = "tables, mappings of columns, files, or what simulate_log returns"
_LINES = 50_000  # of an export that are read at a time


@runtime_checkable
class Frame(Protocol):
    """A data frame, of whatever library."""

    columns: Iterable[str]

    def __getitem__(self, name: str, /) -> ArrayLike: ...


Table: TypeAlias = Mapping[str, ArrayLike | Sequence[object]] | Frame
Candidates: TypeAlias = tuple[Name, ...] | None  # of a decision; None: all arms
# An arm, its reward, its probability, and among which it was chosen.
LogRow: TypeAlias = tuple[Name, float, float | None, Candidates]


class Piece(NamedTuple):
    """Some rows of a log.

    arms: the arm of each. probability: with which it was chosen, None if that is not known.
    columns: all columns that the log has, by name, for a policy that reads them.
    among: the candidates of each row, if some were named.
    """

    arms: list[Name]
    rewards: Floats
    probability: Floats | None
    columns: Table
    among: list[Candidates] | None = None


def pieces(owner: str, log: object, allowed: Interval | None = None) -> Iterator[Piece]:
    """The log in pieces, each checked: rewards in `allowed`, probabilities in (0, 1], the order.

    log: a data frame or a mapping of columns, `arm`, `reward` and, if known, `probability`; the
    path of a CSV file with such columns, which ends in .csv, or of JSON lines that the service
    exported; or an iterable of such, of which one at a time is in memory.
    """
    last: dict[str, object] = {}
    known = None
    for each in _tables(owner, log):
        piece = _piece(owner, each, last, allowed)
        if known is not None and known != (piece.probability is None):
            rule = "a log whose probabilities are all known, or none"
            raise ParameterError(owner, "log", rule, "both")
        known = piece.probability is None
        yield piece


def _tables(owner: str, log: object) -> Iterator[Table]:
    if isinstance(log, Mapping | Frame):
        yield log
    elif isinstance(log, (str, os.PathLike)):
        yield from _in_file(owner, os.fspath(log))
    elif isinstance(log, Iterable):
        for each in log:
            if not isinstance(each, Mapping | Frame | str | os.PathLike):
                raise ParameterError(owner, "log", f"an iterable of {_LOG}", each)
            yield from _tables(owner, each)
    else:
        raise ParameterError(owner, "log", _LOG, Words(type(log).__name__))


def _in_file(owner: str, path: str) -> Iterator[Table]:
    if path.endswith(".csv"):
        try:
            columns = DataTable.of(owner, path).columns
        except ParameterError as mistake:
            raise mistake.of(owner, "log") from None
        yield columns
        return
    try:
        with open(path, encoding="utf-8") as lines:
            yield from _exported(owner, lines)
    except (OSError, UnicodeDecodeError) as problem:
        allowed = f"a file that can be read ({getattr(problem, 'strerror', None) or 'not text'})"
        raise ParameterError(owner, "log", allowed, path) from None


def _piece(owner: str, table: Table, last: dict[str, object], allowed: Interval | None) -> Piece:
    names = list(table.columns if isinstance(table, Frame) else table)
    for needed in ("arm", "reward"):
        if needed not in names:
            raise ParameterError(owner, "log", f"a table with a column {needed!r}", names)
    arms = np.asarray(table["arm"]).tolist()
    rewards = _numbers(owner, table, "reward", len(arms))
    inside = allowed or Interval(-np.inf, np.inf, False, False)
    low, high, *_ = inside
    if rewards.size and not (low <= rewards.min() and rewards.max() <= high):
        out = rewards[~((rewards >= low) & (rewards <= high))][0]
        raise ParameterError(owner, "reward", f"a number in {inside}", float(out))
    chances = None
    if "probability" in names:
        chances = _numbers(owner, table, "probability", len(arms))
        if chances.size and not (chances.min() > 0.0 and chances.max() <= 1.0 + 1e-9):
            out = chances[~((chances > 0.0) & (chances <= 1.0 + 1e-9))][0]
            raise ParameterError(owner, "probability", "a number in (0, 1]", float(out))
    for name in _ORDER:
        if name in names and len(arms):
            column = np.asarray(table[name])
            before = [last[name]] if name in last else []
            if not (column[1:] >= column[:-1]).all() or any(column[0] < each for each in before):
                raise ParameterError(owner, "log", f"rows in the order of their {name!r}")
            last[name] = column[-1]
    among = _among(owner, table["among"], arms) if "among" in names else None
    return Piece(arms, rewards, chances, table, among)


def _among(owner: str, column: Any, arms: list[Name]) -> list[Candidates]:
    """The candidates of each row: a list that has its arm; None, or NaN, where none were named."""
    found = []
    for given, arm in zip(column, arms, strict=True):
        none = given is None or given != given if np.ndim(given) == 0 else False
        listed = None if none else tuple(np.asarray(given).tolist()) if np.ndim(given) == 1 else ()
        if listed is not None and arm not in listed:
            raise ParameterError(owner, "among", f"a list of arms with {arm!r}, the row's", given)
        found.append(listed)
    return found


def _numbers(owner: str, table: Table, name: str, size: int) -> Floats:
    try:
        found = np.asarray(table[name], dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(owner, name, "a column of numbers", table[name]) from None
    if found.shape != (size,) or np.isnan(found).any():
        raise ParameterError(owner, name, f"a column of {size} numbers", found)
    return found


def _exported(owner: str, lines: Iterable[str]) -> Iterator[Table]:
    """The decisions of an export whose rewards came, in the order of the rewards.

    lines: what `/events` shows, or an archive of the experiment.
    """
    arms: list[Name] = []
    waiting: dict[int, dict[str, Any]] = {}
    rows: list[LogRow] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            event = json.loads(line)
            kind = "header" if "format" in event else event["kind"]
        except (ValueError, KeyError, TypeError):
            raise ParameterError(owner, "log", f"lines of events; line {number} is none") from None
        if kind == "created":
            arms = list(json.loads(event["text"])["arms"])
        elif kind == "added":
            arms.append(event["text"])
        elif kind == "decision":
            waiting[event["seq"]] = event
        elif kind in ("reward", "expired") and event.get("value") is not None:
            made = waiting.pop(event.get("of"), None) or event
            if "arm" in made:
                # Places in /events, names in an archive.
                listed = [
                    arms[arm] if isinstance(arm, int) and arm < len(arms) else arm
                    for arm in (made["arm"], *made.get("among", ()))
                ]
                among = tuple(listed[1:]) or None
                rows.append((listed[0], event["value"], made.get("probability"), among))
        if len(rows) >= _LINES:
            yield _columns(rows)
            rows = []
    if rows:
        yield _columns(rows)


def _columns(rows: list[LogRow]) -> Table:
    arms, rewards, chances, among = (list(each) for each in zip(*rows, strict=True))
    columns: dict[str, Sequence[object]] = {"arm": arms, "reward": rewards}
    if all(each is not None for each in chances):
        columns["probability"] = chances
    return columns | ({"among": among} if any(among) else {})
