"""What users get wrong is refused in one sentence, which names what they called."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import rbmle
from rbmle.cli.main import run as command
from rbmle.errors import FileError, RbmleError
from rbmle.studies.export import export_to

COINS = rbmle.Problem("bernoulli", [0.3, 0.6])
STUDY = rbmle.Study({"coins": COINS}, ["ucb"], 50, 2)


@pytest.fixture(scope="module")
def result() -> rbmle.Result:
    return rbmle.simulate(COINS, ["ucb", "ts"], 50, 2)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "latin.toml").write_bytes('name = "caf\xe9"'.encode("latin-1"))
    return tmp_path


def decider() -> Any:
    return rbmle.Decider(["a", "b"], "ucb", "bernoulli")


_NO_FOLDER = "cannot be written (No such file or directory)."
_FOLDER = "folder: cannot be written (Is a directory)."
_BAND = "plot: 'band' must be two rising numbers in [0, 1], as in (0.1, 0.9). Got "
WRONG: list[tuple[Callable[[Any], object], str]] = [
    (lambda _: decider().save("nodir/x.json"), f"nodir/x.json: {_NO_FOLDER}"),
    (lambda _: decider().save("folder"), _FOLDER),
    (lambda r: rbmle.report(r, "folder"), _FOLDER),
    (lambda r: rbmle.report(r, "nodir/x.html"), f"nodir/x.html: {_NO_FOLDER}"),
    (lambda r: r.plot(path="nodir/x.png"), f"nodir/x.png: {_NO_FOLDER}"),
    (lambda _: export_to(rbmle.run(STUDY), "csv", "nodir/x"), f"nodir/x: {_NO_FOLDER}"),
    (lambda r: r.plot(band=0.5), f"{_BAND}0.5."),
    (lambda r: r.plot(band=(0.1, 0.5, 0.9)), f"{_BAND}(0.1, 0.5, 0.9)."),
    (lambda r: r.plot(band="ab"), f"{_BAND}'ab'."),
    (
        lambda r: r.plot(policies="x"),
        "plot: 'policies' must be one of 'UCB', 'ThompsonSampling'. Got 'x'.",
    ),
    (
        lambda r: r.plot_box(policies=[]),
        "plot_box: 'policies' must be a list of some of 'UCB', 'ThompsonSampling'. Got [].",
    ),
    (
        lambda r: r.plot_shares(policies=1.5),
        "plot_shares: 'policies' must be a list of some of 'UCB', 'ThompsonSampling'. Got 1.5.",
    ),
    (lambda r: r.plot(ax=3), "plot: 'ax' must be axes of matplotlib. Got 3."),
    (
        lambda r: r.plot(path="x.jpg"),
        "plot: 'path' must be a name that ends in .svg, .pdf or .png. Got 'x.jpg'.",
    ),
    (
        lambda _: rbmle.Study.from_toml("latin.toml"),
        "latin.toml: is not in UTF-8; save it as UTF-8.",
    ),
    (
        lambda _: rbmle.Decider.load("latin.toml"),
        "Decider: 'latin.toml' cannot be loaded: it is not in UTF-8; save it as UTF-8.",
    ),
    (
        lambda _: rbmle.load("latin.toml"),
        "latin.toml: is a file; give the run folder, as in latin-run.",
    ),
    (lambda _: rbmle.Linear(), "Linear: 'dimension' must be given."),  # type: ignore[call-arg]
    (
        lambda _: rbmle.simulate(COINS, ["kg*"], 50, 2),
        "KGStar: 'family' must be Gaussian. Got Bernoulli.",
    ),
    (
        lambda _: rbmle.Problem("bernoulli", [0.5]),
        "Problem: 'means' must be a list of 2 to 268435456 numbers, one for each arm. Got [0.5].",
    ),
]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("call", "sentence"), WRONG, ids=[each for _, each in WRONG])
def test_in_python(result: rbmle.Result, call: Callable[[Any], object], sentence: str) -> None:
    with pytest.raises(RbmleError) as refused:
        call(result)
    assert str(refused.value) == sentence


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", ["export", "show", "report"])
def test_a_study_file_where_the_run_folder_belongs(name: str, capsys: Any) -> None:
    for typed in ("latin.toml", "nowhere.toml"):
        assert command([name, typed]) == 2
        stem = typed.removesuffix(".toml")
        sentence = f"rbmle: {typed}: is a file; give the run folder, as in {stem}-run.\n"
        assert capsys.readouterr().err == sentence


@pytest.mark.usefixtures("here")
def test_a_file_that_cannot_be_written_is_an_oserror_too() -> None:
    with pytest.raises(OSError, match="cannot be written") as refused:
        decider().save("nodir/x.json")
    assert isinstance(refused.value, FileError)
    assert refused.value.errno == 2


def test_nothing_is_said_to_be_kept_where_nothing_is(tmp_path: Path) -> None:
    """A run without a folder stores nothing, and neither does `rbmle compare`."""
    with ThreadPoolExecutor(1) as pool:
        pass
    for folder, kept in ((None, False), (tmp_path / "run", True)):
        with pytest.raises(RbmleError, match="the executor takes no work") as refused:
            rbmle.run(STUDY, folder, executor=pool)
        assert ("what was finished is kept" in str(refused.value)) == kept
