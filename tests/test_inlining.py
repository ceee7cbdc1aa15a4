"""How methods and functions are compiled for their callers."""

from __future__ import annotations

import gc
from collections import Counter
from operator import add
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core.event import Listener, install_listener
from numba.core.types.functions import BaseFunction

from rbmle._numba import operators
from rbmle._numba.compile import _dispatchers, kernel, njit, plain, record
from rbmle._numba.inlining import ForCallers


@record
class Slope(NamedTuple):
    rise: float = 2.0

    def over(self, x: float) -> float:
        return tripled(self.rise * x)


@njit
def tripled(x: float) -> float:
    return 3.0 * x


@kernel
def climbed(slope: Slope, x: float) -> float:
    return tripled(slope.over(x))


class Watching(Listener):  # type: ignore[misc]
    """Notes whether the garbage collector works while something is compiled."""

    def __init__(self) -> None:
        self.seen: list[bool] = []

    def on_start(self, event: object) -> None:
        self.seen.append(gc.isenabled())

    def on_end(self, event: object) -> None:
        pass


def test_a_function_has_machine_code_for_python_alone() -> None:
    assert climbed(Slope(), 1.0) == climbed.interpreted(Slope(), 1.0) == 18.0
    inner = [each for (it, _), each in _dispatchers.items() if it is plain(tripled)]
    libraries = [code.library for each in inner for code in each.overloads.values()]
    assert libraries
    assert all(isinstance(each, ForCallers) for each in libraries)
    assert tripled(1.0) == 3.0


def test_the_garbage_collector_pauses_while_a_kernel_is_compiled() -> None:
    @kernel
    def descended(slope: Slope) -> float:
        return -slope.over(1.0)

    watching = Watching()
    with install_listener("numba:run_pass", watching):
        assert descended(Slope()) == -6.0
    assert watching.seen
    assert not any(watching.seen)
    assert gc.isenabled()


def test_the_type_of_an_operator_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    @kernel
    def summed(slope: Slope, x: float) -> float:
        return (x + slope.rise) + (x + x) + (slope.rise + x)

    asked: Counter[object] = Counter()
    find = operators._find

    def counting(self: BaseFunction, context: Any, args: Any, kws: Any) -> Any:
        asked[self.typing_key] += 1
        return find(self, context, args, kws)

    with monkeypatch.context() as patch:
        patch.setattr(operators, "_find", counting)
        sum_ = summed(Slope(), 1.0)
    operators.find_once(False)
    assert sum_ == 8.0
    assert asked[add] == 1


def test_after_a_failure_types_are_found_as_numba_finds_them() -> None:
    @kernel
    def broken(slope: Slope) -> float:
        return slope.missing  # type: ignore[attr-defined, no-any-return]

    found = BaseFunction.get_call_type
    with pytest.raises(Exception, match="missing"):
        broken(Slope())
    assert BaseFunction.get_call_type is found
    assert not operators._found
    assert gc.isenabled()


@record
class Chords(NamedTuple):
    """A class outside the package, with what the package's own methods do without."""

    notes: Any

    def loudest(self) -> float:
        def louder(x: float) -> float:
            return 2.0 * x

        levels = np.array([louder(each) for each in self.notes])
        return float(np.max(2.0 * levels + levels))


@kernel
def heard(chords: Chords) -> float:
    return chords.loudest()


def test_methods_of_users_have_closures_and_arithmetic_on_arrays() -> None:
    chords = Chords(np.array([1.0, 3.0]))
    assert heard(chords) == heard.interpreted(chords) == 18.0
