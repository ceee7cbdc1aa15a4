"""Progress: a person who waits sees what is compiled and played; pipes and tests see nothing."""

from __future__ import annotations

import io
import logging
import os
import subprocess
import sys
from typing import Any

import pytest

from rbmle import UCB, Bernoulli, ParameterError, Problem, Study, run, simulate
from rbmle._io import progress
from rbmle._io.machine import log
from rbmle._io.progress import Bar, shown, watched
from rbmle.engine import simulation

COINS = Problem(Bernoulli(), [0.3, 0.6])


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_a_terminal(monkeypatch: Any) -> Terminal:
    """Make stderr a terminal, as outside of a test; bars appear at once."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    monkeypatch.setattr(progress, "_SECONDS_WITHOUT", 0.0)
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN", 0.0)
    return screen


def test_who_watches(monkeypatch: Any) -> None:
    on_a_terminal(monkeypatch)
    assert watched()
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "this one")
    assert not watched()
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert not watched()
    notebook = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})
    monkeypatch.setattr(sys, "stderr", notebook())
    assert watched()
    monkeypatch.setattr(sys, "stderr", None)
    assert not watched()


def play(monkeypatch: Any) -> None:
    """Stand in for the engine: it compiles, then plays half of the replications, then all."""

    def compile_plan(plan: Any, device: str) -> None:
        log.info("compiling %s, once", "UCB for Bernoulli")

    def played(owner: str, plan: Any, device: str, threads: Any, tell: Any) -> Any:
        if tell is not None:
            tell(0, 5)
            tell(0, 5)
        return plan.fresh()

    monkeypatch.setattr(simulation, "play_plan", played)
    monkeypatch.setattr(simulation, "compile_plan", compile_plan)


def test_simulate_shows_what_it_waits_for(monkeypatch: Any) -> None:
    terminal = on_a_terminal(monkeypatch)
    play(monkeypatch)
    before = log.level, log.propagate, list(log.handlers)
    simulate(COINS, [UCB()], 100, 10)
    first, *drawn = terminal.getvalue().split("\r")[1:]
    assert first == "rbmle: compiling UCB for Bernoulli, once\n"
    half, whole, gone, end = drawn
    assert half.startswith("[############............] 50% of 1,000 rounds, ")
    assert whole.startswith("[########################] 100% of 1,000 rounds, 0 s left")
    assert (gone.strip(), end) == ("", "")
    assert (log.level, log.propagate, log.handlers) == before


def test_progress_can_be_switched(monkeypatch: Any) -> None:
    terminal = on_a_terminal(monkeypatch)
    play(monkeypatch)
    simulate(COINS, [UCB()], 100, 10, progress=False)
    told: list[Any] = []
    simulate(COINS, [UCB()], 100, 10, progress=lambda *each: told.append(each))
    assert terminal.getvalue() == ""
    assert told == [(0, 5), (0, 5)]
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    simulate(COINS, [UCB()], 100, 10)
    assert sys.stderr.getvalue() == ""  # type: ignore[attr-defined]
    simulate(COINS, [UCB()], 100, 10, progress=True)
    assert "compiling" in sys.stderr.getvalue()  # type: ignore[attr-defined]
    with pytest.raises(ParameterError, match="'progress' must be True, False, None or a function"):
        simulate(COINS, [UCB()], 100, 10, progress="yes")  # type: ignore[arg-type]


def test_an_application_that_shows_messages_shows_them_alone(monkeypatch: Any, caplog: Any) -> None:
    terminal = on_a_terminal(monkeypatch)
    play(monkeypatch)
    with caplog.at_level(logging.INFO, "rbmle"):
        simulate(COINS, [UCB()], 100, 10)
    assert caplog.messages == ["compiling UCB for Bernoulli, once"]
    assert "compiling" not in terminal.getvalue()
    assert "50% of" in terminal.getvalue()
    with caplog.at_level(logging.INFO, "rbmle"), shown(None, 10.0, "rounds") as add:
        assert add is not None
        add(5.0)
        assert not terminal.getvalue().endswith("\r")
        log.info("compiling")
        assert terminal.getvalue().endswith(" \r")  # the bar is removed before the line is written


def test_warnings_reach_the_handlers_of_an_application(monkeypatch: Any, caplog: Any) -> None:
    terminal = on_a_terminal(monkeypatch)
    with shown(None, 10.0, "rounds"):
        log.warning("the disk is full")
        log.info("compiling")
    assert caplog.messages == ["the disk is full"]
    assert terminal.getvalue() == "\rrbmle: compiling\n"


def test_a_short_simulation_has_no_bar(monkeypatch: Any) -> None:
    terminal = on_a_terminal(monkeypatch)
    monkeypatch.setattr(progress, "_SECONDS_WITHOUT", 2.0)
    bar = Bar(10.0, 0.0, "rounds", silent=False)
    bar.add(5.0)
    bar.clear()
    assert terminal.getvalue() == ""


def test_a_study_has_a_bar_for_all_that_is_left(monkeypatch: Any, tmp_path: Any) -> None:
    terminal = on_a_terminal(monkeypatch)
    study = Study({"a": COINS, "b": COINS}, [UCB()], 50, 4)
    run(study, tmp_path / "run")
    assert "100% of 8 replications" in terminal.getvalue()
    terminal.truncate(0)
    run(study.replaced(replications=8), tmp_path / "run")
    drawn = [each for each in terminal.getvalue().split("\r") if "% of 16 replications" in each]
    assert drawn
    assert min(float(each.partition("] ")[2].partition("%")[0]) for each in drawn) > 50.0
    terminal.truncate(0)
    told: list[Any] = []
    run(study, progress=lambda *each: told.append(each))
    run(study, progress=False)
    assert terminal.getvalue().strip("\0") == ""
    assert told[-1][2:] == (4, 4)


CODE = """
import rbmle
rbmle.simulate(rbmle.Problem("bernoulli", [0.3, 0.5]), ["ucb"], 100, 10)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="there are no pseudo-terminals")
def test_a_terminal_is_told_of_the_first_compilation_and_a_pipe_is_not(tmp_path: Any) -> None:
    env = {key: value for key, value in os.environ.items() if key != "PYTEST_CURRENT_TEST"}

    def told(folder: str) -> str:
        own, theirs = os.openpty()
        line = [sys.executable, "-c", CODE]
        done = {**env, "RBMLE_CACHE_DIR": str(tmp_path / folder)}
        subprocess.run(line, check=True, stderr=theirs, env=done)
        os.write(theirs, b"end")
        seen = b""
        while not seen.endswith(b"end"):
            seen += os.read(own, 10_000)
        return seen.decode()

    assert told("a") == "\rrbmle: compiling UCB for Bernoulli, once\r\nend"
    assert told("a") == "end"
    piped = subprocess.run(
        [sys.executable, "-c", CODE], check=True, capture_output=True, text=True,
        env={**env, "RBMLE_CACHE_DIR": str(tmp_path / "b")},
    )  # fmt: skip
    assert piped.stdout == piped.stderr == ""
