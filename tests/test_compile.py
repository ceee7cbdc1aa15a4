"""The compile layer: what it promises to the rest of the package, and the traps it met."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import pathlib
import pickle
import subprocess
import sys
import textwrap
from typing import Annotated, Any, NamedTuple

import numba
import numpy as np
import pytest

import rbmle
from rbmle import (
    POLICIES,
    UCB,
    Bernoulli,
    Decider,
    KGStar,
    ParameterError,
    Problem,
    simulate,
)
from rbmle._compile import PRIVATE, extend, kernel, lean, record
from rbmle.errors import DefinitionError
from rbmle.families.base import FAMILIES, family
from rbmle.policies import policy
from rbmle.rewards.laws import LAWS, law
from rbmle.spec import from_spec, to_spec
from rbmle.testing import check_policy

SOURCES = str(pathlib.Path(rbmle.__file__).parents[1])
COINS = Problem(Bernoulli(), [0.2, 0.6, 0.4])


def python(code: str, **changes: str) -> str:
    """What the code prints in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": SOURCES, **changes}
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(code)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


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


class TestMethods:
    @pytest.mark.parametrize("curve", [Line(), Parabola(), Nothing(), Holder()], ids=repr)
    def test_compiled_code_calls_them_by_name(self, curve: Any) -> None:
        """`at` has other parameters in the package itself."""
        assert value_at(curve, 3.0) == value_at.interpreted(curve, 3.0) == curve.at(3.0)

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
        with pytest.raises(ParameterError, match="KGStar: 'family' must be one of"):
            simulate(COINS, [KGStar()], 10, 1)

    def test_lean_code_may_not_allocate(self) -> None:
        @lean
        def allocates(n: int) -> float:
            return np.zeros(n).sum()  # type: ignore[no-any-return]

        with pytest.raises(Exception, match=r"returning of array|NRT"):
            allocates(3)


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


CELL = """
from typing import NamedTuple
from rbmle.policies import policy

@policy
class Mine(NamedTuple):
    c: float = 1.0

    def index_of(self, family, arms, i, level):
        return self.mean(arms, i) + self._width(arms, i)

    def mean(self, arms, i):
        return arms.mean(i)

    def _width(self, arms, i):
        return self.c / arms.pulls[i]
"""

CELL_AGAIN = """
@policy
class Mine(NamedTuple):
    scale: float = 2.0
    shift: float = 0.0

    def index_of(self, family, arms, i, level):
        return arms.mean(i) + self._width(arms.pulls[i])

    def _width(self, pulls):
        return self.scale / pulls + self.shift
"""


class TestOwnClasses:
    def test_a_class_may_be_defined_again_with_other_fields_and_parameters(self) -> None:
        """As in a notebook, where a cell is edited and run again."""
        notebook: dict[str, Any] = {"__name__": "__main__"}
        exec(CELL, notebook)
        first = notebook["Mine"]
        before = simulate(COINS, [first(c=2.0)], 60, 2)
        exec(CELL_AGAIN, notebook)
        again = notebook["Mine"]
        assert POLICIES["Mine"] is again is not first
        assert np.array_equal(simulate(COINS, [again()], 60, 2).regret, before.regret)
        assert np.array_equal(simulate(COINS, [first(c=2.0)], 60, 2).regret, before.regret)
        assert from_spec(to_spec(again(3.0))) == again(3.0)

    @pytest.mark.parametrize("name", ["UCB", "ucb", "Beta", "Gaussian", "LogBias"])
    def test_the_package_s_names_stay_its_own(self, name: str) -> None:
        before = dict(POLICIES), dict(FAMILIES), dict(LAWS)
        kind: Any = NamedTuple(name, [("alpha", float)])  # type: ignore[misc]
        kind.index_of = UCB.index_of
        for decorate in (policy, family, law):
            with pytest.raises(DefinitionError, match=f"{name}: a class must have another name"):
                decorate(kind)
        after = dict(POLICIES), dict(FAMILIES), dict(LAWS)
        assert after == before

    def test_a_policy_needs_no_field(self, tmp_path: pathlib.Path) -> None:
        assert (repr(Greedy()), Greedy()) == ("Greedy()", pickle.loads(pickle.dumps(Greedy())))
        assert Greedy._fields == ()
        assert to_spec(Greedy()) == {"name": "Greedy"}
        assert from_spec({"name": "Greedy"}) == Greedy()
        with pytest.raises(ParameterError, match="Greedy: takes no parameters"):
            Greedy(1.0)  # type: ignore[call-arg]
        decider = Decider(["a", "b"], Greedy(), Bernoulli())
        decider.save(tmp_path / "state.json")
        assert Decider.load(tmp_path / "state.json").policy == Greedy()
        compiled = simulate(COINS, [Greedy()], 50, 2)
        assert compiled.regret.shape[1] == 2

    def test_nor_does_a_family_or_a_law(self) -> None:
        problem = Problem(Coin(), [0.2, 0.6])
        same = Problem(Bernoulli(), [0.2, 0.6])
        for each in (UCB(), Greedy()):
            ours, theirs = (simulate(p, [each], 80, 3).regret for p in (same, problem))
            assert np.array_equal(ours, theirs)
        fair = Problem(Toss(), [0.2, 0.6])
        played = simulate(fair, [UCB()], 80, 3, family=Bernoulli())
        assert np.array_equal(played.regret, simulate(same, [UCB()], 80, 3).regret)


