"""The atlas: its sets, what it tells of them, resuming, its files and its command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rbmle.atlas import (
    AWARE,
    FAMILY_FREE,
    RIVALS,
    AtlasCell,
    atlas,
    atlas_sets,
    read_atlas,
    rows_of,
    verdicts,
    write_atlas,
)
from rbmle.atlas.efforts import FULL, OTHERS, Effort, atlas_runs, players, runs_on
from rbmle.atlas.play import Run, play, run_statistics, stored
from rbmle.atlas.verdicts import RECOMMENDED, SMALLEST_MEAN, cells_of, within_targets
from rbmle.cli.atlas import _data, _named, _show
from rbmle.cli.main import run
from rbmle.errors import ParameterError, RunError
from rbmle.policies import (
    MOSS,
    RBMLE,
    UCB,
    ArmBias,
)

SMALL = Effort(4, {20: 3, 40: 2}, {20: 3, 40: 2}, {}, {}, {20: 500, 40: 500}, 0)


def cell(policy: str, by_problem: list[float], **changed: object) -> AtlasCell:
    mean = float(np.mean(by_problem))
    values = AtlasCell(
        "bernoulli", "a set", 10, policy, len(by_problem), 5, mean, 0.1, 2 * mean, 3 * mean,
        np.array(by_problem),
    )  # fmt: skip
    return values._replace(**changed)


class TestSets:
    def test_each_family_has_twelve_sets_and_every_kind_that_was_asked_for(self):
        for family in ("bernoulli", "gaussian", "exponential"):
            sets = atlas_sets("report", [family])
            assert len(sets) >= 12
            assert {2, 50, 500} <= {each.arms for each in sets}
            assert sum(each.misspecified for each in sets) >= 2
            assert sum(each.draw is None for each in sets) == 1
        papers = [p for s in atlas_sets("report") if s.draw is None for p in s.problems(5)]
        assert len(papers) == len(set(papers)) == 9

    def test_problems_are_the_same_every_time_and_do_not_depend_on_their_number(self):
        for each in atlas_sets("report") + atlas_sets("training"):
            assert each.problems(3)[:2] == each.problems(2)

    def test_training_and_report_share_no_seed_no_problem_and_no_name_of_a_file(self):
        groups = [atlas_sets(name) for name in ("training", "report")]
        seeds = [{each.seed() for each in sets} for sets in groups]
        assert [len(each) for each in seeds] == [len(each) for each in groups]
        assert not seeds[0] & seeds[1]
        problems = [{p for each in sets for p in each.problems(3)} for sets in groups]
        assert not problems[0] & problems[1]
        assert groups[0][0].rewards_seed() != groups[1][0].rewards_seed()

    def test_an_unknown_set_is_refused(self):
        with pytest.raises(ParameterError, match=r"^atlas: 'only' must be families"):
            atlas_sets("report", ["coins"])
        with pytest.raises(ParameterError, match="'group'"):
            atlas_sets("test")
        with pytest.raises(ParameterError, match=r"Got 'Gausian'\. Did you mean 'gaussian'\?$"):
            atlas_sets("report", ["Gausian"])

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"only": "gaussian"}, "'only' must be a list of names. Got 'gaussian'."),
            ({"only": ["gaussian: 50 arms"], "quick": True}, "'only' must be sets of at most 12 "),
            ({"group": "test", "quick": True}, "'group' must be one of 'training', 'report'."),
            (
                {"only": ["gaussian: close"], "threads": 0},
                "'threads' must be a whole number in [1, inf). Got 0.",
            ),
            pytest.param(
                {"only": ["gaussian: close"], "processes": 0},
                "'processes' must be a whole number in [1, inf). Got 0.",
                marks=pytest.mark.slow,
            ),
        ],
    )
    def test_what_cannot_be_played_is_refused_before_any_work(self, given, said, tmp_path: Path):
        with pytest.raises(ParameterError) as problem:
            atlas(tmp_path / "atlas", **given)
        assert str(problem.value).startswith(f"atlas: {said}")
        assert not (tmp_path / "atlas").exists()


class TestPlan:
    def test_every_policy_of_the_paper_and_imed_are_played(self):
        played = [players(each, "report") for each in ("bernoulli", "gaussian")]
        kinds = {type(policy).__name__ for each in played for policy in each.values()}
        assert kinds == {
            "RBMLE", "UCB", "UCBTuned", "MOSS", "KLUCB", "BayesUCB", "ThompsonSampling", "GPUCB",
            "GPUCBTuned", "KG", "KGStar", "KGMin", "KGMN", "IDS", "VIDS", "IMED", "AdaUCB",
            "MaillardSampling", "TSUCB",
        }  # fmt: skip
        assert {*RIVALS, *AWARE, *OTHERS, RECOMMENDED, SMALLEST_MEAN} == {
            name for each in played for name in each
        }

    def test_policies_that_assume_no_family_play_where_it_is_wrong_and_keep_every_reward(self):
        for where in atlas_sets("report", ["bernoulli"]):
            runs = [run for run in runs_on(where, FULL) if run.label in FAMILY_FREE]
            expected = set(FAMILY_FREE) if where.misspecified else set()
            assert {run.label for run in runs} == expected
            kept = [run for run in runs if "memory" in run.policy._fields]
            assert all(run.policy.memory == run.horizon for run in kept)

    @pytest.mark.slow
    def test_a_full_cell_has_a_hundred_thousand_replications_and_the_whole_a_trillion_rounds(self):
        runs = atlas_runs("report", [], FULL)
        for each in runs:
            quick = each.label in (SMALLEST_MEAN, "Thompson", "KL-UCB", "IMED", "UCB", "KG")
            if quick and each.where.arms <= 50 and each.horizon == 10_000:
                assert each.replications * len(each.where.problems(each.problems)) >= 100_000
        assert sum(each.rounds() for each in runs) > 1e12

    def test_a_policy_with_a_horizon_has_a_run_for_each(self):
        runs = atlas_runs("report", ["gaussian: two arms"], FULL)
        told = {
            label: [r.checkpoints for r in runs if r.label == label] for label in ("MOSS", "UCB")
        }
        assert told["MOSS"] == [(1_000,), (10_000,), (100_000,)]
        assert told["UCB"] == [(1_000, 10_000), (100_000,)]


class TestTold:
    def test_by_hand(self):
        """Means 2 and 6; variances 8 / 2 of problems, 2 / 2 of replications, minus 0."""
        found = run_statistics(np.array([[[1.0], [3.0]], [[5.0], [7.0]]]))
        assert found.by_problem.tolist() == [[2.0, 6.0]]
        assert found.mean.tolist() == [4.0]
        assert found.error[0] ** 2 == pytest.approx(8.0 / 2.0 + 2.0 / 2.0)

    @pytest.mark.parametrize(("runs", "known"), [(100, 0), (396, 0), (400, 1), (4_000, 2)])
    def test_a_quantile_is_told_where_runs_lie_beyond_it(self, runs: int, known: int):
        """Four at least: 99 % takes 400 runs, 99.9 % takes 4,000."""
        regret = np.random.default_rng(2).exponential(size=(4, runs // 4, 1))
        found = run_statistics(regret).tails[0]
        assert np.isfinite(found).tolist() == [True] * known + [False] * (2 - known)
        expected = np.quantile(regret, (0.99, 0.999))
        assert found[:known] == pytest.approx(expected[:known])

    def test_the_standard_error_is_right_where_replications_are_shared(self):
        """Problems and replications each shift the regret; so the error is that of both."""
        rng, p, r = np.random.default_rng(1), 20, 10
        means, errors = [], []
        for _ in range(400):
            regret = rng.normal(size=(p, 1, 1)) + rng.normal(size=(1, r, 1))
            found = run_statistics(regret + 0.5 * rng.normal(size=(p, r, 1)))
            means.append(found.mean[0])
            errors.append(found.error[0])
        truth = (1.0 / p + 1.0 / r + 0.25 / (p * r)) ** 0.5
        assert np.std(means) == pytest.approx(truth, rel=0.1)
        assert np.mean(np.square(errors)) ** 0.5 == pytest.approx(truth, rel=0.05)


class TestSummary:
    def test_ratios_and_wins_by_hand(self):
        a, b = cell("a", [1.0, 4.0, 3.0, 2.0]), cell("b", [2.0, 2.0, 6.0, 2.0])
        few = cell("few", [0.5, 8.0, 3.0, 2.0], replications=1)
        rows = {row.cell.policy: row for row in rows_of([b, a, few])}
        assert list(rows) == ["a", "b", "few"]  # by their means
        assert rows["a"][1:] == (1.0, pytest.approx(1.7), 2.0, 0.75)
        assert rows["b"][1:] == (1.5, 2.0, 2.0, 0.5)
        assert rows["few"].worst == 4.0
        assert rows["few"].won == 0.75  # and it never is the best that others are measured by

    def test_verdicts_by_hand(self):
        cells = [cell("Thompson", [4.0]), cell("MOSS", [2.0], tail=100.0), cell("UCB", [1.0])]
        [one] = verdicts([*cells, cell(RECOMMENDED, [2.2], tail=17.0)])
        assert (one.best, one.ratio, one.tail) == ("MOSS", pytest.approx(1.1), 17.0 / 8.0)
        assert within_targets([one]) == (0, 1, 0)

    def test_files_keep_what_is_told(self, tmp_path: Path):
        cells = [cell("a", [1.0, 0.1]), cell("b", [2.0, 3.0])]
        write_atlas(cells, tmp_path)
        found = read_atlas(tmp_path)
        assert [each[:6] for each in found] == [each[:6] for each in cells]
        for one, other in zip(found, cells, strict=True):
            assert one[6:10] == pytest.approx(other[6:10], rel=1e-4)
            assert one.by_problem == pytest.approx(other.by_problem, rel=1e-6)

    @pytest.mark.parametrize("name", ["atlas.csv", "atlas.npz"])
    def test_damaged_files_are_told_in_one_sentence(self, name: str, tmp_path: Path):
        write_atlas([cell("a", [1.0, 0.1]), cell("b", [2.0, 3.0])], tmp_path)
        whole = (tmp_path / name).read_bytes()
        turned = bytes(255 - each for each in whole)
        for bad in (b"", whole[:-30], whole[: len(whole) // 2], turned):
            (tmp_path / name).write_bytes(bad)
            with pytest.raises(RunError, match=r"has no atlas in atlas\.csv and atlas\.npz\.$"):
                read_atlas(tmp_path)


@pytest.mark.parametrize("known", [True, False])
def test_the_table_has_the_quantiles_that_are_known(known: bool, capsys):
    tails = {"tail": 17.0} if known else {"tail": np.nan}
    names = ("Thompson", "MOSS", RECOMMENDED)
    cells = [cell(each, [2.0, 3.0], **tails, far_tail=np.nan) for each in names]
    _show(rows_of(cells))
    shown = capsys.readouterr().out
    assert ("99 %" in shown) == ("99 % quantile" in shown) == known
    assert "99.9 %" not in shown
    data = json.loads(json.dumps([_data(row) for row in rows_of(cells)], allow_nan=False))
    assert (data[0]["tail"], data[0]["far_tail"]) == (17.0 if known else None, None)


def test_sets_are_named_at_the_command_line_with_their_commas():
    named = _named("training", ["bernoulli: two arms, close", "gaussian,exponential"])
    assert named == ["bernoulli: two arms, close", "gaussian", "exponential"]


def small_runs() -> list[Run]:
    sets = atlas_sets("report", ["gaussian: two arms", "gaussian: ladder"])
    policies = {"a": UCB(), "b": UCB(1.0)}
    return [Run(s, name, p, 3, 4, (20, 40)) for s in sets for name, p in policies.items()]


class TestPlay:
    @pytest.mark.slow
    def test_a_run_that_goes_on_ends_as_one_that_was_never_stopped(self, tmp_path: Path):
        runs = small_runs()
        play(runs, tmp_path / "whole")
        play(runs[1:3], tmp_path / "parts")
        damaged = tmp_path / "parts" / runs[1].file_name
        damaged.write_bytes(damaged.read_bytes()[:50])
        assert stored(tmp_path / "parts", runs[1]) is None
        before = (tmp_path / "parts" / runs[2].file_name).stat().st_mtime_ns
        said: list[str] = []
        play(runs, tmp_path / "parts", tell=said.append)
        assert said == ["gaussian: UCB, 3 runs, 1.4e+03 rounds"]
        assert (tmp_path / "parts" / runs[2].file_name).stat().st_mtime_ns == before
        for each in runs:
            one, other = (stored(tmp_path / name, each) for name in ("whole", "parts"))
            assert one is not None
            assert other is not None
            for a, b in zip(one, other, strict=True):
                np.testing.assert_array_equal(a, b)  # quantiles of few runs are NaN
        assert len(cells_of(runs, tmp_path / "parts")) == 8

    @pytest.mark.slow
    def test_processes_store_what_one_process_does(self, tmp_path: Path):
        runs = [*small_runs(), small_runs()[0]._replace(label="MOSS", policy=MOSS())]
        play(runs, tmp_path / "one")
        play(runs[:2], tmp_path / "pool")
        play(runs, tmp_path / "pool", processes=2, threads=1)
        for each in runs:
            name = each.file_name
            one, other = (tmp_path / place / name for place in ("one", "pool"))
            assert one.read_bytes() == other.read_bytes()

    def test_whatever_changes_the_numbers_changes_the_name_of_the_file(self):
        first = small_runs()[0]
        others = [
            first._replace(replications=5), first._replace(checkpoints=(40,)),
            first._replace(policy=UCB(3.0)), first._replace(problems=2),
            first._replace(where=atlas_sets("training", ["gaussian: two arms"])[0]),
        ]  # fmt: skip
        names = {each.file_name for each in (first, *others)}
        assert len(names) == 6


@pytest.mark.slow
def test_the_command_prints_a_table_and_goes_on(tmp_path: Path, capsys):
    place = str(tmp_path / "atlas")
    typed = ["atlas", "--quick", "--only", "gaussian: two arms", "--folder", place]
    assert run(typed) == 0
    shown = capsys.readouterr()
    assert "gaussian, two arms: regret, T = 1,000, 10 problems" in shown.out
    assert "The recommended RBMLE on 1 benchmark, each a set" in shown.out
    assert "1 run, " in shown.err
    assert run([*typed, "--json"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""  # nothing was left to play
    rows = json.loads(shown.out)
    assert {each["policy"] for each in rows} >= {RECOMMENDED, "Thompson", "MOSS"}
    assert sum(each["won"] for each in rows) >= 1.0
    assert run(["atlas", "--only", "coins"]) == 2
    assert [row.cell.policy for row in atlas(place, "report", ["gaussian: two arms"], quick=True)]


@pytest.mark.slow
def test_arm_bias_is_beta_bias_where_all_arms_have_the_same_alpha():
    from rbmle import Bernoulli, BetaBias, Problem, simulate

    problem = Problem(Bernoulli(), [0.3, 0.5, 0.45])
    policies = [
        RBMLE(BetaBias(0.5, 2.0), f="stable"),
        RBMLE(ArmBias(0.5, 2.0, 0.0, 0.0), f="stable"),
    ]
    one, other = simulate(problem, policies, 300, 5, checkpoints=[300]).pulls
    assert np.array_equal(one, other)
