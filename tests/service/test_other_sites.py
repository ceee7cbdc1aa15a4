"""Chromium shows a page of another origin, which attacks the service: nothing changes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from attacked import Attacked, attacked
from evidence_cases import interpret
from page_cases import start_browser, wait_for

pytestmark = pytest.mark.browser

ATTACK = """
window.done = null;
const body = {arms: ['evil', 'worse'], policy: 'ucb', family: 'bernoulli'};
const post = (path, data) =>
  fetch(TARGET + path, {method: 'POST', mode: 'no-cors', body: JSON.stringify(data)});
Promise.allSettled([
  post('/v1/experiments/x/arms', {name: 'evil'}),
  post('/v1/batch', {items: [{decision: {experiment: 'x'}}]}),
  post('/v1/decisions/v/reward', {value: 1}),
  fetch(TARGET + '/v1/experiments/y', {method: 'PUT', body: JSON.stringify(body)}),
  fetch(TARGET + '/v1/experiments').then(read => read.text()),
]).then(told => {
  window.done = told.map(each => each.status + ' ' + (each.value && each.value.type));
});
"""


class Page(BaseHTTPRequestHandler):
    """An empty page of another origin."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>other</title>")

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def other() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: Any) -> Iterator[Any]:
    rebound = "--host-resolver-rules=MAP evil.example 127.0.0.1"  # what DNS rebinding does
    driver = start_browser(str(tmp_path_factory.mktemp("profile")), rebound)
    yield driver
    driver.quit()


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Attacked]:
    interpret(monkeypatch)
    with attacked(f"sqlite:///{tmp_path}/rbmle.db") as made:
        body = {"arms": ["a", "b"], "policy": "ucb", "family": "bernoulli"}
        assert made.ask("PUT", "/v1/experiments/x", body)[0] == 201
        assert made.ask("POST", "/v1/experiments/x/decisions", {"id": "v"})[0] == 200
        yield made


def rows(ours: Attacked) -> str:
    return httpx.get(f"http://127.0.0.1:{ours.port}/v1/experiments/x/events").text


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "evil.example"])
def test_a_page_of_another_origin_changes_nothing(
    browser: Any, ours: Attacked, other: int, host: str
) -> None:
    before = rows(ours)
    browser.get(f"http://{host}:{other}/")
    browser.execute_script(ATTACK.replace("TARGET", f"'http://127.0.0.1:{ours.port}'"))
    told = wait_for(browser, "window.done")
    assert told == ["fulfilled opaque"] * 3 + ["rejected undefined"] * 2
    assert rows(ours) == before
    assert ours.ask("GET", "/v1/experiments/y")[0] == 404


def test_a_name_that_was_pointed_at_this_machine_sees_and_changes_nothing(
    browser: Any, ours: Attacked
) -> None:
    """To the browser the page and the service have one origin: it would let the page read all."""
    before = rows(ours)
    browser.get(f"http://evil.example:{ours.port}/")
    assert "while there is no key" in browser.page_source
    browser.execute_script(ATTACK.replace("TARGET", "''"))
    wait_for(browser, "window.done")
    read = "window.read = null; fetch('/v1/experiments').then(r => r.text()).then(t => {read = t})"
    browser.execute_script(read)
    assert wait_for(browser, "window.read").startswith('{"error":')
    assert rows(ours) == before


def test_the_page_works_under_its_policy_and_in_no_frame(
    browser: Any, ours: Attacked, other: int
) -> None:
    browser.get_log("browser")
    browser.get(f"http://127.0.0.1:{ours.port}/#x")
    assert wait_for(browser, "document.querySelector('#facts dd')?.textContent") == "1"
    assert [each for each in browser.get_log("browser") if each["level"] == "SEVERE"] == []
    inline = "const s = document.createElement('script'); s.textContent = 'window.evil = 1';"
    browser.execute_script(f"{inline} document.body.append(s)")
    assert browser.execute_script("return window.evil") is None
    browser.get(f"http://localhost:{other}/")
    frame = (
        "const f = document.createElement('iframe'); f.src = arguments[0];"
        "f.onload = () => {window.loaded = 1}; document.body.append(f)"
    )
    browser.execute_script(frame, f"http://127.0.0.1:{ours.port}/")
    wait_for(browser, "window.loaded")
    logged = " ".join(each["message"] for each in browser.get_log("browser"))
    assert "frame-ancestors" in logged
