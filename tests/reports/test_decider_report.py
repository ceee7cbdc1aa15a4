"""The report of a decider: its summary as a page, from its file or from itself."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report_cases import EVIL

from rbmle import Decider, Exponential, ParameterError, write_report
from rbmle.cli.main import run as command
from rbmle.figures import arm_intervals, draw_arm_intervals
from rbmle.inference.summary import summarise


@pytest.fixture
def live() -> Any:
    """Green is known to be the best; the third arm has a name that is markup."""
    decider: Any = Decider(["red", "green", EVIL], "ucb", "bernoulli")
    for name, ones in (("red", 900), ("green", 1_200), (EVIL, 300)):
        decider.update([name] * 2_000, [1.0] * ones + [0.0] * (2_000 - ones))
    return decider


def test_the_command_writes_what_the_summary_says(live: Any, tmp_path: Path, capsys: Any) -> None:
    live.save(tmp_path / "shop.json")
    assert command(["report", str(tmp_path / "shop.json")]) == 0
    assert "shop.html" in capsys.readouterr().out.replace("\n", "")
    page = (tmp_path / "shop.html").read_text("utf-8")
    found = live.summary()
    assert "Safe to stop: green beats red and" in page
    rows = re.findall(r"<tr>\s*<th scope=\"row\".*?</tr>", page, re.DOTALL)
    for (name, cells), row in zip(found.rows(), rows, strict=True):
        shown = [html.unescape(each) for each in re.findall(r">([^<>]+)</t[hd]>", row)]
        assert shown == [name, *cells]
    assert page.count("<figure") == 1
    assert page.count("<script>") == 1


def test_a_decider_itself_is_written_where_it_is_told(live: Any, tmp_path: Path) -> None:
    assert write_report(live, tmp_path / "page.html") == tmp_path / "page.html"
    live.save(tmp_path / "shop.json")
    write_report(tmp_path / "shop.json", tmp_path / "same.html", command="rbmle.report(...)")
    one, other = ((tmp_path / name).read_text("utf-8") for name in ("page.html", "same.html"))
    assert one.partition("<h2>")[2] == other.partition("<h2>")[2]
    with pytest.raises(ParameterError, match="'path' must be given"):
        write_report(live)
    with pytest.raises(ParameterError, match="a Result, or a Decider or its file"):
        write_report(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "{}", '{"format": "rbmle-decider", "version": 9}'])
def test_a_file_that_is_none_is_refused_and_nothing_written(
    text: str, tmp_path: Path, capsys: Any
) -> None:
    (tmp_path / "shop.json").write_text(text)
    assert command(["report", str(tmp_path / "shop.json")]) == 2
    assert "cannot be loaded" in capsys.readouterr().err.replace("\n", " ")
    assert [each.name for each in tmp_path.iterdir()] == ["shop.json"]


def test_without_rewards_there_is_no_figure(tmp_path: Path) -> None:
    write_report(Decider(["a", "b"], "ucb", "bernoulli"), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "Not safe to stop: there are no rewards yet." in page
    assert "<figure" not in page


def test_the_figure_shows_the_largest_means_and_no_endless_interval() -> None:
    pulls = np.array([1.0, *[200.0] * 38, 0.0])
    means = np.array([9.0, *np.linspace(1.0, 2.0, 38), 0.0])
    found = summarise(range(40), Exponential(), pulls, pulls * means)
    record = arm_intervals(found)
    assert record.names[:2] == ("0", "38")
    assert len(record.names) == 30
    assert record.title.endswith("; 10 more arms below")
    assert np.isinf(record.high[0])
    left, right = draw_arm_intervals(record).axes[0].get_xlim()
    assert left < record.low.min() < record.mean[0] < right < 30.0
