"""Tables of other papers: the printed numbers come out, and what was played is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rbmle import ClippedGaussian, ParameterError, Problem
from rbmle.paper.papers import paper_named, papers, reproduce_paper
from rbmle.paper.reproduction import ComparedRow
from rbmle.spec import from_spec
from rbmle.testing import check_law

# Of the clipped Gaussian problems: the mu of each arm and the sigma, as the paper states them.
CLIPPED = [([0.5, 0.6], 0.1), ([0.0, 0.2], 0.3), ([1.5, 2.0], 1.0), ([0.4, 0.5, 0.6, 0.7], 1.0)]


@pytest.mark.parametrize("name", papers())
def test_every_printed_number_has_its_policy_and_problem(name: str) -> None:
    for table in paper_named(name)["tables"].values():
        for label in table["policies"]:
            from_spec(table["policies"][label])
            assert all(label in row for row in table["printed"].values())
        if "problems" in table:
            assert set(table["problems"]) == set(table["printed"])


def test_the_clipped_means_are_those_of_the_stated_locations() -> None:
    problems = paper_named("sda")["tables"]["3"]["problems"].values()
    for stated, (locations, sigma) in zip(problems, CLIPPED, strict=True):
        law = ClippedGaussian(sigma)
        assert from_spec(stated["law"]) == law
        for mean, mu in zip(stated["means"], locations, strict=True):
            assert law.parts(mu)[1] == pytest.approx(mean, abs=1e-14)
            assert law.location(mean) == pytest.approx(mu, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("sigma", [0.05, 0.3, 1.0, 20.0])
def test_a_clipped_gaussian_is_a_law(sigma: float) -> None:
    check_law(ClippedGaussian(sigma))


def played(folder: Path, **options: object) -> list[ComparedRow]:
    return reproduce_paper("sda", ["1"], folder, ["RB"], 4, threads=1, **options)  # type: ignore[arg-type]


@pytest.mark.slow
def test_what_was_played_is_kept(tmp_path: Path) -> None:
    first = played(tmp_path)
    files = sorted(tmp_path.iterdir())
    assert len(files) == 4
    files[0].write_text(json.dumps([[11.5, 10.0, 4]]))
    [row] = played(tmp_path)
    assert row.cells[0].verdict == "equal"
    assert row.cells[1:] == first[0].cells[1:]


def test_another_paper_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found by its name, its slow policies have fewer runs, and its random problems are drawn
    once for all policies."""
    table = {
        "title": "beta means", "family": "bernoulli", "replications": 1,
        "policies": {"A": "ucb", "B": "ts"},
        "random": {"problems": 6, "arms": 2, "rule": "beta", "parameters": [2.0, 5.0]},
        "printed": {"5": {"A": [1.0], "B": [1.0]}, "10": {"A": [2.0], "B": [2.0]}},
    }  # fmt: skip
    data = {"title": "", "source": "", "horizon": 10, "slow": {"B": 3}, "tables": {"7": table}}
    (tmp_path / "new.json").write_text(json.dumps(data))
    made = []
    monkeypatch.setattr("rbmle.paper.papers.FOLDER", tmp_path)
    monkeypatch.setattr("rbmle.paper.papers.Problem", lambda *a: made.append(a) or Problem(*a))
    rows = reproduce_paper("new", folder=tmp_path / "runs", threads=1)
    assert [(row.policy, len(row.cells)) for row in rows] == [("A", 2), ("B", 2)]
    runs = [json.loads(each.read_text())[0][2] for each in sorted((tmp_path / "runs").iterdir())]
    assert (runs, len(made)) == ([6, 2], 6)


def test_another_family_is_played_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever corrects the data gets no numbers of before; and a table named twice is told once."""
    problem = {"law": "uniform(width=0.2)", "means": [0.4, 0.6]}
    table = {
        "title": "", "family": "bounded", "replications": 4, "policies": {"A": "klucb"},
        "problems": {"1": problem}, "printed": {"1": {"A": [1.0]}},
    }  # fmt: skip
    data = {"title": "", "source": "", "horizon": 60, "tables": {"1": table}}
    monkeypatch.setattr("rbmle.paper.papers.FOLDER", tmp_path)
    found = []
    for family in ("bounded(high=1)", "bounded(high=9)"):
        table["family"] = family
        (tmp_path / "new.json").write_text(json.dumps(data))
        [row] = reproduce_paper("new", ["1", "1"], tmp_path / "runs", threads=1)
        found.append(row.cells[0].computed)
    assert found[0] < found[1]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ((["9"], ()), "'tables' must be one of '1', '2', '3', '4', '5', '11'. Got '9'."),
        (((), ["XX"]), "'policies' must be one of 'TS', 'RB', 'WR', 'LB', 'NP-TS', 'IMED'. Got"),
        ((["1"], ["IMED"]), r"'policies' must be some of these tables'. Got \['IMED'\]."),
    ],
)
def test_what_a_paper_has_not_is_refused(given: tuple, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=sentence):
        reproduce_paper("sda", given[0], tmp_path, given[1], 2)
    with pytest.raises(ParameterError, match=r"'paper' must be one of .*'sda'"):
        reproduce_paper("liu")
    assert not list(tmp_path.iterdir())


@pytest.mark.tables
def test_sda_comes_out(tmp_path: Path) -> None:
    """A 25th of the runs. One number of 75 may be beyond three standard errors: of as many normal
    ones 0.2 are expected to be, and regret has long tails."""
    cells = [
        cell for row in reproduce_paper("sda", folder=tmp_path, quick=True) for cell in row.cells
    ]
    assert len(cells) == 75
    assert sum(cell.verdict == "differs" for cell in cells) <= 1
