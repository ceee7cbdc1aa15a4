"""Terminals of 80, 60 and 40 columns: lines fit, every number is whole, and parts are announced."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import termios
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiers import tiered

from benchmarks.sections.command import show_section
from benchmarks.sections.table import BenchTable, Line
from rbmle.cli.main import run
from rbmle.cli.output import show_comparison, show_scaling
from rbmle.cli.screen import show_table
from rbmle.paper.reproduction import Compared, ComparedRow
from rbmle.paper.scaling import Scaling
from rbmle.result import STATISTICS
from rbmle.timing import Timing

NUMBER = r"\d[\d,.]*(?:e-?\d+)?"
COMPARE = ["compare", "gaussian(sigma=30)", "-100", "0.001", "--horizon", "60",
           "--replications", "3"]  # fmt: skip


def comparison() -> None:
    verdicts = ("equal", "misprint", "agrees", "differs")
    cells = [
        Compared(name, 1234.5 + k, 12345.6 + k, verdicts[k % 4], -12.3456)
        for k, name in enumerate(STATISTICS)
    ]
    show_comparison("Bernoulli_ID=2", [ComparedRow("Bernoulli_ID=2", "KLUCB&UCB", tuple(cells))])


def bench() -> None:
    check = "mean regrets agree, z = +0.5, over 1,000 replications of 10,000 rounds"
    line = Line("one processor, 100 arms", 5.1e-8, 2.1e-6, "s", 0.98, 0.9, 1.1, 1.5, None, check)
    table = BenchTable(
        "how far from the limit", "ours", "a C loop", "slower", (line,), ("A note.",)
    )
    show_section("limit", table)


def scale() -> None:
    times = {"UCB": (Timing(1e-8, 9e-9, 1.2e-8),) * 4, "RBMLE": (Timing(2e-7, 1e-7, 4e-7),) * 4}
    show_scaling([Scaling("bernoulli", (10, 30, 50, 70), times)])


SHOWN: dict[str, Callable[[], object]] = {
    "compare": lambda: run([*COMPARE, "--policies", "ucb(alpha=0.30000000000000004),ts,ucb"]),
    "forms": lambda: run([*COMPARE, "--policies", "rbmle(alpha=0.30000000000000004),rbmle,ucb"]),
    "bounds": lambda: run(["bounds", "gaussian", "-1", "0.5"]),
    "policies": lambda: run(["policies"]),
    "show": lambda: run(["show", "a-run"]),
    "reproduce": comparison,
    "bench": bench,
    "scale": scale,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("narrow")
    (made / "s.toml").write_text(
        "horizon = 70_000\nreplications = 3\n[[problem]]\nname = 'two wide bells'\n"
        "law = {name = 'Gaussian', sigma = 1000.0}\nmeans = [1000.0, 2.0, -50_000.0]\n"
        "[[policy]]\nname = 'UCB'\nlabel = 'an upper bound with a long name'\n"
    )
    assert run(["run", str(made / "s.toml"), "--folder", str(made / "a-run")]) == 0
    return made


@pytest.mark.parametrize("what", tiered(SHOWN, lambda what: what == "compare"))
def test_nothing_is_cut_at_any_width(
    folder: Path, what: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.delenv("COLUMNS", raising=False)
    capsys.readouterr()
    SHOWN[what]()
    wide = capsys.readouterr().out
    numbers = Counter(re.findall(NUMBER, wide))
    assert numbers
    for columns in (80, 60, 40):
        monkeypatch.setenv("COLUMNS", str(columns))
        SHOWN[what]()
        narrow = capsys.readouterr().out
        assert "\N{HORIZONTAL ELLIPSIS}" not in narrow
        assert numbers <= Counter(re.findall(NUMBER, narrow))
        for line in narrow.splitlines():
            assert len(line) <= columns or len(line.split()) == 1, line
        broken = set(wide.split()) - set(narrow.split())  # only names, after a sign
        assert all(re.search(r"[(,=:/_]\w", word) for word in broken)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("columns", [80, 60, 40])
def test_on_a_terminal(start: Any, folder: Path, columns: int) -> None:
    """On a real terminal the width is the terminal's."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = start("show", folder / "a-run", stdout=theirs, variables={"TERM": "xterm"})
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # how Linux tells that the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert process.communicate(timeout=60)[1] == b""
    assert process.returncode == 0
    text = re.sub(r"\x1b\[[0-9;]*m", "", shown.decode())
    assert text != shown.decode()  # the heads are bold
    plain = start("show", folder / "a-run").communicate(timeout=60)[0].decode()
    assert Counter(re.findall(NUMBER, plain)) <= Counter(re.findall(NUMBER, text))
    assert all(len(line.rstrip("\r")) <= columns for line in text.split("\n"))
    assert ("parts" in text) == (max(map(len, plain.splitlines()[1:])) > columns)


def test_a_number_longer_than_the_room_is_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    long = "1" * 60
    show_table("Title", ["policy", "a", "b"], [["x", long, "2"]])
    shown = capsys.readouterr().out
    assert long in shown
    assert "(in 2 parts" in shown


def test_a_table_that_fits_is_shown_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    show_table("Title", ["policy", "mean", "std"], [["UCB", "1.5", "0.25"], ["RBMLE", "1", "2"]])
    assert capsys.readouterr().out == (
        "Title\npolicy  mean   std\nUCB      1.5  0.25\nRBMLE      1     2\n"
    )
