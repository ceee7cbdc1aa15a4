"""What a notebook shows: tables of deciders, studies and results, text as text, and figures."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from rbmle import (
    UCB,
    Bernoulli,
    Decider,
    FixedDelay,
    Gaussian,
    ParameterError,
    Problem,
    Result,
    Study,
    StudyResult,
    ThompsonSampling,
    run,
)

COINS, BELLS = Problem(Bernoulli(), [0.3, 0.6]), Problem(Gaussian(), [0.0, 1.0])


@pytest.fixture(scope="module")
def found() -> StudyResult:
    return run(Study({"coins": COINS, "more <coins>": COINS}, [UCB()], 50, 4, name="a <study>"))


class Cells(HTMLParser):
    """The texts of a page, and the tags that are open at the end."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_decider_is_a_table() -> None:
    live = Decider(["<red>", "blue", "green"], UCB(), Bernoulli())
    live.update("blue", 1.0)
    live.disable("green")
    texts = Cells(live._repr_html_()).texts
    assert texts[0] == repr(live).partition("\n")[0]
    assert texts[1:4] == ["pulls", "mean", "pending"]
    rows = ["<red>", "0", "nan", "0", "blue", "1", "1", "0", "green", "0", "nan", "0", "disabled"]
    assert texts[4:] == rows


def test_a_study_is_a_table() -> None:
    policies = {"mine": UCB(1.0), "ts": ThompsonSampling()}
    study = Study({"coins": COINS, "bells": BELLS}, policies, 1000, 20, delay=FixedDelay(3))
    told = f"Study {study.digest[:12]}, T = 1,000, 20 replications, seed 0, FixedDelay(rounds=3)"
    texts = Cells(study._repr_html_()).texts
    assert texts == [
        told, "name", "what it is",
        "problem", "coins", repr(COINS), "problem", "bells", repr(BELLS),
        "policy", "mine", "UCB(alpha=1.0)", "policy", "ts", "ThompsonSampling()",
    ]  # fmt: skip


def test_results_are_tables(found: StudyResult) -> None:
    texts = Cells(found._repr_html_()).texts
    assert [each for each in texts if "coins" in each] == ["coins", "more <coins>"]
    assert texts.count("UCB") == 2
    assert set(Cells(found.results["coins"]._repr_html_()).texts) <= set(texts)


def test_a_summary_at_a_prompt_is_a_table(found: StudyResult) -> None:
    shown: Result | StudyResult
    for shown in (found, found.results["coins"]):
        assert repr(shown.summary()) == str(shown.summary()) == repr(shown)
        assert type(repr(shown.summary())) is str
        assert re.search(r"\nUCB +\d", repr(shown.summary()))


def test_a_study_is_plotted_with_a_panel_for_each_problem(
    found: StudyResult, tmp_path: Any
) -> None:
    figure = found.plot(path=tmp_path / "both.svg", log_time=True)
    titles = [axes.get_title("left") for axes in figure.axes]
    assert [each.partition(":")[0] for each in titles] == ["coins", "more <coins>"]
    assert all("Bernoulli, 2 arms, T = 50" in each for each in titles)
    assert all(axes.get_xscale() == "log" and axes.lines for axes in figure.axes)
    assert (tmp_path / "both.svg").read_text("utf-8").startswith("<?xml")
    with pytest.raises(ParameterError, match="'ax' must be left out with several problems"):
        found.plot(ax=figure.axes[0])
    begun = StudyResult(found.study, {"more <coins>": found.results["more <coins>"]}, {})
    (axes,) = begun.plot().axes  # nothing is played on the other problem
    assert axes.get_title("left").startswith("more <coins>: ")
    assert axes.lines
    one = StudyResult(Study(COINS, [UCB()], 50, 4), {"problem": found.results["coins"]}, {})
    assert len(one.plot().axes) == 1
    assert one.plot(ax=figure.axes[0]) is figure.axes[0]
