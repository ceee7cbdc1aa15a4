"""A study says all that matters, in one form or another, and refuses what makes no sense."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import re
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rbmle.engine import rounds_kept
from rbmle.errors import ParameterError, StudyError
from rbmle.families import FAMILIES, Bernoulli, Gaussian, Poisson
from rbmle.policies import (
    KG,
    KLUCB,
    MOSS,
    POLICIES,
    RBMLE,
    UCB,
    AdaptiveGaussian,
    Assuming,
    LogBias,
    ThompsonSampling,
    UCBTuned,
)
from rbmle.policies.base import check_fit, policy
from rbmle.rewards.laws import LAWS, Laplace, Uniform
from rbmle.rewards.problems import Problem
from rbmle.rewards.sources import PublishedTable, RewardStream
from rbmle.studies.runner import load, run
from rbmle.studies.study import Study
from rbmle.theory import Theoretical, smallest_c_alpha

COINS = Problem(Bernoulli(), [0.1, 0.2, 0.3])
BELLS = Problem(Gaussian(sigma=2.0), [-0.0, 1.5])
POLICIES_OF = {"R": RBMLE(2.0), "U": UCB(), "G": Assuming(RBMLE(), Gaussian(0.5))}

TOML = """
name = "my study"
horizon = 10_000
replications = 100
[[problem]]
name = "coins"
law = "bernoulli"
means = [0.1, 0.2, 0.3]
[[policy]]
name = "rbmle"
alpha = 2
[[policy]]
name = "UCBTuned"
cap = inf
[[policy]]
name = "RBMLE"
label = "Gaussian index"
family = {name = "Gaussian", sigma = 0.5}
"""


def study(**changes: Any) -> Study:
    given: dict[str, Any] = {
        "problems": {"coins": COINS},
        "policies": POLICIES_OF,
        "horizon": 1000,
        "replications": 20,
    }
    return Study(**{**given, **changes})


@policy
class Odd(NamedTuple):
    """A user's own policy, whose parameter no study file can name."""

    label: float = 1.0

    def index_of(self, family: Any, arms: Any, i: int, level: float) -> float:
        return self.label


def fitting(problem: Problem) -> list[Any]:
    """Every policy that fits the problem."""
    found = []
    for kind in POLICIES.values():
        try:
            check_fit(kind(), problem.family)
        except ParameterError:
            continue
        found.append(kind())
    return [each for each in found if type(each).__module__.startswith("rbmle.")]


STUDIES = [
    study(),
    study(name="ein schöner Name: \"quoted\" \\ 'too' 😀 # [x]", seed=2**64 - 1, ties="first"),
    study(checkpoints=[500, 7, 7, 1000]),
    study(checkpoints=[]),
    study(rewards="published", seed=46, policies=[UCB(), KG("published"), ThompsonSampling()]),
    study(policies=[RBMLE(AdaptiveGaussian(constant="proof")), UCBTuned(inf), RBMLE()]),
    study(problems={"a.b = [c]": COINS, 'é "': COINS}),
    study(policies=[Theoretical(2), Theoretical(2, 0.25, True), Theoretical(4, lower=0.05)]),
    study(policies=[RBMLE(), Theoretical(2), Assuming(Theoretical(5), Poisson())]),
    *(
        study(problems=Problem(kind(), [0.4, 0.6]), policies=[Assuming(UCB(), Gaussian())])
        for kind in LAWS.values()
        if kind.__module__.startswith("rbmle.")
    ),
    *(
        study(problems=problem, policies=fitting(problem))
        for problem in (Problem(kind(), [0.4, 0.6]) for kind in FAMILIES.values())
        if type(problem.law).__module__.startswith("rbmle.")
    ),
]


