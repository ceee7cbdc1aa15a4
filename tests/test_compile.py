"""The compile layer: what it promises to the rest of the package, and the traps it met."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from rbmle._compile import extend, kernel, record


@record
class Line(NamedTuple):
    slope: float = 2.0

    def value(self, x: float) -> float:
        return self.slope * x


@record
class Parabola(NamedTuple):
    bend: float = 3.0

    def value(self, x: float) -> float:
        return self.bend * x * x


@extend(Line, Parabola)
def rise(self: Any, low: float, high: float) -> float:
    """How much the curve rises."""
    return self.value(high) - self.value(low)


@kernel
def total_rise(curve: Any, n: int) -> float:
    total = 0.0
    for k in range(n):
        total += curve.rise(k, k + 1.0)
    return total


class TestExtend:
    @pytest.mark.parametrize("curve", [Line(), Parabola()], ids=repr)
    def test_compiled_and_interpreted_code_call_it(self, curve: Any) -> None:
        assert total_rise(curve, 4) == total_rise.interpreted(curve, 4) == curve.value(4.0)
        assert rise(curve, 1.0, 2.0) == curve.rise(1.0, 2.0)

    def test_a_method_of_the_classes_own_is_not_replaced(self) -> None:
        with pytest.raises(TypeError, match="Line has a method value of its own"):

            @extend(Line)
            def value(self: Any, x: float) -> float:
                return 0.0

        assert Line().value(1.0) == 2.0

    def test_a_default_gives_way_once(self) -> None:
        def height(self: Any) -> float:
            return 0.0

        class Tower(NamedTuple):
            metres: float = 5.0

        tower: Any = record(Tower, {"height": height})
        for found in (5.0, None):
            if found is None:
                with pytest.raises(TypeError, match="of its own"):
                    extend(tower)(_height)
            else:
                extend(tower)(_height)
            assert kernel(_call_height)(tower()) == tower().height() == 5.0


def _height(self: Any) -> float:
    return self.metres  # type: ignore[no-any-return]


_height.__name__ = "height"


def _call_height(tower: Any) -> float:
    return tower.height()  # type: ignore[no-any-return]
