"""The file that holds a decider's state: versioned JSON, written atomically, checked when read."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from sys import float_info
from typing import Any

from .._io.files import sweep_leftovers, write_atomically
from ..errors import Interval, StateError
from .decisions import Decision, Decisions
from .live_arm import LiveArm, Name

FORMAT, VERSION = "rbmle-decider", 1
_COUNTS = 2**53  # every whole number up to this is a float
# A saved sum may be this much outside the range of sums of allowed rewards, relatively. Rounding
# changes a sum of n terms of one sign by at most n 2^-53 of it: 1e-6 covers 10^10 pulls.
_ROUNDING = 1e-6


def plain(arm: LiveArm) -> dict[str, Any]:
    """The arm as data that JSON can hold; `Reader.arms` reads it."""
    return {
        "name": arm.name,
        "pulls": arm.pulls,
        "sum": arm.total,
        "squares": arm.squares,
        "origin": arm.origin,
        "pending": list(arm.pending),
        "lost": arm.lost,
        "enabled": arm.enabled,
    }


def plain_decisions(decisions: Decisions) -> list[list[Any]]:
    """The named decisions as data that JSON can hold: lists of id, arm, number, reward."""
    return [[id, each.arm.name, each.number, each.reward] for id, each in decisions.items()]


def write(path: str | os.PathLike[str], state: Mapping[str, Any]) -> None:
    """Write the state to the file; a reader sees the old or the new state, also after a crash."""
    text = json.dumps({"format": FORMAT, "version": VERSION, **state}, indent=1, allow_nan=False)
    write_atomically(path, (text + "\n").encode("ascii"))
    sweep_leftovers(path)


def read(path: str | os.PathLike[str]) -> Reader:
    """The state in the file; raises StateError unless this version of the package can read it."""
    with open(path, "rb") as file:
        content = file.read()
    try:
        data = json.loads(content.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise StateError(_sentence(path, "it is not JSON")) from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise StateError(_sentence(path, f"its 'format' is not {FORMAT!r}"))
    reader = Reader(path, data)
    version = reader.whole("version", least=1)
    if version > VERSION:
        raise StateError(
            _sentence(path, f"its version {version} is newer than {VERSION}, the newest known here")
        )
    return reader


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _sentence(path: str | os.PathLike[str], why: str) -> str:
    return f"Decider: {os.fspath(path)!r} cannot be loaded: {why}."


class Reader:
    """An object of a state file, whose values are checked as they are taken out."""

    def __init__(
        self, path: str | os.PathLike[str], data: Mapping[str, Any], where: str = ""
    ) -> None:
        self.path, self.data, self.where = path, data, where

    def error(self, why: str) -> StateError:
        """The error for a file that cannot be loaded."""
        return StateError(_sentence(self.path, why))

    def take(self, key: str) -> Any:
        """The value of the key, whatever it is."""
        if key not in self.data:
            raise self.error(f"{self.where}{key!r} is missing")
        return self.data[key]

    def whole(self, key: str, least: int = 0) -> int:
        """The value of the key, a whole number in [least, 2^53)."""
        value = self.take(key)
        if type(value) is not int or not least <= value < _COUNTS:
            raise self.bad(key, f"a whole number in [{least}, 2^53)", value)
        return value

    def real(self, key: str) -> float:
        """The value of the key, a finite number."""
        value = self.take(key)
        if type(value) not in (int, float) or not abs(value) <= float_info.max:
            raise self.bad(key, "a finite number", value)
        return float(value)

    def bad(self, key: str, allowed: str, value: object) -> StateError:
        """The error for a value that is not allowed."""
        return self.error(f"{self.where}{key!r} must be {allowed}, not {_short(value)}")

    def arms(self, support: Interval) -> list[LiveArm]:
        """The arms; their sums must be possible for rewards in the interval `support`."""
        listed = self.take("arms")
        if not isinstance(listed, list) or not listed:
            raise self.bad("arms", "a list of arms", listed)
        arms: dict[Name, LiveArm] = {}
        for number, each in enumerate(listed):
            if not isinstance(each, dict):
                raise self.bad("arms", "a list of objects", each)
            arm = Reader(self.path, each, f"arm {number}: ")._arm(support)
            if arm.name in arms:
                raise self.bad("arms", "arms with distinct names", arm.name)
            arms[arm.name] = arm
        if not any(arm.enabled for arm in arms.values()):
            raise self.error("no arm is enabled")
        if sum(arm.rounds for arm in arms.values()) >= _COUNTS:
            raise self.error("it has too many pulls")
        newest = sum(arm.rounds for arm in arms.values()) + self.whole("withdrawn")
        numbers = [number for arm in arms.values() for number in arm.pending]
        if len(set(numbers)) != len(numbers) or any(not 0 < each <= newest for each in numbers):
            raise self.bad("pending", f"distinct numbers of pulls in [1, {newest}]", numbers)
        for arm in arms.values():
            arm.last = max(arm.pending, default=newest)
        return list(arms.values())

    def decisions(self, arms: Mapping[Name, LiveArm]) -> Decisions:
        """The named decisions."""
        found = Decisions()
        for each in self._list("decisions"):
            form = isinstance(each, list) and len(each) == 4
            if not form or type(each[0]) not in (str, int) or each[1] not in arms:
                raise self.bad("decisions", "a list of id, arm, number and reward", each)
            id, arm, number, reward = each
            if type(number) not in (int, type(None)) or type(reward) not in (
                float,
                int,
                type(None),
            ):
                raise self.bad("decisions", "a list of id, arm, number and reward", each)
            found.keep(id, Decision(arms[arm], number, reward))
        return found

    def _list(self, key: str) -> list[Any]:
        value = self.take(key)
        if not isinstance(value, list):
            raise self.bad(key, "a list", value)
        return value

    def pending(self) -> dict[int, None]:
        """The numbers of the pending pulls."""
        given = self.take("pending")
        if not isinstance(given, list) or not all(type(each) is int for each in given):
            raise self.bad("pending", "a list of numbers of pulls", given)
        return dict.fromkeys(sorted(given))

    def memory(self, size: int) -> list[float]:
        """The numbers that the policy carries from round to round."""
        values = self.take("memory")
        if (
            not isinstance(values, list)
            or len(values) != size
            or not all(type(x) in (int, float) and abs(x) <= float_info.max for x in values)
        ):
            raise self.bad("memory", f"a list of {size} finite numbers", values)
        return values

    def _arm(self, support: Interval) -> LiveArm:
        name, enabled = self.take("name"), self.take("enabled")
        if type(name) not in (str, int):
            raise self.bad("name", "a string or a whole number", name)
        if type(enabled) is not bool:
            raise self.bad("enabled", "true or false", enabled)
        arm = LiveArm(
            name,
            self.whole("pulls"),
            self.real("sum"),
            self.real("squares"),
            self.real("origin"),
            self.pending(),
            self.whole("lost"),
            enabled=enabled,
        )
        slack = _ROUNDING * abs(arm.total)
        low, high = arm.pulls * support.low - slack, arm.pulls * support.high + slack
        if not low <= arm.total <= high:
            raise self.bad("sum", f"that of {arm.pulls} rewards in {support}", arm.total)
        if arm.squares < 0.0 or (arm.squares and not arm.pulls):
            raise self.bad("squares", f"that of {arm.pulls} squares", arm.squares)
        return arm


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
