"""A mistake in a study is one sentence that says where it is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from study_cases import COINS, TOML, study

from rbmle.errors import ParameterError, StudyError
from rbmle.families import Bernoulli
from rbmle.policies import (
    UCB,
    Assuming,
)
from rbmle.policies.base import policy
from rbmle.rewards.laws import Laplace, Uniform
from rbmle.rewards.problems import Problem
from rbmle.studies.study import Study
from rbmle.theory import Theoretical


@policy
class Odd(NamedTuple):
    """A user's own policy, whose parameter no study file can name."""

    label: float = 1.0

    def index_of(self, family: Any, arms: Any, i: int, level: float) -> float:
        return self.label


# A change in the file, and the message that must follow the file's name.
MISTAKES = [
    ("horizon = 10_000", "horizn = 10", r": the keys are .*'horizn'\. Did you mean 'horizon'\?"),
    ("horizon = 10_000", "", r": 'horizon' must be given\."),
    ("horizon = 10_000", "horizon = -5", r": 'horizon' must be a whole number in \[3, .*Got -5\."),
    ("horizon = 10_000", 'horizon = "10"', r": 'horizon' must be a whole number .*Got '10'\."),
    ("horizon = 10_000", "horizon = 2", r": 'horizon' must be a whole number in \[3, .*Got 2\."),
    ("horizon = 10_000", "horizon = 1.5", r": 'horizon' must be a whole number .*Got 1.5\."),
    ("replications = 100", "replications = 0", r": 'replications' must be .*Got 0\."),
    ("replications = 100", "replications = true", r": 'replications' must be .*Got True\."),
    ("[[problem]]", "seed = -1\n[[problem]]", r": 'seed' must be .*Got -1\."),
    ("[[problem]]", 'ties = "frist"\n[[problem]]', r": 'ties' must .*Did you mean 'first'\?"),
    ("[[problem]]", 'rewards = "table"\n[[problem]]', r": 'rewards' must be .*Got 'table'\."),
    ("[[problem]]", "checkpoints = [0]\n[[problem]]", r": 'checkpoints' must be .*Got 0\."),
    ("[[problem]]", "checkpoints = 5\n[[problem]]", r": 'checkpoints' must be .*Got 5\."),
    ("[[problem]]", "[problem]", r": 'problem' must be a list of tables, as in \[\[problem\]\].*"),
    ('name = "my study"', "name = 3", r": 'name' must be a printable text .*Got 3\."),
    ('name = "my study"', 'name = "a\\nb"', r": 'name' must be a printable text .*"),
    ('name = "coins"', "name = [1]", r", problem 1: 'name' must be a printable text .*\[1\]\."),
    ('law = "bernoulli"', "", r", problem 1: 'law' must be given\."),
    (
        'law = "bernoulli"',
        'law = "Bernouli"',
        r", problem 1: 'law' must be one of 'Bernoulli', .*Did you mean 'Bernoulli'\?",
    ),
    ('law = "bernoulli"', "law = 3", r", problem 1: 'law' must be a name, or a table .*Got 3\."),
    (
        'law = "bernoulli"',
        'law = {name = "Gaussian", sgma = 2}',
        r", problem 1: Gaussian: takes the parameters .*Did you mean 'sigma'\?",
    ),
    ("means = [0.1, 0.2, 0.3]", "", r", problem 1: 'means' must be given\."),
    ("means = [0.1, 0.2, 0.3]", "means = [1, 2]", r", problem 1: 'means' must be .*Got 2\.0\."),
    ("means = [0.1, 0.2, 0.3]", 'means = "x"', r", problem 1: 'means' must be .*Got 'x'\."),
    ("means = [", "mean = 1\nmeans = [", r", problem 1: the keys are .*Did you mean 'means'\?"),
    ('name = "rbmle"', "", r", policy 1: 'name' must be given\."),
    ('name = "rbmle"', "name = 7", r", policy 1: 'name' must be a name.*"),
    ('name = "rbmle"', 'name = "RBML"', r", policy 1: 'name' must .*Did you mean 'RBMLE'\?"),
    ("alpha = 2", "alpha = -2", r", policy 1: (LogBias|RBMLE): .*Got -2(\.0)?\."),
    ("alpha = 2", "alhpa = 2", r", policy 1: RBMLE: takes the parameters .*Did you mean 'alpha'\?"),
    ("alpha = 2", "alpha = {proposition = 6}", r", policy 1: Theoretical: .*\[2, 5\]\. Got 6\."),
    (
        "alpha = 2",
        "alpha = {proposition = 2, epsilon = 1}",
        r", policy 1: Theoretical: 'epsilon'.*",
    ),
    (
        "alpha = 2",
        "alpha = {epsilon = 0.5}",
        r", policy 1: Theoretical: 'proposition' must be given.",
    ),
    (
        "alpha = 2",
        "alpha = {proposition = 2, sharpe = true}",
        r", policy 1: Theoretical: .*Did you mean 'sharp'\?",
    ),
    (
        "alpha = 2",
        'alpha = {proposition = 2}\nboundary = "published"',
        r", policy 1: RBMLE: 'boundary' must be 'exact' where .*Got 'published'\.",
    ),
    (
        "alpha = 2",
        'alpha = {proposition = 2}\nf = "stable"',
        r", policy 1: RBMLE: 'f' must be 'canonical' where .*Got 'stable'\.",
    ),
    (
        "alpha = 2",
        "alpha = {proposition = 2}\nbondary = 1",
        r", policy 1: RBMLE: takes the parameters .*Did you mean 'boundary'\?",
    ),
    (
        "alpha = 2",
        "alpha = {proposition = 3}",
        r": RBMLE\(.*\) on coins: Proposition 3: 'problem' must be one with Gaussian rewards\..*",
    ),
    ("cap = inf", 'label = ""', r", policy 2: 'label' must be a printable text .*"),
    ("cap = inf", 'label = "Gaussian index"', r", policy 3: 'label' must be unique.*"),
    ("cap = inf", 'family = "Gausian"', r", policy 2: 'family' .*Did you mean 'Gaussian'\?"),
    ("cap = inf", 'family = "Uniform"', r", policy 2: 'family' must be one of .*Got 'Uniform'\."),
    (
        '"bernoulli"',
        '"Uniform"',
        r": RBMLE\(alpha=LogBias\(c=2.0\)\) on coins: 'family' must be given for .*Uniform.*",
    ),
    (
        'name = "UCBTuned"\ncap = inf',
        'name = "KG"\nfamily = {name = "Binomial", trials = 3}',
        r": KG\(family=.*\) on coins: KG: 'family' must be one of .*Got Binomial.*",
    ),
    ("name = ", "name == ", r": is not valid TOML \(.*\)\."),
]


