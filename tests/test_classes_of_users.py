"""Users' classes: defined again, without fields, with names of the package's, interpreted."""

from __future__ import annotations

import json
import os
import pathlib
import pickle
import subprocess
import sys
import textwrap
from typing import Any, NamedTuple

import numpy as np
import pytest

import rbmle
from rbmle import POLICIES, UCB, Bernoulli, Decider, ParameterError, Problem, simulate
from rbmle.errors import DefinitionError
from rbmle.families.registry import FAMILIES, family
from rbmle.policies import policy
from rbmle.rewards.laws import LAWS, law
from rbmle.spec import from_spec, to_spec
from rbmle.testing import check_policy

SOURCES = str(pathlib.Path(rbmle.__file__).parents[1])
COINS = Problem(Bernoulli(), [0.2, 0.6, 0.4])


def python(code: str, **changes: str) -> str:
    """The output of the code in a new process."""
    environment = {**os.environ, "PYTHONPATH": SOURCES, **changes}
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(code)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


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
    @pytest.mark.pairs
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
        assert (repr(FollowTheLeader()), FollowTheLeader()) == (
            "FollowTheLeader()",
            pickle.loads(pickle.dumps(FollowTheLeader())),
        )
        assert FollowTheLeader._fields == ()
        assert to_spec(FollowTheLeader()) == {"name": "FollowTheLeader"}
        assert from_spec({"name": "FollowTheLeader"}) == FollowTheLeader()
        with pytest.raises(ParameterError, match="FollowTheLeader: takes no parameters"):
            FollowTheLeader(1.0)  # type: ignore[call-arg]
        decider = Decider(["a", "b"], FollowTheLeader(), Bernoulli())
        decider.save(tmp_path / "state.json")
        assert Decider.load(tmp_path / "state.json").policy == FollowTheLeader()
        compiled = simulate(COINS, [FollowTheLeader()], 50, 2)
        assert compiled.regret.shape[1] == 2

    @pytest.mark.pairs
    def test_nor_does_a_family_or_a_law(self) -> None:
        problem = Problem(Coin(), [0.2, 0.6])
        same = Problem(Bernoulli(), [0.2, 0.6])
        for each in (UCB(), FollowTheLeader()):
            ours, theirs = (simulate(p, [each], 80, 3).regret for p in (same, problem))
            assert np.array_equal(ours, theirs)
        fair = Problem(Toss(), [0.2, 0.6])
        played = simulate(fair, [UCB()], 80, 3, family=Bernoulli())
        assert np.array_equal(played.regret, simulate(same, [UCB()], 80, 3).regret)


@policy
class FollowTheLeader(NamedTuple):
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

    @pytest.mark.pairs
    def test_everything_runs_without_the_compiler(self) -> None:
        """NUMBA_DISABLE_JIT=1 gives the same numbers."""
        nothing_compiled = """
        import rbmle.random
        assert not hasattr(rbmle.random.philox, "py_func")
        """
        interpreted = python(self.CODE + nothing_compiled, NUMBA_DISABLE_JIT="1")
        assert json.loads(interpreted) == json.loads(python(self.CODE))

    @pytest.mark.pairs
    @pytest.mark.parametrize("rule", ["MOSS()", "ThompsonSampling()"])
    def test_the_laws_hold_without_the_compiler(self, rule: str) -> None:
        code = f"""
            from rbmle import *
            from rbmle.testing import check_policy
            check_policy({rule}, Bernoulli())
        """
        python(code, NUMBA_DISABLE_JIT="1")

    @pytest.mark.pairs
    def test_code_for_the_package_s_classes_is_kept(self) -> None:
        """Compiled code is found on disk again, because it is chosen by types: code for functions
        as arguments, or for closures, would not be found."""
        once = """
            import logging, sys
            logging.basicConfig(level="INFO", stream=sys.stdout)
            from rbmle import UCB, Bernoulli, Problem, simulate
            simulate(Problem(Bernoulli(), [0.2, 0.6]), [UCB()], 20, 1)
        """
        python(once)
        assert python(once) == ""


@pytest.mark.pairs
def test_a_policy_of_ones_own_keeps_the_laws() -> None:
    check_policy(FollowTheLeader(), Bernoulli())


@pytest.mark.pairs
def test_the_package_says_nothing_unless_someone_listens() -> None:
    code = CELL + "\nfrom rbmle import *\nsimulate(Problem(Bernoulli(), [.2, .5]), [Mine()], 9, 1)"
    command = [sys.executable, "-c", code]
    environment = {**os.environ, "PYTHONPATH": SOURCES}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