@pytest.mark.parametrize("stated", STUDIES)
def test_every_form_says_the_same(stated: Study, tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(stated.to_toml(), encoding="utf-8")
    for again in (
        Study.from_toml(path),
        Study.from_dict(stated.to_dict()),
        Study.from_dict(json.loads(stated.to_json())),
        pickle.loads(pickle.dumps(stated)),
        copy.deepcopy(stated),
        dataclasses.replace(stated),
    ):
        assert again == stated
        assert hash(again) == hash(stated)
        assert again.digest == stated.digest
        assert again.to_toml() == stated.to_toml()
        assert list(again.policies) == list(stated.policies)
        assert [type(each) for each in again.policies.values()] == [
            type(each) for each in stated.policies.values()
        ]


def test_studies_that_differ_are_different() -> None:
    assert len({each.digest for each in STUDIES}) == len(STUDIES)
    assert len(set(STUDIES)) == len(STUDIES)
    assert study(policies=[UCB(2.0)]) != study(policies={"UCB": KLUCB(2.0)})  # equal as tuples
    assert study() != "study"


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 1},
        {"horizon": 1001},
        {"ties": "first"},
        {"checkpoints": (10,)},
        {"rewards": "published"},
        {"problems": {"coins": Problem(Bernoulli(), [0.1, 0.2, 0.31])}},
        {"problems": {"coins": Problem(Bernoulli(2.0), [0.1, 0.2, 0.3])}},
        {"problems": {"other": COINS}},
        {"policies": {**POLICIES_OF, "U": UCB(1.0)}},
        {"policies": {**POLICIES_OF, "G": Assuming(RBMLE(), Gaussian(0.6))}},
        {"policies": {**POLICIES_OF, "G": RBMLE()}},
    ],
)
def test_the_digest_names_all_that_matters(changes: dict[str, Any]) -> None:
    assert study(**changes).digest != study().digest


def test_the_digest_leaves_out_what_does_not_matter() -> None:
    assert study(name="other").digest == study().digest
    assert study(replications=21).digest == study().digest
    assert study(checkpoints=rounds_kept(None, 1000).tolist()).digest == study().digest
    assert study(problems={"coins": Problem(Bernoulli(), [0.0, 0.5])}).digest == (
        study(problems={"coins": Problem(Bernoulli(), [-0.0, 0.5])}).digest
    )
    published = study(rewards="published", replications=21).digest
    assert published != study(rewards="published").digest


def test_a_study_cannot_be_changed() -> None:
    given = dict(POLICIES_OF)
    stated = study(policies=given)
    given["more"] = UCB()
    assert list(stated.policies) == ["R", "U", "G"]
    with pytest.raises(TypeError):
        stated.policies["more"] = UCB()  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        stated.seed = 3  # type: ignore[misc]


def test_rewards_are_those_of_the_seed() -> None:
    assert repr(study(seed=3).rewards_source()) == repr(RewardStream(3))
    assert repr(study(seed=3, rewards="published").rewards_source()) == repr(PublishedTable(3))


def test_policies_of_a_list_get_distinct_labels() -> None:
    players = [RBMLE(), RBMLE(2.0), UCB(), UCB(), Assuming(UCB(), Gaussian(0.5)), MOSS()]
    assert list(study(policies=players).policies) == [
        "RBMLE(alpha=BetaBias())",
        "RBMLE(alpha=LogBias(c=2.0))",
        "UCB",
        "UCB #2",
        "UCB(family=Gaussian(sigma=0.5))",
        "MOSS",
    ]


