"""The state of a live decider as a file: versioned JSON, written all at once or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from .errors import Interval, StateError

FORMAT, VERSION = "rbmle-decider", 1
_ROUNDING = 1e-9  # how far a sum of rewards may stray from its bounds by rounding, relatively

Name = str | int


@dataclass(slots=True)
class LiveArm:
    """One arm of a decider: its rewards so far, and its pulls that wait for one."""

    name: Name
    pulls: int = 0
    total: float = 0.0
    squares: float = 0.0
    pending: int = 0
    enabled: bool = True
    slot: int = -1  # the place among the enabled arms

    @property
    def blind(self) -> bool:
        """Pulled, but without any reward yet: it can have no index."""
        return self.pending > 0 and self.pulls == 0

    @property
    def mean(self) -> float:
        return self.total / self.pulls if self.pulls else float("nan")

    def learn(self, reward: float) -> bool:
        """Learn one reward. Whether it answers a pending pull."""
        self.pulls += 1
        self.total += reward
        self.squares += reward * reward
        if self.pending:
            self.pending -= 1
            return True
        return False

    def statistics(self) -> tuple[float, float, float]:
        """Pulls, sum and sum of squares, as if pending pulls had each paid the mean so far."""
        if not self.pending:
            return self.pulls, self.total, self.squares
        scale = self.pending / self.pulls
        return (
            self.pulls + self.pending,
            self.total + scale * self.total,
            self.squares + scale * self.squares,
        )

    def saved(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "pulls": self.pulls,
            "sum": self.total,
            "squares": self.squares,
            "pending": self.pending,
            "enabled": self.enabled,
        }


def write(path: str | os.PathLike[str], state: Mapping[str, Any]) -> None:
    """Replace the file: who reads it, or finds it after a crash, sees the old or the new state."""
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    # One name for each thread that may be writing, so that leftovers of a crash do not pile up.
    temporary = os.path.join(folder, f".{name}.{os.getpid()}-{threading.get_ident()}.tmp")
    text = json.dumps({"format": FORMAT, "version": VERSION, **state}, indent=1, allow_nan=False)
    try:
        with open(temporary, "w", encoding="ascii") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if hasattr(os, "O_DIRECTORY"):  # makes the new name itself survive a loss of power
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def read(path: str | os.PathLike[str]) -> Reader:
    """The state in the file, if it is one of ours and not from the future."""
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
    """An object in a state file: every value is checked as it is taken out."""

    def __init__(
        self, path: str | os.PathLike[str], data: Mapping[str, Any], where: str = ""
    ) -> None:
        self.path, self.data, self.where = path, data, where

    def error(self, why: str) -> StateError:
        return StateError(_sentence(self.path, why))

    def take(self, key: str) -> Any:
        if key not in self.data:
            raise self.error(f"{self.where}{key!r} is missing")
        return self.data[key]

    def whole(self, key: str, least: int = 0) -> int:
        value = self.take(key)
        if type(value) is not int or not least <= value < 2**64:
            raise self.bad(key, f"a whole number from {least} on", value)
        return value

    def real(self, key: str) -> float:
        value = self.take(key)
        if type(value) not in (int, float) or not isfinite(value):
            raise self.bad(key, "a finite number", value)
        return float(value)

    def bad(self, key: str, allowed: str, value: object) -> StateError:
        return self.error(f"{self.where}{key!r} must be {allowed}, not {_short(value)}")

    def arms(self, support: Interval) -> list[LiveArm]:
        """The arms, which must hold what rewards in the support can add up to."""
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
        return list(arms.values())

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
            self.whole("pending"),
            enabled,
        )
        low, high = arm.pulls * support.low, arm.pulls * support.high
        slack = _ROUNDING * (1.0 + abs(arm.total))
        if not low - slack <= arm.total <= high + slack or not arm.pulls and arm.total:
            raise self.bad("sum", f"that of {arm.pulls} rewards in {support}", arm.total)
        slack = _ROUNDING * (1.0 + arm.squares)
        if arm.squares < 0.0 or arm.squares * arm.pulls + slack * arm.pulls < arm.total * arm.total:
            raise self.bad("squares", "that of rewards with this sum", arm.squares)
        if not arm.pulls and arm.squares:
            raise self.bad("squares", "0 without pulls", arm.squares)
        return arm


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
