"""`Reader`: an object of a state file, whose values are checked as they are taken out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from sys import float_info
from typing import Any

import numpy as np

from .._numba.compile import Floats
from ..errors import Interval, StateError
from .live_arm import Decisions, LiveArm, Name, NamedPull

_COUNTS = 2**53  # every whole number up to this is a float
# A saved sum may be this much outside the range of sums of allowed rewards, relatively. Rounding
# changes a sum of n terms of one sign by at most n 2^-53 of it: 1e-6 covers 10^10 pulls.
_ROUNDING = 1e-6


class Reader:
    """An object of a state file, whose values are checked as they are taken out."""

    def __init__(
        self, path: str | os.PathLike[str], data: Mapping[str, object], where: str = ""
    ) -> None:
        self.path, self.data, self.where = path, data, where

    def error(self, why: str) -> StateError:
        """The error for a file that cannot be loaded."""
        return StateError(f"Decider: {os.fspath(self.path)!r} cannot be loaded: {why}.")

    def bad(self, key: str, allowed: str, value: object) -> StateError:
        """The error for a value that is not allowed."""
        text = repr(value)
        short = text if len(text) <= 60 else text[:57] + "..."
        return self.error(f"{self.where}{key!r} must be {allowed}, not {short}")

    def take(self, key: str) -> Any:
        """The value of the key, whatever it is."""
        if key not in self.data:
            raise self.error(f"{self.where}{key!r} is missing")
        return self.data[key]

    def inside(self, key: str) -> Reader:
        """The value of the key, an object."""
        value = self.take(key)
        if not isinstance(value, dict):
            raise self.bad(key, "an object", value)
        return Reader(self.path, value, f"{key}: ")

    def items(self, key: str) -> list[Any]:
        """The value of the key, a list."""
        value = self.take(key)
        if not isinstance(value, list):
            raise self.bad(key, "a list", value)
        return value

    def whole(self, key: str, least: int = 0) -> int:
        """The value of the key, a whole number in [least, 2^53)."""
        value = self.take(key)
        if type(value) is not int or not least <= value < _COUNTS:
            raise self.bad(key, f"a whole number in [{least}, 2^53)", value)
        return value

    def real(self, key: str) -> float:
        """The value of the key, a finite number."""
        value = self.take(key)
        if not is_number(value):
            raise self.bad(key, "a finite number", value)
        return float(value)

    def numbers(self, key: str, size: int, given: object = None) -> Floats:
        """A list of so many finite numbers: the one given, or the value of the key."""
        given = self.take(key) if given is None else given
        if not isinstance(given, list) or len(given) != size or not all(map(is_number, given)):
            raise self.bad(key, f"lists of {size} finite numbers", given)
        return np.array(given, dtype=np.float64)

    def memory(self, size: int) -> list[float]:
        """The numbers that the policy carries from round to round."""
        values = self.take("memory")
        if not isinstance(values, list) or len(values) != size or not all(map(is_number, values)):
            raise self.bad("memory", f"a list of {size} finite numbers", values)
        return values

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
        if not any(arm.enabled or arm.reason for arm in arms.values()):
            raise self.error("no arm is enabled")
        rounds = sum(arm.rounds for arm in arms.values())
        if rounds >= _COUNTS:
            raise self.error("it has too many pulls")
        newest = rounds + self.whole("withdrawn")
        numbers = [number for arm in arms.values() for number in arm.pending]
        if len(set(numbers)) != len(numbers) or any(not 0 < each <= newest for each in numbers):
            raise self.bad("pending", f"distinct numbers of pulls in [1, {newest}]", numbers)
        return list(arms.values())

    def _arm(self, support: Interval) -> LiveArm:
        name, enabled, pending = self.take("name"), self.take("enabled"), self.take("pending")
        if type(name) not in (str, int):
            raise self.bad("name", "a string or a whole number", name)
        if type(enabled) is not bool:
            raise self.bad("enabled", "true or false", enabled)
        if not isinstance(pending, list) or not all(type(each) is int for each in pending):
            raise self.bad("pending", "a list of numbers of pulls", pending)
        arm = LiveArm(
            name, self.whole("pulls"), self.real("sum"), self.real("squares"), self.real("origin"),
            dict.fromkeys(sorted(pending)), self.whole("lost"), self.whole("last"), enabled,
            self.whole("elsewhere"), reason=str(self.data.get("reason", "")),
        )  # fmt: skip
        if "measured" in self.data:
            arm.measured = self.numbers("measured", len(self.items("measured"))).tolist()
        slack = _ROUNDING * abs(arm.total)
        low, high = arm.pulls * support.low - slack, arm.pulls * support.high + slack
        if not low <= arm.total <= high:
            raise self.bad("sum", f"that of {arm.pulls} rewards in {support}", arm.total)
        if arm.squares < 0.0 or (arm.squares and not arm.pulls):
            raise self.bad("squares", f"that of {arm.pulls} squares", arm.squares)
        if arm.elsewhere > arm.pulls:
            raise self.bad("elsewhere", f"at most {arm.pulls}, the pulls", arm.elsewhere)
        return arm

    def decisions(self, arms: Mapping[Name, LiveArm]) -> Decisions:
        """The named decisions."""
        found, allowed = Decisions(), "a list of id, arm, number, reward and probability"
        for each in self.items("decisions"):
            form = isinstance(each, list) and len(each) == 5 and type(each[0]) in (str, int)
            if not form or each[1] not in arms or type(each[2]) not in (int, type(None)):
                raise self.bad("decisions", allowed, each)
            id, arm, number, reward, probability = each
            if type(reward) not in (float, int, type(None)):
                raise self.bad("decisions", allowed, each)
            if probability is not None and not (
                is_number(probability) and 0.0 <= probability <= 1.0
            ):
                raise self.bad("decisions", allowed, each)
            found.keep(id, NamedPull(arms[arm], number, reward, probability))
        return found


def is_number(value: object) -> bool:
    """Whether a value of JSON is a finite number."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    return abs(value) <= float_info.max
