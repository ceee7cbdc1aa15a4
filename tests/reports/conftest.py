"""A result, its report with hostile text wherever text can stand, and a browser."""

import shutil

import pytest
from report_cases import EVIL

from rbmle import RBMLE, UCB, Bernoulli, BetaBias, Problem, simulate
from rbmle.figures import draw_time_against_arms, time_against_arms
from rbmle.reports.content import Plot, Report, ReportTable, Section, TableCell
from rbmle.reports.report_page import write_page
from rbmle.reports.sections import section_of


@pytest.fixture(scope="module")
def result():
    problem = Problem(Bernoulli(), [0.3, 0.5, 0.7])
    return simulate(problem, [UCB(), RBMLE(), RBMLE(BetaBias(0.25))], 200, 8)


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
            section_of(result, "Three arms again"),
            Section("Time", figures=[Plot(timing, f"Time {EVIL}")], policies=["UCB", EVIL]),
        ],
        provenance={"seed": 0, "platform": "any " + "x" * 300, "versions": {"numpy": EVIL}},
    )


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
    write_page(path, report)
    browser.set_window_size(1280, 900)
    browser.get("about:blank")
    browser.get_log("performance")  # what the browser asked for before is not the page's doing
    browser.get(path.as_uri())
    return browser
