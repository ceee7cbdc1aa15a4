"""The report: one page that needs nothing else, says what it was given and works in a browser."""

import json
import re
import shutil
from collections import Counter
from html.parser import HTMLParser

import numpy as np
import pytest

from rbmle import RBMLE, UCB, Bernoulli, ParameterError, Problem, simulate
from rbmle.figures import draw_time_against_arms, time_against_arms
from rbmle.figures.inline import inline
from rbmle.report.page import (
    MARKS,
    VERDICTS,
    Plot,
    Report,
    ReportTable,
    Section,
    TableCell,
    in_words,
    render,
    section_of,
    write_report,
)

EVIL = "</script><script>alert(1)</script>\"'&<b>$\\frac"


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


@pytest.fixture(scope="module")
def result():
    problem = Problem(Bernoulli(), [0.3, 0.5, 0.7])
    return simulate(problem, [UCB(), RBMLE(), RBMLE(2.0)], 200, 8)


@pytest.fixture(scope="module")
def report(result):
    rows = [
        [TableCell("UCB"), TableCell("10.5", 10.5, "equal", "published 10.5"), 9],
        [TableCell("KG"), TableCell("9.0", 9.0, "agrees", "published 8.5, z = 0.4"), 100],
        [TableCell(EVIL), TableCell("100.1", 100.1, "differs", f"published {EVIL}"), 20],
    ]
    lines = {"UCB": [1e-7, 2e-7], EVIL: [2e-7, 9e-7]}
    timing = draw_time_against_arms(time_against_arms([10, 30], lines))
    return Report(
        title=f"A study {EVIL}",
        command=f"rbmle run study.toml --policies {EVIL} {'long-word' * 30}",
        summary=["RBMLE has the least regret.", EVIL],
        sections=[
            Section("Compared", EVIL, ReportTable(["policy", "mean", "q10"], rows)),
            section_of(result, "Three arms"),
            section_of(result, "Three arms again", "Once more."),
            Section("Time", figures=[Plot(timing, f"Time {EVIL}")], policies=["UCB", EVIL]),
        ],
        provenance={"seed": 0, "platform": "any " + "x" * 300, "versions": {"numpy": EVIL}},
    )


def test_the_page_holds_what_it_was_given(report):
    page = Page(render(report))
    said = "".join(page.said)
    for text in (report.title, report.command, *report.summary, "Three arms", "Provenance"):
        assert text in said
    assert "Of 3 compared cells" in said
    assert page.tags["figure"] == 9
    assert page.tags["table"] == 3


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
    write_report(tmp_path / "a.html", report)
    write_report(tmp_path / "b.html", report)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.html", "b.html"]


def test_a_section_shows_the_statistics_and_the_best_of_each(result):
    section = section_of(result, "Title")
    assert section.policies == result.names
    assert len(section.figures) == 4
    values = np.array([[cell.value for cell in row[1:]] for row in section.table.cells()])
    np.testing.assert_allclose(values, result.statistics())
    best = np.array([[cell.best for cell in row[1:]] for row in section.table.cells()])
    assert (best == (values == values.min(axis=0))).all()


def test_words_say_who_won_and_how_clearly(result):
    mean = result.final_regret.mean(axis=1)
    words = in_words(result)
    assert words.startswith(f"{result.names[mean.argmin()]} has the least mean regret")
    assert "standard error" in words
    alone = simulate(result.problem, [UCB()], 50, 1)
    assert in_words(alone) == f"UCB has the least mean regret, {alone.final_regret[0, 0]:.1f} " + (
        "after 50 rounds."
    )


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


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    profile = tmp_path_factory.mktemp("profile")
    for flag in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--disable-dev-shm-usage", f"--user-data-dir={profile}",
    ):  # fmt: skip
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    service = webdriver.ChromeService(shutil.which("chromedriver") or "chromedriver")
    driver = webdriver.Chrome(options=options, service=service)
    yield driver
    driver.quit()


@pytest.fixture
def opened(browser, report, tmp_path):
    path = tmp_path / "report.html"
    write_report(path, report)
    browser.set_window_size(1280, 900)
    browser.get("about:blank")
    browser.get_log("performance")  # what the browser asked for before is not the page's doing
    browser.get(path.as_uri())
    return browser