@policy
class Greedy(NamedTuple):
    def index_of(self, family, arms, i, level):
        return arms.mean(i)

    def settles(self):
        return False


@family
class Coin(NamedTuple):
    def natural(self, mean):
        return np.log(mean / (1.0 - mean))

    def log_partition(self, eta):
        return np.log1p(np.exp(eta))

    def mean_range(self):
        return 0.0, 1.0

    def sample(self, mean, cell):
        return 1.0 if cell.uniform(0) < mean else 0.0


@law
class Toss(NamedTuple):
    def mean_range(self):
        return 0.0, 1.0

    def sample(self, mean, cell):
        return 1.0 if cell.uniform(0) < mean else 0.0


class TestInterpreted:
    CODE = """
        import json, sys
        from rbmle import *
        problem = Problem(Bernoulli(), [0.2, 0.6, 0.4])
        rules = [UCB(), ThompsonSampling(), KLUCB(), RBMLE()]
        played = simulate(problem, rules, 40, 2, RewardStream(5))
        decider = Decider(["a", "b", "c"], UCB(), Bernoulli(), seed=3)
        choices = []
        for t in range(30):
            choices.append(decider.pull())
            decider.update(choices[-1], 1.0 if choices[-1] == "b" else 0.0)
        print(json.dumps([played.regret.tolist(), choices]))
    """

    def test_everything_runs_without_the_compiler(self) -> None:
        """NUMBA_DISABLE_JIT=1 gives the same numbers, and the laws hold."""
        laws = """
        from rbmle.testing import check_policy
        import rbmle._compile, rbmle.engine
        assert not hasattr(rbmle.random.philox, "py_func")
        check_policy(MOSS(), Bernoulli())
        """
        interpreted = python(self.CODE + laws, NUMBA_DISABLE_JIT="1")
        assert json.loads(interpreted) == json.loads(python(self.CODE))

    def test_code_for_the_package_s_classes_is_kept(self) -> None:
        """Types choose the code: functions as arguments and closures would not be found again."""
        once = """
            import logging, sys
            logging.basicConfig(level="INFO", stream=sys.stdout)
            from rbmle import UCB, Bernoulli, Problem, simulate
            simulate(Problem(Bernoulli(), [0.2, 0.6]), [UCB()], 20, 1)
        """
        python(once)
        assert python(once) == ""


def test_a_policy_of_ones_own_keeps_the_laws() -> None:
    check_policy(Greedy(), Bernoulli())


def test_the_package_says_nothing_unless_someone_listens() -> None:
    code = CELL + "\nfrom rbmle import *\nsimulate(Problem(Bernoulli(), [.2, .5]), [Mine()], 9, 1)"
    command = [sys.executable, "-c", code]
    environment = {**os.environ, "PYTHONPATH": SOURCES}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


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
        assert found is not None, f"Numba {numba.__version__} has no {path}, which _compile uses."
        thing = found
    parameters = ", ".join(inspect.signature(thing).parameters)
    assert parameters == rest.rstrip(")"), (
        f"In Numba {numba.__version__} {path} takes ({parameters}): _compile expects {entry}."
    )
