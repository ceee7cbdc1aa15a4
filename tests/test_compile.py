"""The compile layer: its promises to the rest of the package, and the traps that were met."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import Annotated, Any, NamedTuple

import numba
import numpy as np
import pytest

from rbmle import (
    UCB,
    Bernoulli,
    KGStar,
    ParameterError,
    Problem,
    simulate,
)
from rbmle._numba.bridge import constant_of
from rbmle._numba.compile import PRIVATE, _dispatchers, extend, kernel, lean, record
from rbmle._numba.inlining import ForCallers
from rbmle.errors import DefinitionError
from rbmle.policies import policy

COINS = Problem(Bernoulli(), [0.2, 0.6, 0.4])


@record
class Line(NamedTuple):
    slope: float = 2.0

    def at(self, x: float) -> float:
        return self.slope * x

    def rate(self) -> float:
        return self._scaled(1.0, by=self.slope)

    def _scaled(self, x: float, by: float = 1.0) -> float:
        return x * by


@record
class Parabola(NamedTuple):
    rate_of: float = 3.0

    def at(self, x: float) -> float:
        return self.rate_of * x * x

    def rate(self, x: float, y: float) -> float:
        return self.rate_of * (self.slope(x) + self.slope(y))

    def slope(self, x: float) -> float:
        return 2.0 * x


@record
class Nothing(NamedTuple):
    def at(self, x: float) -> float:
        return x


@record
class Holder(NamedTuple):
    inside: Nothing = Nothing()

    def at(self, x: float) -> float:
        return self.inside.at(x) + Nothing().at(1.0)


@extend(Line, Parabola)
def rise(self: Any, low: float, high: float) -> float:
    """How much the curve rises."""
    return self.at(high) - self.at(low)  # type: ignore[no-any-return]


@kernel
def total_rise(curve: Any, n: int) -> float:
    total = 0.0
    for k in range(n):
        total += curve.rise(k, k + 1.0)
    return total


@kernel
def value_at(curve: Any, x: float) -> float:
    return curve.at(x)


@record
class Constants(NamedTuple):
    factor: float = 2.0

    def nothing(self) -> None:
        """A default that does nothing."""

    def yes(self, x: float) -> bool:
        return True

    def three(self) -> int:
        return 3

    def half(self, x: float = 1.0) -> float:
        return 0.5


class TestMethods:
    def test_constants_are_what_the_interpreter_returns(self) -> None:
        @kernel
        def both(constants: Any) -> float:
            constants.nothing()
            total = constants.factor * constants.three() + constants.half(2.0) + constants.half()
            return total if constants.yes(total) else 0.0

        assert both(Constants()) == both.interpreted(Constants()) == 7.0
        assert constant_of(Constants.half, 2) == (numba.float64, 0.5)
        assert constant_of(Constants.half, 1) is None  # Numba adds the default
        assert constant_of(Line.at, 2) is None

    def test_a_method_has_no_machine_code_of_its_own(self) -> None:
        """It is compiled once for all callers that count references, and once for the others."""
        value_at(Line(), 3.0)
        [compiled] = [each for (method, _), each in _dispatchers.items() if method is Line.at]
        [overload] = compiled.overloads.values()
        assert isinstance(overload.library, ForCallers)
        assert overload.library.get_pointer_to_function(overload.fndesc.llvm_func_name) == 0

    @pytest.mark.parametrize("curve", [Line(), Parabola(), Nothing(), Holder()], ids=repr)
    def test_compiled_code_calls_them_by_name(self, curve: Any) -> None:
        """`at` has other parameters in the package itself."""
        assert value_at(curve, 3.0) == value_at.interpreted(curve, 3.0) == curve.at(3.0)

    def test_they_may_print(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Which needs what Numba calls the environment of a function."""

        @record
        class Talker(NamedTuple):
            word: float = 1.0

            def at(self, x: float) -> float:
                print("at", x)
                return x

        assert value_at(Talker(), 3.0) == 3.0
        assert capsys.readouterr().out == "at 3.0\n" * 2  # once in the interpreter, to rehearse

    def test_two_records_may_have_methods_of_one_name_with_other_parameters(self) -> None:
        @kernel
        def both(line: Any, parabola: Any) -> float:
            return line.rate() + parabola.rate(1.0, y=3.0)

        assert both(Line(), Parabola()) == both.interpreted(Line(), Parabola()) == 26.0

    def test_a_field_hides_a_method_of_another_record(self) -> None:
        """`slope` is a field of one and a method of the other."""

        @kernel
        def both(line: Any, parabola: Any) -> float:
            return line.slope + parabola.slope(1.0)

        assert both(Line(), Parabola()) == 4.0

    def test_instances_of_a_class_have_one_type(self) -> None:
        @record
        class Mixed(NamedTuple):
            level: float = 1.0
            trials: Annotated[int, "[1, inf)"] = 1

        assert numba.typeof(Mixed(1, 2.0)) == numba.typeof(Mixed(1.0, np.int32(2)))
        assert numba.typeof(UCB(1)) == numba.typeof(UCB(np.float32(1.0)))
        assert numba.typeof(UCB(1)._replace(alpha=2)) == numba.typeof(UCB._make([3]))

    def test_a_field_or_method_called_view_is_refused(self) -> None:
        class Field(NamedTuple):
            view: float = 1.0

        class Method(NamedTuple):
            x: float = 1.0

            def view(self) -> float:
                return self.x

        for each in (Field, Method):
            with pytest.raises(DefinitionError, match=f"{each.__name__}: 'view' must have another"):
                record(each)

    def test_what_is_no_named_tuple_is_refused(self) -> None:
        class Plain:
            pass

        with pytest.raises(DefinitionError, match="Plain must be a NamedTuple"):
            record(Plain)

    def test_a_method_that_the_package_calls_must_take_what_it_is_given(self) -> None:
        class Short(NamedTuple):
            def index_of(self, family, arms, i):
                return 0.0

        expected = r"Short.index_of must take \(self, family, arms, i, level\)"
        with pytest.raises(DefinitionError, match=expected):
            policy(Short)

    def test_a_policy_that_does_not_fit_is_refused_before_anything_is_compiled(self) -> None:
        with pytest.raises(ParameterError, match="KGStar: 'family' must be Gaussian"):
            simulate(COINS, [KGStar()], 10, 1)

    def test_lean_code_may_not_allocate(self) -> None:
        @lean
        def allocates(n: int) -> float:
            return np.zeros(n).sum()  # type: ignore[no-any-return]

        with pytest.raises(Exception, match=r"returning of array|NRT"):
            allocates(3)


