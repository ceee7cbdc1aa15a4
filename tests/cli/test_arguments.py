"""Valid command lines: negative numbers, --version, files of any editor; warnings of one line."""

import json
import re
import warnings
from importlib import resources
from pathlib import Path
from typing import Annotated

import pytest
import typer

import rbmle
from rbmle import Study
from rbmle.cli.main import run
from rbmle.cli.options import Command, app, numbers_given
from rbmle.errors import RunWarning

STUDY = """
horizon = 60
replications = 3
[[problem]]
law = "Bernoulli"
means = [0.3, 0.6]
[[policy]]
name = "UCB"
"""


def shown(capsys: pytest.CaptureFixture[str], *line: str) -> str:
    assert run(list(line)) == 0
    return capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, "--version") == f"rbmle {rbmle.__version__}\n"


@pytest.mark.parametrize(
    "means", [["-1", "-2"], ["-.5", "0"], ["-1e-3", "-10"], ["--", "-1", "-2"]]
)
def test_means_may_be_negative(capsys: pytest.CaptureFixture[str], means: list[str]) -> None:
    line = ["compare", "gaussian", *means, "--policies", "ucb", "--horizon", "20"]
    if means[0] == "--":  # all that follows it is a mean
        line = [*line[:2], *line[len(means) + 2 :], *means]
    assert "2 arms, Gaussian, T = 20" in shown(capsys, *line)
    assert "gap" in shown(capsys, "bounds", "gaussian", *means)


def test_options_may_come_anywhere(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["compare", "--horizon", "20", "gaussian", "-1", "--policies=ucb", "-2", "--json", "0.5"]
    assert '"means": [\n  -1.0,\n  -2.0,\n  0.5\n ]' in shown(capsys, *line)


def test_whole_numbers_may_have_a_power_of_ten(capsys: pytest.CaptureFixture[str]) -> None:
    """As in a study file: 1e3 and 1000.0 are 1000; what is not whole is refused."""
    line = ["compare", "bernoulli", ".2", ".6", "--policies", "ucb", "--json", "--replications=2e0"]
    data = json.loads(shown(capsys, *line, "--horizon", "1e2", "--seed", "3.0"))
    assert (data["horizon"], data["replications"]) == (100, 2)
    assert numbers_given("scale", "--arms", "1e1,30", int) == [10, 30]
    for wrong in ("1e-3", "1.5", "inf", "nan", "1e999999999", "ten"):
        assert run([*line, f"--horizon={wrong}"]) == 2
        said = capsys.readouterr().err
        assert said == f"rbmle: compare: '--horizon' must be a whole number. Got {wrong!r}.\n"


def test_the_list_of_commands_has_whole_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    """None is cut, and what people need first comes first."""
    text = shown(capsys, "--help")
    assert "..." not in text.partition("Commands:")[2]
    listed = re.findall(r"^  (\w+) ", text.partition("Commands:")[2], re.MULTILINE)
    assert listed[:6] == ["compare", "init", "run", "show", "report", "export"]
    assert {"atlas", "reproduce", "serve"} <= {*listed}


def test_a_shell_completes_commands_and_options(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_RBMLE_COMPLETE", "complete_bash")
    for typed, found in {"rbmle rep": "report\nreproduce", "rbmle run --fo": "--folder"}.items():
        monkeypatch.setenv("COMP_WORDS", typed)
        monkeypatch.setenv("COMP_CWORD", str(typed.count(" ")))
        with pytest.raises(SystemExit):
            run([])
        assert found in capsys.readouterr().out


def test_one_word_for_a_folder_and_one_for_a_file() -> None:
    """--folder names a folder in every command, --out a file."""
    found = {
        (option, name)
        for name, known in typer.main.get_command(app).commands.items()  # type: ignore[attr-defined]
        for each in known.params
        for option in each.opts
        if option in ("--folder", "--out")
    }
    folders = {name for option, name in found if option == "--folder"}
    assert folders == {"run", "reproduce", "atlas"}
    assert {name for option, name in found if option == "--out"} == {"export", "report"}


@pytest.mark.slow
def test_the_recommended_policy_is_compared_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["compare", "bernoulli", ".2", ".6", "--horizon", "60", "--replications", "2", "--json"]
    assert "Recommended" in json.loads(shown(capsys, *line))["policies"]
    example = resources.files("rbmle").joinpath("cli/example.toml").read_text("utf-8")
    assert 'name = "recommended"' in example


def test_a_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "plain.toml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "marked.toml").write_text(STUDY, encoding="utf-8-sig")
    plain, marked = (Study.from_toml(tmp_path / f"{each}.toml") for each in ("plain", "marked"))
    assert plain == marked


def test_warnings_are_one_line_without_a_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(STUDY)
    shown(capsys, "run", "s.toml")
    (shard,) = (tmp_path / "s-run" / "shards").glob("*.shard")
    shard.write_bytes(b"damaged")
    before = warnings.showwarning
    with warnings.catch_warnings():
        warnings.simplefilter("default", RunWarning)  # in these tests it is an error
        assert run(["show", "s-run"]) == 0
    said = capsys.readouterr().err
    assert said.startswith(f"rbmle: warning: {Path('s-run') / 'shards' / shard.name}: is left out")
    assert said.count("\n") == 1
    assert ".py" not in said
    assert warnings.showwarning is before


def test_a_file_that_cannot_be_written_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names the file, not the temporary file that is written first."""
    target = tmp_path / "nowhere" / "study.toml"
    assert run(["init", str(target)]) == 2
    assert (
        capsys.readouterr().err
        == f"rbmle: {target}: cannot be written (No such file or directory).\n"
    )


def test_what_is_left_to_typer() -> None:
    """Options come first, then the other arguments; unknown options are left for typer to
    refuse."""
    app = typer.Typer(add_completion=False)

    @app.command(cls=Command)
    def compare(
        law: str,
        means: list[float],
        horizon: int = 1,
        times: bool = True,
        modules: Annotated[list[str] | None, typer.Option("--import")] = None,
    ) -> None: ...

    command = typer.main.get_command(app)
    assert isinstance(command, Command)
    arranged = command.arranged
    assert arranged(["a", "-1", "--horizon", "-5"]) == ["--horizon=-5", "--", "a", "-1"]
    assert arranged(["a", "-x", "--help"]) == ["-x", "--help", "--", "a"]
    assert arranged(["a", "--horizn", "b"]) == ["--horizn", "--", "a", "b"]
    assert arranged(["--import", "a", "--import=b"]) == ["--import=a", "--import=b"]
    assert arranged(["--no-times"]) == ["--no-times"]
    assert arranged([]) == []
    for typed in (
        ["--times", "--no-times"],
        ["--horizon", "--times"],
        ["a", "b"],
        ["--horizon=1.5"],
    ):
        with pytest.raises(ValueError, match=r"^compare: '"):
            arranged(typed)
