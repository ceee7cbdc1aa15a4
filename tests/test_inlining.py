"""How methods and functions are compiled for their callers."""

from __future__ import annotations

import gc
from typing import NamedTuple

from numba.core.event import Listener, install_listener

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