@record
class Pair(NamedTuple):
    policy: Any
    family: Any


@record
class Misspelt(NamedTuple):
    def at(self, x: float) -> float:
        return x + oen  # noqa: F821


@lean
def _sum_at(rules: Any, x: float) -> float:
    return _value_of(rules.policy, x) + _value_of(rules.family, x)


@lean
def _value_of(curve: Any, x: float) -> float:
    return curve.at(x)  # type: ignore[no-any-return]


@kernel
def sum_at(rules: Any, numbers: Any) -> float:
    return _sum_at(rules, numbers[0])


class TestRules:
    """A policy and a family that come as one record."""

    def test_both_are_announced(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level("INFO", "rbmle")
        assert sum_at(Pair(Parabola(), Nothing()), np.array([2.0])) == 14.0
        assert "compiling Parabola for Nothing, once" in caplog.messages

    def test_what_has_no_name_is_not_announced(self, caplog: pytest.LogCaptureFixture) -> None:
        @kernel
        def halved(x: float) -> float:
            return x / 2.0

        caplog.set_level("INFO", "rbmle")
        assert halved(3.0) == 1.5
        assert not [each for each in caplog.messages if each.startswith("compiling")]

    def test_a_mistake_is_told_with_its_line(self) -> None:
        place = r"(?s)Misspelt.*: NameError: name 'oen' is not defined\n  File.*in at\n    return x"
        with pytest.raises(DefinitionError, match=place):
            sum_at(Pair(Misspelt(), Line()), np.array([2.0]))


class TestExtend:
    @pytest.mark.parametrize("curve", [Line(), Parabola()], ids=repr)
    def test_compiled_and_interpreted_code_call_it(self, curve: Any) -> None:
        assert total_rise(curve, 4) == total_rise.interpreted(curve, 4) == curve.at(4.0)
        assert rise(curve, 1.0, 2.0) == curve.rise(1.0, 2.0)

    def test_a_method_of_the_classes_own_is_not_replaced(self) -> None:
        with pytest.raises(TypeError, match="Line has a method at of its own"):

            @extend(Line)
            def at(self: Any, x: float) -> float:
                return 0.0

        assert Line().at(1.0) == 2.0

    def test_a_default_gives_way_once(self) -> None:
        def height(self: Any) -> float:
            return 0.0

        class Tower(NamedTuple):
            metres: float = 5.0

        tower: Any = record(Tower, {"height": height})
        call = kernel(lambda tower: tower.height())
        assert call(tower()) == 0.0
        own = type(height)(_metres.__code__, globals(), "height")
        extend(tower)(own)
        assert kernel(lambda tower: tower.height())(tower()) == tower().height() == 5.0
        with pytest.raises(TypeError, match="of its own"):
            extend(tower)(own)


def _metres(self: Any) -> float:
    return self.metres  # type: ignore[no-any-return]


@pytest.mark.parametrize("entry", PRIVATE)
def test_the_private_parts_of_numba_are_as_they_were(entry: str) -> None:
    path, _, rest = entry.partition("(")
    module, *names = path.rsplit(".", 1)
    try:
        thing = importlib.import_module(module)
    except ModuleNotFoundError:
        module, *names = path.rsplit(".", 2)
        thing = importlib.import_module(module)
    for name in names:
        found = getattr(thing, name, None)
        assert found is not None, f"Numba {numba.__version__} has no {path}, which _numba uses."
        thing = found
    parameters = ", ".join(inspect.signature(thing).parameters)
    assert parameters == rest.rstrip(")"), (
        f"In Numba {numba.__version__} {path} takes ({parameters}): _numba expects {entry}."
    )


def test_functions_that_others_call_return_no_arrays() -> None:
    """See `njit`: such a function is compiled with the options of whoever calls it first."""
    checked = 0
    for room in ("special", "random", "families", "policies", "choosers", "evidence"):
        path = importlib.import_module(f"rbmle.{room}").__path__
        for file in pkgutil.iter_modules(path):
            module = importlib.import_module(f"rbmle.{room}.{file.name}")
            for each in vars(module).values():
                if getattr(each, "__module__", "") != module.__name__ or not hasattr(
                    each, "_cache"
                ):
                    continue
                checked += 1
                returned = str(inspect.signature(each.py_func).return_annotation)
                assert not {"Floats", "NDArray", "Beliefs"} & set(returned.split("[")), each
    assert checked > 50
