"""Results that do not fit in memory are refused in one sentence before any work."""

from __future__ import annotations

from pathlib import Path

import pytest

from rbmle import UCB, Bernoulli, ParameterError, Problem, Study, run, simulate
from rbmle._io.machine import machine_memory
from rbmle.cli.main import run as command
from rbmle.studies.runner import load

COINS = Problem(Bernoulli(), [0.3, 0.6])
MANY = 4_000_000_000


def test_a_run_says_what_it_would_need(tmp_path: Path) -> None:
    study = Study(COINS, [UCB()], 1_000, MANY)
    with pytest.raises(ParameterError) as problem:
        run(study, tmp_path / "run")
    said = str(problem.value)
    assert said.startswith("run: 'replications' must be few enough for their results to fit in")
    assert "4,000,000,000 need 1" in said
    assert "TB, and there are " in said
    assert not list(tmp_path.iterdir())


def test_a_simulation_says_what_it_would_need() -> None:
    with pytest.raises(ParameterError, match="simulate: 'replications' must be few enough"):
        simulate(COINS, [UCB()], 1_000, MANY)


@pytest.mark.parametrize("line", ["run many.toml", "compare bernoulli .1 .2 --replications {}"])
def test_the_command_line_says_it_in_one_line(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "many.toml").write_text(Study(COINS, [UCB()], 1_000, MANY).to_toml())
    assert command(line.format(MANY).split()) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "to fit in memory" in said
    assert [path.name for path in tmp_path.iterdir()] == ["many.toml"]


def test_what_is_stored_is_refused_where_memory_is_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(Study(COINS, [UCB()], 100, 5), tmp_path)
    assert load(tmp_path).complete
    monkeypatch.setattr("rbmle._io.machine.machine_memory", lambda: 1_000)
    with pytest.raises(ParameterError, match=r"5 need .* kB, and there are 1 kB"):
        load(tmp_path)


def test_the_machine_has_memory() -> None:
    found = machine_memory()
    assert found is None or found > 100e6
