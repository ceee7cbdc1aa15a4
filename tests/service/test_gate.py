"""Requests that web pages of other sites make a browser send: none of them is carried out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from http_cases import worker

from rbmle.service.app import OPERATIONS
from rbmle.service.gate import OTHER_HOST, OTHER_SITE, PROXY, Gate
from rbmle.service.keys import create_key
from rbmle.service.storage import open_storage

HERE = {"host": "127.0.0.1:8000"}


def refuses(
    headers: dict[str, str],
    allowed: tuple[str, ...] = (),
    keyless: bool = True,
    writes: bool = True,
    **scope: Any,
) -> str:
    made = {name.encode(): value.encode() for name, value in headers.items()}
    asked = {"method": "POST", "path": "/v1/batch", **scope}
    return Gate(allowed).refuses(asked, made, keyless, writes)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:80", "localhost:8000", "[::1]:8000"])
def test_a_program_on_this_machine_is_answered(host: str) -> None:
    assert refuses({"host": host}) == ""
    assert (
        refuses({"host": host.upper(), "content-type": "application/x-www-form-urlencoded"}) == ""
    )


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("keyless", [True, False])
def test_a_page_of_another_site_is_refused_whatever_it_asks(site: str, keyless: bool) -> None:
    sent = {**HERE, "sec-fetch-site": site}
    assert refuses(sent, keyless=keyless) == OTHER_SITE
    assert refuses(sent, method="GET", writes=False, keyless=keyless) == OTHER_SITE
    navigating = {**sent, "sec-fetch-mode": "navigate"}
    assert refuses(navigating, keyless=keyless) == OTHER_SITE  # a form that is posted
    got = {"method": "GET", "writes": False, "keyless": keyless}
    assert refuses(navigating, path="/v1/experiments", **got) == OTHER_SITE
    assert refuses(navigating, path="/", **got) == ""  # a link to the page
    assert refuses(sent, path="/", **got) == OTHER_SITE


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_the_page_itself_is_answered(site: str) -> None:
    assert refuses({**HERE, "sec-fetch-site": site, "origin": "http://127.0.0.1:8000"}) == ""


@pytest.mark.parametrize(
    ("origin", "host", "told"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1:8000", ""),
        ("http://localhost", "localhost:80", ""),
        ("https://example.org", "example.org", ""),
        ("https://example.org", "example.org:443", ""),
        ("http://127.0.0.1:9000", "127.0.0.1:8000", OTHER_SITE),
        ("http://localhost:8000", "127.0.0.1:8000", OTHER_SITE),
        ("http://evil.example", "127.0.0.1:8000", OTHER_SITE),
        ("https://example.org:8443", "example.org:443", OTHER_SITE),
        ("null", "127.0.0.1:8000", OTHER_SITE),
        ("null", "null", OTHER_SITE),
        ("", "", OTHER_SITE),
        ("http://", "", OTHER_SITE),
    ],
)
def test_an_origin_must_be_the_host(origin: str, host: str, told: str) -> None:
    assert refuses({"host": host, "origin": origin}, keyless=False) == told


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example",
     "0.0.0.0:8000", "10.0.0.1", "[::2]:8000", "[::1", "127.0.0.1:8000@evil", "127.0.0.1:x", ""],
)  # fmt: skip
def test_without_a_key_a_foreign_host_is_refused(host: str) -> None:
    for writes in (True, False):
        assert refuses({"host": host}, writes=writes) == OTHER_HOST
    assert refuses({}) == OTHER_HOST
    assert refuses({"host": host}, keyless=False) == ""


def test_hosts_that_are_named_are_answered() -> None:
    for keyless in (True, False):
        for name in ("Shop.Internal", "shop.internal:8132"):
            named = {"allowed": (name,), "keyless": keyless}
            assert refuses({"host": "shop.internal:8000"}, **named) == ""
            assert refuses(HERE, **named) == ""
            assert refuses({"host": "evil.example"}, **named) == OTHER_HOST
    assert refuses({"host": "[::2]:8000"}, ("::2",)) == ""


@pytest.mark.parametrize(
    "header", ["forwarded", "via", "x-real-ip", "x-forwarded-for", "x-forwarded-client-cert"]
)
def test_without_a_key_nothing_is_written_through_a_proxy(header: str) -> None:
    sent = {**HERE, header: "203.0.113.7"}
    assert refuses(sent) == PROXY
    assert refuses(sent, writes=False) == ""
    assert refuses(sent, keyless=False) == ""


@pytest.mark.slow
def test_an_attack_changes_nothing(tmp_path: Path) -> None:
    """Each operation that writes, as another site's page, a rebound name and a proxy send it."""
    url = f"sqlite:///{tmp_path}/rbmle.db"
    writing = [each for each in OPERATIONS if each.role not in ("", "read")]
    assert len(writing) == 8
    attacks = [
        [(b"sec-fetch-site", b"cross-site"), (b"sec-fetch-mode", b"no-cors")],
        [(b"origin", b"http://evil.example")],
        [(b"host", b"evil.example:8000")],
        [(b"x-forwarded-for", b"203.0.113.7")],
    ]
    with worker(url) as ours:
        ours.create("x")
        ours.decide("x", "visit")
        before = ours.call("GET", "/v1/experiments/x/events").content
        for ours.headers in attacks:
            for each in writing:
                path = each.path.format(name="x", id="visit", arm="a")
                told = ours.call(each.method, path, {"value": 1, "k": 1, "name": "c"})
                assert (told.status, told.data["error"][-1]) == (403, "."), path
        ours.headers = attacks[0]
        assert ours.call("GET", "/healthz").status == 403
        ours.headers = []
        assert ours.call("GET", "/v1/experiments/x/events").content == before
        storage = open_storage(url)  # with a key, any host and any proxy is answered
        key = create_key(storage, "write")
        storage.close()
        for ours.headers in attacks[2:]:
            assert ours.decide("x", key=key).status == 200
        for ours.headers in attacks[:2]:
            assert ours.decide("x", key=key).status == 403
