"""A mistake in a user's class is reported in a few lines that name the line of code."""

from __future__ import annotations

import importlib.util
import sys
import textwrap

import numpy as np
import pytest

from rbmle import UCB, Bernoulli, Decider, Problem, simulate
from rbmle._numba.mistakes import exception_in, explained, rehearse
from rbmle.errors import DefinitionError, RbmleError

COINS = Problem(Bernoulli(), [0.2, 0.5])
HEAD = """\
from math import sqrt
from typing import NamedTuple

from rbmle.policies import policy


@policy
class Mine(NamedTuple):
    c: float = 1.0

    def index_of(self, family, arms, i, level):
"""
FAMILY = """\
from typing import NamedTuple

from rbmle.families.registry import family


@family
class Mine(NamedTuple):
    def natural(self, mean):
        return mean

    def log_partition(self, eta):
        return 0.5 * eta * eta

    def mean_range(self):
        return -1e100, 1e100

    def sample(self, mean, cell):
        return mean + cell.gaussian(0)
"""
_count = iter(range(1000))


@pytest.fixture
def mine(tmp_path):
    """A user's policy, in a file where its body begins in line 12."""

    def make(body: str, **fields):
        path = tmp_path / f"mine_{next(_count)}.py"
        path.write_text(HEAD + textwrap.indent(textwrap.dedent(body).strip(), " " * 8) + "\n")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.Mine(**fields), path

    return make


def refusal(policy) -> str:
    with pytest.raises(DefinitionError) as caught:
        simulate(COINS, [policy], 100, 2)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    return str(caught.value)


BODIES = {
    "an undefined name": (
        "return arms.mean(i) + sqrt(levl / arms.pulls[i])",
        "Mine: NameError: name 'levl' is not defined",
        12,
    ),
    "a wrong attribute": (
        "width = sqrt(level)\nreturn arms.avg(i) + width",
        "Mine: AttributeError: 'Arms' object has no attribute 'avg'",
        13,
    ),
    "a field that is not there": (
        "return arms.mean(i) + self.d",
        "Mine: AttributeError: 'Mine' object has no attribute 'd'",
        12,
    ),
    "a path without a return": (
        "if arms.pulls[i] < 3:\n    return arms.mean(i)\nlevel += 1.0",
        "Mine: index_of returned None. TypeError: '>' not supported",
        14,
    ),
    "an arm that is not there": (
        "return arms.pulls[i + 1]",
        "Mine: IndexError: index 2 is out of bounds",
        12,
    ),
    "a rare path, which only the compiler meets": (
        "if arms.pulls[i] < 10000:\n    return arms.mean(i)\nreturn arms.maen(i)",
        "Mine: Unknown attribute 'maen' of type Arms",
        14,
    ),
    "statistics that are written to": (
        "arms.pulls[i] += 1.0\nreturn arms.mean(i)",
        "Mine: the statistics in 'arms' must not be changed",
        12,
    ),
    "statistics that are written to on a rare path, by another name": (
        "seen = arms.sums\nif arms.pulls[i] > 10000:\n    seen[i] = 0.0\nreturn arms.mean(i)",
        "Mine: the statistics in 'arms' must not be changed",
        14,
    ),
    "a rare path with another type": (
        "if arms.pulls[i] < 10000:\n    return arms.mean(i)\nreturn 'many'",
        "Mine: Can't unify return type",
        None,
    ),
}


@pytest.mark.parametrize("case", BODIES)
def test_the_line_is_named(mine, case):
    body, expected, line = BODIES[case]
    policy, path = mine(body)
    first, place, code = refusal(policy).splitlines()
    assert first.startswith(expected)
    assert place.startswith(f'  File "{path}", line {line or ""}')
    assert place.endswith(", in index_of")
    if line is not None:
        assert code.strip() == path.read_text().splitlines()[line - 1].strip()


def test_a_decider_names_it_too(mine):
    policy, path = mine("return arms.avg(i)")
    with pytest.raises(RbmleError, match="attribute 'avg'") as caught:
        Decider(["a", "b"], policy, Bernoulli()).pull()
    assert f'"{path}", line 12, in index_of' in str(caught.value)


def test_a_family_s_mistake_is_named_too(tmp_path):
    path = tmp_path / "mine_family.py"
    path.write_text(FAMILY)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(DefinitionError, match="Mine: AttributeError: 'Cell' object has") as caught:
        simulate(Problem(module.Mine(), [0.2, 0.5]), [UCB()], 10, 1)
    assert f'"{path}", line 18, in sample' in str(caught.value)


def test_whole_and_real_numbers_may_be_returned_by_turns(mine):
    """`return 0` on one path and 0.5 on another is no mistake."""
    policy, _ = mine("if arms.pulls[i] > 5:\n    return 0\nreturn 0.5")
    assert simulate(COINS, [policy], 30, 1).pulls.min() > 5


def test_what_only_the_interpreter_minds_is_no_mistake(mine):
    """A policy may divide by zero for an infinite index, as compiled code allows."""
    policy, _ = mine("return arms.mean(i) + 1.0 / (float(arms.pulls[i]) - 1.0)")
    assert simulate(COINS, [policy], 30, 1).pulls.sum() == 30


class TestRehearsal:
    def test_it_changes_nothing_and_ends(self, mine):
        policy, _ = mine("return arms.mean(i)")
        calls, counts = [], np.zeros(2)

        def loop(policy, counts):
            while True:
                counts += 1.0
                calls.append(policy._replace(c=2.0))

        rehearse(loop, (policy, counts))
        assert len(calls) > 100
        assert not counts.any()

    def test_it_leaves_another_profiler_at_its_place(self, mine):
        policy, _ = mine("return arms.mean(i)")
        seen = []

        def profiler(*event):
            seen.append(event[1])

        sys.setprofile(profiler)
        try:
            rehearse(lambda policy: policy.settles(), (policy,))
            assert sys.getprofile() is profiler
        finally:
            sys.setprofile(None)


def test_what_the_compiler_has_not_is_said_in_words(mine):
    policy, path = mine("return 0.0")
    text = (
        "Failed in cuda mode pipeline (step: nopython frontend)\n"
        "No implementation of function Function(<function sort at 0x7f14d37e76a0>) found for "
        f'signature:\n\n >>> sort(array(float64, 1d, A))\n\nFile "{path.name}", line 3:\n'
    )
    told = str(explained((policy,), RuntimeError(text)))
    assert told.startswith("Mine: 'sort' cannot be compiled for these arguments. A body must be ")
    assert "0x" not in told


def _raises(x):
    if x < 0.0:
        raise ValueError
    return x


def _catches(x):
    try:
        return 1.0 / x
    except ZeroDivisionError:
        return 0.0


def _asserts(x):
    assert x >= 0.0
    return x


def _calls(x):
    return _raises(x)


def _fine(x):
    return sum(each * x for each in range(3)) if x else 0.0


@pytest.mark.parametrize(
    ("function", "words", "where"),
    [(_raises, "raised", 2), (_asserts, "raised", 1), (_catches, "caught", None)],
)
def test_exceptions_are_found_with_their_line(function, words, where):
    said, code, line = exception_in(function)
    assert (said, code) == (words, function.__code__)
    assert where is None or line == code.co_firstlineno + where


def test_exceptions_are_found_in_functions_that_are_called():
    assert exception_in(_calls) == exception_in(_raises)
    assert exception_in(_fine) is None


def test_a_complaint_without_a_place_is_still_one_line(mine):
    policy, _ = mine("return 0.0")
    told = explained((policy,), RuntimeError("first\nsecond"))
    assert str(told) == "Mine: first"
