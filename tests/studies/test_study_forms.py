"""A study is the same in Python, as data and in TOML, and its digest has all that matters."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from math import inf
from pathlib import Path
from typing import Any

import pytest
from study_cases import BELLS, COINS, POLICIES_OF, TOML, study

from rbmle.engine import rounds_kept
from rbmle.errors import ParameterError
from rbmle.families import FAMILIES, Bernoulli, Gaussian, Poisson
from rbmle.paper.published_table import PublishedTable
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
from rbmle.policies.fit import check_fit
from rbmle.rewards.laws import LAWS
from rbmle.rewards.problems import Problem
from rbmle.rewards.sources import RewardStream
from rbmle.studies.runner import load, run
from rbmle.studies.study import Study
from rbmle.theory import Theoretical, smallest_c_alpha


def fitting(problem: Problem) -> list[Any]:
    """Every policy of the package that fits the problem."""
    found = []
    for kind in POLICIES.values():
        if not kind.__module__.startswith("rbmle."):
            continue  # another test's
        try:
            check_fit(kind(), problem.family)
        except ParameterError:
            continue
        found.append(kind())
    return found


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
    assert repr(study(seed=3).plan.rewards) == repr(RewardStream(3))
    assert repr(study(seed=3, rewards="published").plan.rewards) == repr(PublishedTable(3))


def test_policies_of_a_list_get_distinct_labels() -> None:
    players = [RBMLE(), RBMLE(2.0), UCB(), UCB(), Assuming(UCB(), Gaussian(0.5)), MOSS()]
    assert list(study(policies=players).policies) == [
        "RBMLE",
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
            "UCBTuned(cap=inf)": UCBTuned(inf),
            "Gaussian index": Assuming(RBMLE(), Gaussian(0.5)),
        },
        horizon=10_000,
        replications=100,
        name="my study",
    )


@pytest.mark.slow
def test_a_study_asks_for_the_theoretical_constant(tmp_path: Path) -> None:
    """The study states the request; each problem gets its own constant."""
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


def test_problems_without_a_name_are_numbered() -> None:
    data = study(problems={"a": COINS, "b": BELLS}, policies=[UCB()]).to_dict()
    for each in data["problem"]:
        del each["name"]
    assert list(Study.from_dict(data).problems) == ["problem 1", "problem 2"]