def test_a_study_file_reads_as_one_would_think(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(TOML)
    stated = Study.from_toml(path)
    assert stated == Study(
        {"coins": COINS},
        {
            "RBMLE(alpha=LogBias(c=2.0))": RBMLE(LogBias(2.0)),
            "UCBTuned": UCBTuned(inf),
            "Gaussian index": Assuming(RBMLE(), Gaussian(0.5)),
        },
        horizon=10_000,
        replications=100,
        name="my study",
    )


def test_a_study_asks_for_the_theoretical_constant(tmp_path: Path) -> None:
    """The request is what is stated; the constant is that of each problem."""
    path = tmp_path / "study.toml"
    path.write_text(
        TOML.replace("alpha = 2", "alpha = { proposition = 2, epsilon = 0.25, sharp = true }")
    )
    stated = Study.from_toml(path)
    asked = stated.to_dict()["policy"][0]
    assert asked["alpha"] == {"proposition": 2, "epsilon": 0.25, "sharp": True}
    assert asked["label"] == "RBMLE(alpha=Theoretical(proposition=2, epsilon=0.25, sharp=True))"
    small = study(
        problems={"coins": COINS, "other": Problem(Bernoulli(), [0.2, 0.9])},
        policies={"own": Theoretical(2), "Gaussian": Theoretical(4), "UCB": UCB()},
        replications=2,
        horizon=50,
    )
    found = run(small, tmp_path / "run")
    assert load(tmp_path / "run").study == small
    for name, problem in small.problems.items():
        own, index, _ = found.results[name].policies
        assert own == RBMLE(smallest_c_alpha(problem, 2))
        assert index == RBMLE(smallest_c_alpha(problem, 4))
        assert found.results[name].families[:2] == (Bernoulli(), Gaussian(0.5))
        given = {"own": own, "Gaussian": Assuming(index, Gaussian(0.5)), "UCB": UCB()}
        same = run(study(problems={name: problem}, policies=given, replications=2, horizon=50))
        assert (same.result.regret == found.results[name].regret).all()
    assert small.digest != study(problems=small.problems, policies=[UCB()]).digest


# What is changed in the file, and what is then said of it after the file's name.
MISTAKES = [
    ("horizon = 10_000", "horizn = 10", r": 'key' must be .*'horizn'\. Did you mean 'horizon'\?"),
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
        r", problem 1: Gaussian: 'parameter' must be one of .*Did you mean 'sigma'\?",
    ),
    ("means = [0.1, 0.2, 0.3]", "", r", problem 1: 'means' must be given\."),
    ("means = [0.1, 0.2, 0.3]", "means = [1, 2]", r", problem 1: 'means' must be .*Got 2\.0\."),
    ("means = [0.1, 0.2, 0.3]", 'means = "x"', r", problem 1: 'means' must be .*Got 'x'\."),
    ("means = [", "mean = 1\nmeans = [", r", problem 1: 'key' must .*Did you mean 'means'\?"),
    ('name = "rbmle"', "", r", policy 1: 'name' must be given\."),
    ('name = "rbmle"', "name = 7", r", policy 1: 'name' must be a name.*"),
    ('name = "rbmle"', 'name = "RBML"', r", policy 1: 'name' must .*Did you mean 'RBMLE'\?"),
    ("alpha = 2", "alpha = -2", r", policy 1: (LogBias|RBMLE): .*Got -2(\.0)?\."),
    ("alpha = 2", "alhpa = 2", r", policy 1: RBMLE: 'parameter' .*Did you mean 'alpha'\?"),
    ("alpha = 2", "alpha = {proposition = 6}", r", policy 1: Theoretical: .*\[2, 5\]\. Got 6\."),
    (
        "alpha = 2",
        "alpha = {proposition = 2, epsilon = 1}",
        r", policy 1: Theoretical: 'epsilon'.*",
    ),
    ("alpha = 2", "alpha = {epsilon = 0.5}", r", policy 1: Theoretical: takes the parameters .*"),
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
        "alpha = {proposition = 2}\nbondary = 1",
        r", policy 1: RBMLE: 'parameter' must be .*Did you mean 'boundary'\?",
    ),
    (
        "alpha = 2",
        "alpha = {proposition = 3}",
        r": RBMLE\(.*\) on coins: Proposition 3: 'problem' must be one with Gaussian rewards\..*",
    ),
    ("cap = inf", 'label = ""', r", policy 2: 'label' must be a printable text .*"),
    ("cap = inf", 'label = "Gaussian index"', r", policy 3: 'label' must be unlike the others.*"),
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
        r": KG on coins: KG: 'family' must be one of .*Got Binomial.*",
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
    with pytest.raises(StudyError, match=r"^here, problem 2: 'name' must be unlike the others\."):
        Study.from_dict(data, "here")


def test_problems_without_a_name_are_numbered() -> None:
    data = study(problems={"a": COINS, "b": BELLS}, policies=[UCB()]).to_dict()
    for each in data["problem"]:
        del each["name"]
    assert list(Study.from_dict(data).problems) == ["problem 1", "problem 2"]


def test_an_unreadable_file_is_one_sentence(tmp_path: Path) -> None:
    for path, content, said in [
        (tmp_path, None, "cannot be read (Is a directory)."),
        (tmp_path / "none.toml", None, "cannot be read (No such file or directory)."),
        (tmp_path / "bytes.toml", b"\xff\xfe\x00", "is not valid TOML ("),
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
        ({"policies": [UCB]}, "Study: 'policies' must be instances of policy classes, as in UCB()"),
        ({"policies": ["ucb"]}, "Study: 'policies' must be instances of policy classes, as in UC"),
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
            "Study: RBMLE on x: Proposition 2: 'means' must be with one best arm, a gap above 0.",
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
