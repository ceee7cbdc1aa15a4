"""The report: a self-contained page that says what it was given."""

import html
import json
import re
from collections import Counter
from html.parser import HTMLParser

import numpy as np
import pytest

from rbmle import RBMLE, UCB, Bernoulli, BetaBias, ParameterError, Problem, simulate
from rbmle._io.text import number_text
from rbmle.figures import final_regret, regret_curves, styles
from rbmle.figures.canvas import inline
from rbmle.paper.reproduction import MARKS, VERDICTS
from rbmle.reports.content import Report, ReportTable, Section, TableCell
from rbmle.reports.report_page import chart_of, provenance_rows, render, write_page
from rbmle.reports.sections import in_words, section_of


class Page(HTMLParser):
    """Ids, references, addresses and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.references, self.addresses = Counter(), Counter(), set(), set()
        self.said = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags[tag] += 1
        for key, value in attributes:
            if key == "id":
                self.ids[value] += 1
            if key in ("src", "href", "xlink:href", "action", "data"):
                self.addresses.add(value)
            self.references |= set(re.findall(r"url\(#([^)]+)\)", value or ""))

    def handle_data(self, data):
        self.said.append(data)


def test_the_page_holds_what_it_was_given(report):
    page = Page(render(report))
    said = "".join(page.said)
    for text in (report.title, report.command, *report.summary, "Three arms", "Provenance"):
        assert text in said
    assert "Of 3 compared cells" in said
    assert page.tags["figure"] == 7
    assert page.tags["table"] == 1 + 2 * 4


def test_nothing_is_taken_from_the_text_as_markup(report):
    page = Page(render(report))
    assert page.tags["script"] == 1
    assert page.tags["b"] == 0


def test_the_page_needs_nothing_else(report):
    text = render(report)
    page = Page(text)
    assert all(each.startswith(("#", "data:")) for each in page.addresses)
    assert "@import" not in text
    assert set(re.findall(r"https?://[^\s\"'<]*", text)) <= {"http://www.w3.org/2000/svg"}


def test_ids_are_unique_and_references_lead_somewhere(report):
    page = Page(render(report))
    assert max(page.ids.values()) == 1
    inner = {each[1:] for each in page.addresses if each.startswith("#")}
    assert page.references | inner <= set(page.ids)
    assert page.references


def test_the_same_report_is_the_same_bytes(report, tmp_path):
    write_page(tmp_path / "a.html", report)
    write_page(tmp_path / "b.html", report)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.html", "b.html"]


def test_a_section_shows_the_statistics_and_the_best_of_each(result):
    section = section_of(result, "Title")
    assert section.policies == result.names
    assert len(section.figures) == 3
    assert section.table.columns[:4] == ("policy", "mean", "s.e.", "std")
    assert "ddof 1; std: the standard deviation with ddof 0" in section.table.caption
    cells = [[row[1], *row[3:]] for row in section.table.cells()]
    values = np.array([[cell.value for cell in row] for row in cells])
    np.testing.assert_allclose(values, result.statistics())
    errors = [row[2].value for row in section.table.cells()]
    np.testing.assert_allclose(errors, result.standard_errors())
    best = np.array([[cell.best for cell in row] for row in cells])
    assert (best == (values == values.min(axis=0))).all()


def test_a_section_says_what_was_played(result):
    section = section_of(result, "Title")
    assert section.facts == {
        "Rewards": "Bernoulli()",
        "Arms": "3",
        "Means": "0.3, 0.5, 0.7",
        "Rounds T": "200",
        "Replications": "8",
        "Seed": "0 (RewardStream)",
    }
    played, differences, pulls = section.more
    assert [row[1].text for row in played.cells()] == [str(each) for each in result.policies]
    assert {row[2].text for row in played.cells()} == {"Bernoulli()"}
    pairs = result.comparisons()
    assert [row[1].value for row in differences.cells()] == [each.difference for each in pairs]
    assert [row[1].best for row in differences.cells()] == [each.clear for each in pairs]
    assert [row[3].value for row in differences.cells()] == [each.high for each in pairs]
    assert pulls.columns == ("policy", "arm 3: 0.7", "arm 2: 0.5", "arm 1: 0.3")
    for place, row in enumerate(pulls.cells()):
        mean = result.pulls[place].mean(axis=0)
        assert [each.value for each in row[1:]] == list(mean[::-1])
        assert [each.best for each in row[1:]] == [True, False, False]


def test_many_arms_are_taken_together():
    problem = Problem(Bernoulli(), np.linspace(0.1, 0.9, 40))
    many = simulate(problem, [UCB()], 1500, 1)
    section = section_of(many, "Title")
    assert section.facts["Means"].endswith("and 16 more; the largest is 0.9")
    assert section.facts["Rounds T"] == "1,500"
    _, pulls = section.more  # one policy has no differences
    assert len(pulls.columns) == 13
    assert pulls.columns[-1] == "29 others"
    assert sum(each.value for each in pulls.cells()[0][1:]) == 1500.0


def test_one_replication_has_no_spread():
    alone = simulate(Problem(Bernoulli(), [0.3, 0.7]), {"a": UCB(), "b": RBMLE()}, 60, 1)
    text = render(Report("t", "c", (), [section_of(alone, "One")]))
    page = "".join(Page(text).said)
    assert "One replication has no spread: neither std nor s.e." in page
    assert "since one replication has no spread" in page
    assert "one replication, which has no spread" in page
    assert not re.search(r"\b(inf|nan)\b", page.partition('"use strict"')[0])


def test_provenance_is_short_however_many_processes_played():
    entry = {
        "id": "x", "rbmle": "0.1.0", "numpy": "2.0", "numba": "0.61", "python": "3.11",
        "platform": "Linux", "machine": "x86_64", "cpus": 2, "threads": 2, "played": 40,
        "started": "2026-01-01T00:00:00+00:00", "finished": None, "wall_seconds": 1.5,
        "cpu_seconds": 2.0,
    }  # fmt: skip
    last = {**entry, "finished": "2026-01-02T00:00:00+00:00"}
    rows = provenance_rows({"invocations": [*([entry] * 79), last], "note": {"a": 1}})
    assert rows == [
        ("versions", "rbmle 0.1.0, numpy 2.0, numba 0.61, python 3.11"),
        ("machine", "Linux, 2 processors"),
        (
            "played",
            "3,200 replications by 80 processes, 79 of them interrupted, 2026-01-01T00:00:00+00:00"
            " to 2026-01-02T00:00:00+00:00, 120.0 s on the clock, 160.0 s of processors",
        ),
        ("note", '{"a": 1}'),
    ]
    two = provenance_rows({"invocations": [entry, {**entry, "numpy": "2.1"}]})
    assert [key for key, _ in two] == ["versions", "machine", "played"] * 2
    assert provenance_rows({"invocations": []}) == []


def test_a_chart_has_the_numbers_and_styles_of_its_figure(result):
    curves = regret_curves(result)
    chart = chart_of(curves)
    for each, name, mean in zip(chart["series"], curves.names, curves.mean, strict=False):
        assert each["name"] == name
        np.testing.assert_allclose(each["y"], mean, rtol=1e-5)
        assert each["colour"] == styles(result.names)[name].colour
    boxes = chart_of(final_regret(result))["boxes"]
    for each in boxes:
        final = result.final_regret[result.names.index(each["name"])]
        assert each["q50"] == pytest.approx(np.median(final), rel=1e-5)
        assert each["colour"] == styles(result.names)[each["name"]].colour


def test_a_policy_has_one_style_in_the_whole_page(result):
    turned = simulate(result.problem, [RBMLE(BetaBias(0.25)), UCB(), RBMLE()], 200, 3)
    text = render(Report("t", "c", (), [section_of(result, "A"), section_of(turned, "B")]))
    found = {}
    for each in re.findall(r'data-chart="([^"]*)"', text):
        chart = json.loads(html.unescape(each))
        for line in (*chart.get("series", ()), *chart.get("boxes", ())):
            found.setdefault(line["policy"], set()).add(line["colour"])
    assert set(found) == {*result.names, ""}
    assert all(len(colours) == 1 for colours in found.values())
    drawn = re.findall(r'<line x1="1" y1="4" x2="27" y2="4" stroke="(#\w+)"', text)
    assert set(drawn) == {colour for name in result.names for colour in found[name]}


def test_the_page_tells_of_its_file_and_its_study():
    text = render(Report("t", "rbmle report run", file="run/study.json", study='name = "<x>"'))
    said = "".join(Page(text).said)
    assert "Made of run/study.json by" in said
    assert 'name = "<x>"' in said


def test_words_say_who_won_and_how_clearly(result):
    mean = result.final_regret.mean(axis=1)
    words = in_words(result)
    assert words.startswith(f"{result.names[mean.argmin()]} has the least mean regret")
    assert "standard error" in words
    alone = simulate(result.problem, [UCB()], 50, 1)
    same = simulate(Problem(Bernoulli(), [0.5, 0.5]), [UCB(), RBMLE()], 1000, 2)
    assert in_words(same) == (
        "UCB has the least mean regret, 0 after 1,000 rounds; RBMLE has the same in every "
        "replication."
    )
    regret = number_text(alone.final_regret[0, 0])
    assert in_words(alone) == f"UCB has mean regret {regret} after 50 rounds."


def test_every_verdict_has_its_mark_and_is_counted():
    assert list(MARKS) == list(VERDICTS)
    assert len(set(MARKS.values())) == len(MARKS)
    cells = [TableCell("1.0", 1.0, verdict) for verdict in VERDICTS]
    table = ReportTable(list("abcd"), [cells, [*cells[:3], "1.0"]])
    assert table.counts() == {"equal": 2, "misprint": 2, "agrees": 2, "differs": 1}
    said = "".join(Page(render(Report("t", "c", (), [Section("s", table=table)]))).said)
    assert all(f"{MARKS[each]} 2 {VERDICTS[each]}" in said for each in list(VERDICTS)[:3])


def test_tables_are_checked():
    with pytest.raises(ParameterError, match=r"'rows' must be of 2 cells each\. Got 1\."):
        ReportTable(["a", "b"], [["x"]]).cells()
    with pytest.raises(ParameterError, match=r"Did you mean 'equal'\?"):
        ReportTable(["a"], [[TableCell("x", verdict="equals")]]).cells()
    with pytest.raises(ParameterError, match="a figure or SVG text"):
        inline("no drawing", "a-", "label")


def test_a_drawing_of_the_callers_loses_its_scripts():
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="4in" height="3in" onload="a()">'
        '<script>a()</script><path id="p" d="M 0 0" onclick="a()"/><use href="#p"/></svg>'
    )
    shown = inline(drawing, "x-", "label")
    assert "a()" not in shown
    assert 'id="x-p"' in shown
    assert 'href="#x-p"' in shown
    assert 'viewBox="0 0 4 3"' in shown
