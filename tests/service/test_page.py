"""The page in headless Chromium, with real traffic, at both widths, in light and dark."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_cases import EVIL, resize, wait_for
from served import Service

from rbmle.service.client import Client
from rbmle.service.keys import create_key
from rbmle.service.storage import open_storage

pytestmark = pytest.mark.browser


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with Service(f"sqlite:///{tmp_path}/rbmle.db", workers=1) as running:
        yield running


def decisions(driver: Any) -> int:
    text = wait_for(driver, "document.querySelector('#facts dd')?.textContent")
    return int(text.replace(",", ""))


def test_an_empty_service_says_what_to_type_next(browser: Any, service: Service) -> None:
    browser.get(service.address)
    said = wait_for(browser, "document.querySelector('#commands').textContent")
    assert f"curl {service.address}/v1/experiments/first" in said
    assert not browser.execute_script("return document.querySelector('#empty').hidden")


@pytest.fixture(scope="module")
def busy(tmp_path_factory: Any) -> Iterator[tuple[Service, Client]]:
    """A service with an experiment that has had traffic."""
    folder = tmp_path_factory.mktemp("busy")
    url = f"sqlite:///{folder}/rbmle.db"
    with Service(url, workers=1) as running, Client(running.address) as client:
        client.create(EVIL, ["a", EVIL, "c" * 100], "ucb", seed=1)
        for number in range(30):
            client.reward(client.decide(EVIL).id, float(number % 2))
        yield running, client


@pytest.mark.parametrize("width", [390, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_shows_traffic_and_keeps_up(
    browser: Any, busy: tuple[Service, Client], width: int, scheme: str
) -> None:
    service, client = busy
    resize(browser, width)
    asked = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", asked)
    made = client.decide(EVIL).t
    browser.get_log("performance")
    browser.get_log("browser")
    browser.get(service.address)
    assert decisions(browser) == made
    client.decide(EVIL)
    end = time.monotonic() + 10.0
    while decisions(browser) == made and time.monotonic() < end:
        time.sleep(0.1)
    assert decisions(browser) == made + 1  # without loading the page again
    rows = "[...document.querySelector('#arms').tBodies[0].rows].map(r => r.cells[0].textContent)"
    assert browser.execute_script(f"return {rows}") == ["a", EVIL, "c" * 100]
    assert browser.execute_script("return document.querySelectorAll('#traffic path').length") == 3
    assert browser.execute_script("return document.images.length") == 0
    wide = browser.execute_script("return document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(253, 253, 252)" if scheme == "light" else "rgb(23, 24, 26)")
    assert browser.get_log("browser") == []
    messages = [json.loads(each["message"])["message"] for each in browser.get_log("performance")]
    sent = [m["params"]["request"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert sent
    assert {each["method"] for each in sent} == {"GET"}
    assert [e["url"] for e in sent if not e["url"].startswith((service.address, "data:"))] == []


def test_it_shows_what_evidence_has_left(browser: Any, service: Service) -> None:
    heads = "[...document.querySelectorAll('#arms th')]"
    heads += ".filter(e => e.offsetParent).map(e => e.textContent)"
    x = {"a": [1.0, 0.0], "b": [0.6, 0.8]}
    with Client(service.address) as client:
        client.create("faded", ["a", "b"], "ucb", evidence="discounted(gamma=0.5)")
        client.create("features", ["a", "b"], "ucb", "gaussian", evidence="linear(dimension=2)")
        for number in range(12):
            client.reward(client.decide("faded").id, float(number % 2))
            client.reward(client.decide("features", context=x).id, 1.0)
    browser.get(f"{service.address}/#faded")
    browser.refresh()
    wait_for(
        browser, "document.querySelector('#what').textContent.includes('Discounted(gamma=0.5)')"
    )
    assert browser.execute_script(f"return {heads}")[:8] == [
        "arm", "mean", "95 % interval", "share", "P(best)", "pulls", "worth now", "pending",
    ]  # fmt: skip
    worth = "[...document.querySelectorAll('#arms td.worth')].map(e => Number(e.textContent))"
    assert sum(browser.execute_script(f"return {worth}")) == pytest.approx(2.0, abs=0.01)
    browser.execute_script("location.hash = 'features'")
    wait_for(browser, "document.querySelector('#what').textContent.includes('Linear(dimension=2')")
    shown = browser.execute_script(f"return {heads}")
    assert shown[:6] == ["arm", "mean", "95 % interval", "share", "pulls", "pending"]
    played = "document.querySelector('#last td').title"
    assert browser.execute_script(f"return {played}") in ("features: 1, 0", "features: 0.6, 0.8")
    assert browser.get_log("browser") == []


def test_it_asks_for_a_key_and_shows_nothing_without(browser: Any, service: Service) -> None:
    with Client(service.address) as client:
        client.create("secret", ["a", "b"], "ucb")
    storage = open_storage(service.url)
    key = create_key(storage, "read")
    storage.close()
    browser.get(service.address)
    wait_for(browser, "!document.querySelector('#ask').hidden")
    assert "secret" not in browser.execute_script("return document.body.textContent")
    browser.execute_script("document.querySelector('#key').value = arguments[0]", key)
    browser.execute_script("document.querySelector('#ask button').click()")
    assert wait_for(browser, "document.querySelector('#name').textContent") == "secret"
    browser.execute_script("sessionStorage.clear()")