@pytest.mark.parametrize(("old", "new", "said"), MISTAKES)
def test_a_mistake_in_a_file_is_one_sentence(old: str, new: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    assert old in TOML
    path.write_text(TOML.replace(old, new, 1))
    with pytest.raises(StudyError) as problem:
        Study.from_toml(path)
    assert re.fullmatch(re.escape(str(path)) + said, str(problem.value)), str(problem.value)


def test_two_problems_of_one_name_are_refused() -> None:
    data = study().to_dict()
    data["problem"] *= 2
    with pytest.raises(StudyError, match=r"^here, problem 2: 'name' must be unique\."):
        Study.from_dict(data, "here")


def test_an_unreadable_file_is_one_sentence(tmp_path: Path) -> None:
    for path, content, said in [
        (tmp_path, None, "cannot be read (Is a directory)."),
        (tmp_path / "none.toml", None, "cannot be read (No such file or directory)."),
        (tmp_path / "bytes.toml", b"\xff\xfe\x00", "is not in UTF-8; save it as UTF-8."),
        (tmp_path / "deep.toml", b"a = " + b"[" * 100_000, "is not valid TOML ("),
    ]:
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(StudyError) as problem:
            Study.from_toml(path)
        assert str(problem.value).startswith(f"{path}: {said}")
    with pytest.raises(StudyError, match=r"^study: 'study' must be a table .* Got \[\]\.$"):
        Study.from_dict([])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"problems": {}}, "Study: 'problems' must be a mapping of names to Problems. Got {}."),
        ({"problems": [COINS]}, "Study: 'problems' must be a mapping of names to Problems. Got ["),
        ({"problems": {"a": 3}}, "Study: 'problems' must be a mapping of names to Problems. Got 3"),
        ({"problems": {"": COINS}}, "Study: 'problems' must be a printable text of one line. Got"),
        ({"policies": []}, "Study: 'policies' must be a list of at least one policy. Got []."),
        ({"policies": "ucb"}, "Study: 'policies' must be a list of at least one policy. Got 'ucb'"),
        ({"policies": UCB()}, "Study: 'policies' must be a list of at least one policy. Got UCB("),
        ({"policies": None}, "Study: 'policies' must be a list of at least one policy. Got None."),
        ({"policies": [UCB]}, "Study: 'policies' must be written with parentheses, UCB(). Got the"),
        ({"policies": ["ubc"]}, "Study: 'policies' must be one of 'Recommended', "),
        ({"policies": [2.0]}, "Study: 'policies' must be instances of policy classes, as in UCB()"),
        ({"policies": [Odd()]}, "Study: 'policies' must be without parameters called name, label"),
        (
            {"policies": [Assuming(UCB(), Laplace())]},
            "Study: 'policies' must be assuming instances of families, as in Gaussian(). Got Lap",
        ),
        (
            {"problems": {"x": Problem(Uniform(), [0.5, 0.6])}},
            "Study: R on x: 'family' must be given for rewards of law Uniform. Got None.",
        ),
        (
            {"problems": {"x": Problem(Bernoulli(), [0.5, 0.5])}, "policies": [Theoretical(2)]},
            "Study: RBMLE(alpha=Theoretical(proposition=2)) on x: Proposition 2: 'means' must be "
            "numbers with one best arm, a gap above 0.",
        ),
        (
            {"problems": {"x": Problem(Bernoulli(), [0.5, 1])}, "policies": {"R": Theoretical(2)}},
            "Study: R on x: Proposition 2: 'means' must be inside (0, 1) for Bernoulli, off its ",
        ),
        ({"rewards": "published", "seed": 2**32}, "Study: 'seed' must be a whole number in [0, 4"),
        ({"name": None}, "Study: 'name' must be a printable text of one line. Got None."),
        (
            {"checkpoints": "12"},
            "Study: 'checkpoints' must be whole numbers in [1, 1000]. Got '12'",
        ),
        ({"checkpoints": [1001]}, "Study: 'checkpoints' must be a whole number in [1, 1000]. Got"),
    ],
)
def test_a_mistake_in_python_is_one_sentence(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError) as problem:
        study(**changes)
    assert str(problem.value).startswith(said)
    assert "\n" not in str(problem.value)
