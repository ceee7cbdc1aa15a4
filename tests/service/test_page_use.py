"""The page in use: the last decisions, charts over time, many arms, narrow screens, buttons."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from page_cases import EVIL, press, resize, texts, type_in, wait_for
from served import Service

from rbmle.service.client import Client
from rbmle.service.keys import create_key
from rbmle.service.storage import open_storage

pytestmark = pytest.mark.browser

ITEMS = [f"item {number}" for number in range(1_000)]
LONG = ["w" * 200, "a name of many words " * 9, EVIL]


@pytest.fixture(scope="module")
def busy(tmp_path_factory: Any) -> Iterator[Service]:
    """Experiments that had batches, a thousand arms, and long names."""
    folder = tmp_path_factory.mktemp("busy")
    url = f"sqlite:///{folder}/rbmle.db"
    with Service(url, workers=1) as running, Client(running.address) as client:
        for name, arms in (("batch", ["a", "b"]), ("many", ITEMS), ("n" * 200, LONG)):
            client.create(name, arms, "ucb", seed=1)
            made = client.batch([{"decision": {"experiment": name}}] * 1_000)
            ids = [each["body"]["id"] for each in made]
            rewards = [float(number % 3 == 0) for number in range(1_000)]
            client.batch(
                {"reward": {"id": id, "value": value}}
                for id, value in zip(ids, rewards, strict=True)
            )
        yield running


def show(browser: Any, service: Service, name: str, width: int = 1280) -> None:
    resize(browser, width)
    browser.get("about:blank")
    browser.get(f"{service.address}/#{name}")
    wait_for(browser, f"document.querySelector('#name')?.textContent === '{name}'")


def test_the_last_decisions_are_shown_after_a_batch(browser: Any, busy: Service) -> None:
    """A thousand rewards came after the last decision."""
    lines = httpx.get(f"{busy.address}/v1/experiments/batch/events").text.splitlines()
    rows = [json.loads(line) for line in lines]
    made = [row["id"] for row in rows if row["kind"] == "decision"]
    show(browser, busy, "batch")
    assert texts(browser, "#last tbody th") == made[:-13:-1]
    paid = texts(browser, "#last td:nth-child(4)")
    assert [float(each) for each in paid] == [float(n % 3 == 0) for n in range(999, 987, -1)]


def test_charts_have_times_with_dates_and_add_up(browser: Any, busy: Service) -> None:
    show(browser, busy, "batch")
    assert browser.execute_script(OVERLAPPING) == []
    today = "new Date().toLocaleDateString(undefined, {day: 'numeric', month: 'short'})"
    for chart in ("#volume", "#means", "#cumulative", "#traffic"):
        said = texts(browser, f"{chart} svg text")
        assert any(":" in each for each in said), chart
        assert browser.execute_script(f"return {today}") in said, chart
    for width in ("minute", "hour", "day"):
        press(browser, f"#widths button:nth-child({['minute', 'hour', 'day'].index(width) + 1})")
        assert texts(browser, "#over-time .width") == [width] * 2
        told = texts(browser, "#volume .hover title")
        assert 1 <= len(told) <= 2  # midnight may be near
        assert "334 in all" in told[-1]
        assert browser.execute_script("return document.querySelectorAll('#means path').length") == 1


def test_a_thousand_arms_are_searched_and_sorted(browser: Any, busy: Service) -> None:
    show(browser, busy, "many")
    rows, names = "#arms tbody tr", "#arms tbody th"
    assert len(texts(browser, rows)) == 100
    press(browser, "#show-more")
    assert len(texts(browser, rows)) == 600
    heads = texts(browser, "#arms thead th")
    column = heads.index("P(best)") + 1
    press(browser, f"#arms thead th:nth-child({column}) button")
    with Client(busy.address) as client:
        arms = client.experiment("many")["arms"]
    best = sorted(arms, key=lambda arm: -arm["probability_best"])
    order = [each["name"] for each in best]
    assert texts(browser, names) == order[:600]
    assert texts(browser, "#arms th[aria-sort=descending]") == ["P(best)"]
    press(browser, f"#arms thead th:nth-child({column}) button")
    assert texts(browser, names)[0] == min(arms, key=lambda arm: arm["probability_best"])["name"]
    type_in(browser, "#search", "ITEM 77")
    assert sorted(texts(browser, names)) == sorted(["item 77", *(f"item 77{n}" for n in range(10))])
    assert "11 of 1,000 arms match." in texts(browser, "#more")[0]
    meaning = dict(zip(texts(browser, "#meanings dt"), texts(browser, "#meanings dd"), strict=True))
    assert {"95 % interval", "P(best)"} <= set(meaning)


CUT = """
return [...document.querySelectorAll('#one *')].filter((each) => {
  if (!each.getClientRects().length || each.closest('svg')) return false;
  const box = each.getBoundingClientRect();
  const style = getComputedStyle(each);
  const clipped = style.overflowX !== 'visible' && each.scrollWidth > each.clientWidth + 1;
  return clipped || box.right > innerWidth + 0.5 || box.left < -0.5;
}).map((each) => `${each.tagName}#${each.id} ${each.textContent.slice(0, 30)}`);
"""
OUTSIDE = """
return [...document.querySelectorAll('figure svg')].flatMap((svg) => {
  const frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter((each) => {
    const box = each.getBoundingClientRect();
    return box.left < frame.left - 0.5 || box.right > frame.right + 0.5;
  }).map((each) => each.textContent);
});
"""
OVERLAPPING = """
return [...document.querySelectorAll('figure svg')].flatMap((svg) => {
  const texts = [...svg.querySelectorAll('text')].map((e) => [e, e.getBoundingClientRect()]);
  const meet = ([one, a], [other, b]) =>
    one.getAttribute('y') === other.getAttribute('y') && a.left < b.right && b.left < a.right;
  return texts.filter((each, k) => texts.slice(k + 1).some((other) => meet(each, other)))
    .map(([each]) => each.textContent);
});
"""


@pytest.mark.parametrize("width", [320, 390])
@pytest.mark.parametrize("name", ["batch", "n" * 200, "many"])
def test_on_a_narrow_screen_nothing_is_cut(
    browser: Any, busy: Service, name: str, width: int
) -> None:
    show(browser, busy, name, width)
    assert browser.execute_script(CUT) == []
    assert browser.execute_script(OUTSIDE) == []
    assert browser.execute_script(OVERLAPPING) == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    cells = "[...document.querySelector('#arms').tBodies[0].rows[0].cells]"
    seen = f"{cells}.filter(e => e.getClientRects().length).map(e => e.dataset.label)"
    columns = {"arm", "mean", "95 % interval", "share", "P(best)", "pulls", "pending"}
    assert columns <= set(browser.execute_script(f"return {seen}"))


def test_a_bad_address_is_no_lost_service(browser: Any, busy: Service) -> None:
    for named, shown in (("%", "%"), ("%E0%A4%A", "%E0%A4%A"), ("nobody", "nobody")):
        browser.get("about:blank")
        browser.get(f"{busy.address}/#{named}")
        wait_for(browser, "!document.querySelector('#missing').hidden")
        assert texts(browser, "#missing") == [f"There is no experiment {shown!r}."]
        assert texts(browser, "#state")[0].startswith("as of")
        assert len(texts(browser, "#list a")) == 3


def test_the_log_is_exported(browser: Any, busy: Service, tmp_path: Path) -> None:
    allowed = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", allowed)
    show(browser, busy, "batch")
    press(browser, "#export")
    wait_for(browser, "document.querySelector('#done').textContent.includes('bytes')")
    saved, end = tmp_path / "batch.jsonl", time.monotonic() + 15.0
    while not saved.exists() and time.monotonic() < end:
        time.sleep(0.1)
    assert saved.read_bytes() == httpx.get(f"{busy.address}/v1/experiments/batch/events").content


@pytest.fixture
def far(browser: Any) -> Iterator[None]:
    """A service 200 ms away: what is shown too early is seen."""
    near = {"offline": False, "downloadThroughput": -1, "uploadThroughput": -1, "latency": 0}
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", {**near, "latency": 200})
    yield
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", near)


@pytest.mark.usefixtures("far")
def test_buttons_change_what_the_key_may(browser: Any, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/rbmle.db"
    storage = open_storage(url)
    admin, read = create_key(storage, "admin"), create_key(storage, "read")
    storage.close()
    with Service(url, workers=1) as service, Client(service.address, key=admin) as client:
        client.create("x", ["a", "b"], "ucb")
        browser.get(service.address)
        wait_for(browser, "!document.querySelector('#ask').hidden")
        for key, expected in ((read, "role admin; yours is read"), (admin, "b is paused.")):
            type_in(browser, "#key", key)
            press(browser, "#ask button")
            wait_for(browser, "document.querySelector('#arms tbody tr:nth-child(2) .act button')")
            press(browser, "#arms tbody tr:nth-child(2) .act button")
            wait_for(browser, f"document.querySelector('#done').textContent.includes('{expected}')")
            states = [arm["state"] for arm in client.experiment("x")["arms"]]
            assert states == ["active", "paused" if key == admin else "active"]
            assert texts(browser, "#arms tbody tr:nth-child(2) .act button") == [
                "resume" if key == admin else "pause"
            ]
        press(browser, "#arms tbody tr:nth-child(1) .act button")
        wait_for(browser, "document.querySelector('#done').className === 'bad'")
        assert "only active one" in texts(browser, "#done")[0]
        press(browser, "#end")
        press(browser, "#sure button[value=no]")
        assert not client.experiment("x")["ended"]
        press(browser, "#end")
        press(browser, "#yes")
        wait_for(browser, "document.querySelector('#end').hidden")
        assert client.experiment("x")["ended"]
        assert texts(browser, "#done, #list small, #name small") == [
            "0 decisions, ended", " ended", "x has ended.",
        ]  # fmt: skip
        assert texts(browser, ".act button:not([hidden])") == []
    browser.execute_script("sessionStorage.clear()")