def column(driver, number):
    script = "return [...document.querySelector('table').tBodies[0].rows].map(r => r.cells[%d]%s)"
    return driver.execute_script(script % (number, ".textContent.trim()"))


@pytest.mark.browser
def test_it_opens_without_errors_or_requests(opened):
    assert opened.get_log("browser") == []
    messages = [json.loads(each["message"])["message"] for each in opened.get_log("performance")]
    asked = {
        each["params"]["request"]["url"]
        for each in messages
        if each["method"] == "Network.requestWillBeSent"
    }
    assert asked
    assert all(each.startswith(("file:", "data:")) for each in asked), asked
    resources = "return performance.getEntriesByType('resource').map(e => e.name)"
    assert all(each.startswith("data:") for each in opened.execute_script(resources))


@pytest.mark.browser
def test_a_table_sorts_by_click_and_by_key(opened):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    heads = opened.find_elements(By.CSS_SELECTOR, "table:first-of-type thead th")[:3]
    buttons = [each.find_element(By.TAG_NAME, "button") for each in heads]
    buttons[1].click()
    assert [each.split()[0] for each in column(opened, 1)] == ["9.0", "10.5", "100.1"]
    assert [each.get_attribute("aria-sort") for each in heads] == ["none", "ascending", "none"]
    buttons[1].send_keys(Keys.ENTER)
    assert [each.split()[0] for each in column(opened, 1)] == ["100.1", "10.5", "9.0"]
    assert heads[1].get_attribute("aria-sort") == "descending"
    buttons[2].click()
    assert column(opened, 2) == ["9", "20", "100"]
    assert [each.get_attribute("aria-sort") for each in heads] == ["none", "none", "ascending"]
    opened.find_element(By.CSS_SELECTOR, "td.agrees").click()
    note = opened.find_element(By.CSS_SELECTOR, ".note")
    assert note.text == "KG: published 8.5, z = 0.4"


@pytest.mark.browser
def test_a_policy_is_hidden_and_shown_in_its_section_only(opened):
    from selenium.webdriver.common.by import By

    sections = opened.find_elements(By.CSS_SELECTOR, "section")

    def shown(section, name):
        parts = section.find_elements(By.CSS_SELECTOR, "[data-policy]")
        mine = [each for each in parts if each.get_attribute("data-policy") == name]
        assert mine
        return {each.value_of_css_property("display") != "none" for each in mine}

    box = sections[1].find_element(By.CSS_SELECTOR, "input[value=UCB]")
    box.click()
    assert shown(sections[1], "UCB") == {False}
    assert shown(sections[2], "UCB") == {True}
    rbmle = sections[1].find_elements(By.TAG_NAME, "input")[1].get_attribute("value")
    assert shown(sections[1], rbmle) == {True}
    box.click()
    assert shown(sections[1], "UCB") == {True}
    evil = sections[3].find_elements(By.TAG_NAME, "input")[1]
    evil.click()
    assert shown(sections[3], EVIL) == {False}
    sections[3].find_element(By.CSS_SELECTOR, "button[value=none]").click()
    assert shown(sections[3], "UCB") == {False}
    sections[3].find_element(By.CSS_SELECTOR, "button[value=all]").click()
    assert shown(sections[3], EVIL) == shown(sections[3], "UCB") == {True}


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_is_never_wider_than_the_screen(opened, width):
    metrics = {"width": width, "height": 844, "deviceScaleFactor": 2, "mobile": width < 500}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    assert opened.execute_script("return window.innerWidth") == width
    widths = "const page = document.documentElement; return [page.scrollWidth, page.clientWidth]"
    needed, given = opened.execute_script(widths)
    assert needed <= given <= width
    opened.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_the_page(opened, scheme):
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    read = (
        "const of = (q, p) => getComputedStyle(document.querySelector(q))[p];"
        "return [of('body', 'backgroundColor'), of('body', 'color'), of('figure text', 'fill')]"
    )
    colours = opened.execute_script(read)
    light = [np.mean([int(x) for x in re.findall(r"\d+", each)[:3]]) for each in colours]
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert (light[0] > 200) == (scheme == "light")
    assert all(abs(each - light[0]) > 150 for each in light[1:])
