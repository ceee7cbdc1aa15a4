"""Callers who send too much, too slowly, or nothing at all: others are answered as before."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from attacked import HEAD, Attacked, answer_of, attacked
from evidence_cases import interpret

from rbmle.service import connections
from rbmle.service.app import _PAGE, _page_file
from rbmle.service.callers import Edge

pytestmark = pytest.mark.slow

BODY = {"arms": ["a", "b"], "policy": "ucb", "family": "bernoulli"}
PUT = f"PUT /v1/experiments/x HTTP/1.1\r\n{HEAD}"


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Attacked]:
    interpret(monkeypatch)
    with attacked(f"sqlite:///{tmp_path}/rbmle.db", Edge(max_connections=20)) as made:
        yield made


def flood(made: Any, piece: bytes, most: int) -> int:
    """Send a piece again and again until the connection is cut; how many bytes that took."""
    sent = 0
    try:
        while sent < most:
            made.sendall(piece)
            sent += len(piece)
    except OSError:
        pass
    return sent


@pytest.mark.parametrize(
    ("begin", "piece"),
    [
        ("GET / HTTP/1.1\r\nX: ", b"x" * 65536),  # one header that does not end
        ("GET /", b"x" * 65536),  # an address that does not
        ("GET / HTTP/1.1\r\n", b"A: b\r\n" * 10_000),  # headers without end
        ("\r\n", b"\r\n" * 30_000),  # nothing, for ever
        (f"{PUT}Transfer-Encoding: chunked\r\n\r\n0\r\nX: ", b"x" * 65536),  # a trailer
        (f"{PUT}Transfer-Encoding: chunked\r\n\r\n1;", b"x" * 65536),  # a chunk's extension
    ],
)
def test_what_has_no_end_is_cut(ours: Attacked, begin: str, piece: bytes) -> None:
    with ours.connect(begin) as made:
        assert flood(made, piece, 100 << 20) < 20 << 20  # what the system's buffers hold
    assert ours.healthy()


@pytest.mark.parametrize("headers", ["A: b\r\n" * 101, f"A: {'x' * 40_000}\r\n"])
def test_a_head_that_is_too_large_is_a_431(ours: Attacked, headers: str) -> None:
    status, told = ours.ask("GET", "/healthz", head=HEAD + headers)
    assert (status, list(told)) == (431, ["error"])
    assert ours.ask("GET", "/healthz", head=HEAD + "A: b\r\n" * 90)[0] == 200
    assert ours.ask("GET", "/healthz", head=f"{HEAD}A: {'x' * 30_000}\r\n")[0] == 200


def test_what_is_no_http_is_a_400_of_ours(ours: Attacked) -> None:
    for sent in ("nonsense\r\n\r\n", f"GET http://[::1/ HTTP/1.1\r\n{HEAD}\r\n"):
        with ours.connect(sent) as made:
            assert answer_of(made) == (400, {"error": "The request cannot be read as HTTP."})
    hosts = f"{HEAD}host: b\r\n"  # a proxy may read one and the service the other
    assert ours.ask("GET", "/healthz", head=hosts) == (400, {"error": "A request names one Host."})


H2C = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"


@pytest.mark.parametrize("pieces", ["one", "two", "bytes"])
@pytest.mark.parametrize("length", ["stated", "chunked"])
def test_a_caller_who_asks_for_another_protocol_is_answered_in_this_one(
    ours: Attacked, pieces: str, length: str
) -> None:
    """As Java's client and `curl --http2` ask; the body and the next request are read too."""
    body = json.dumps({**BODY, "arms": ["a", "b", "c"]})
    framed = f"Content-Length: {len(body)}\r\n\r\n{body}"
    if length == "chunked":
        framed = f"Transfer-Encoding: chunked\r\n\r\n{len(body):x}\r\n{body}\r\n0\r\n\r\n"
    first = f"{PUT}{H2C}{framed}".encode()
    last = f"GET /v1/experiments/x HTTP/1.1\r\n{HEAD}Connection: close\r\n\r\n".encode()
    sent = {"one": [first + last], "two": [first[:-5], first[-5:] + last]}
    with ours.connect() as made:
        for piece in sent.get(pieces) or [first[n : n + 1] for n in range(len(first))] + [last]:
            made.sendall(piece)
            time.sleep(0.01 if pieces == "two" else 0.0)
        read = b""
        while part := made.recv(65536):
            read += part
    assert [each[:3] for each in read.split(b"HTTP/1.1 ")[1:]] == [b"201", b"200"]
    arms = json.loads(read.rpartition(b"\r\n\r\n")[2])["arms"]
    assert [each["name"] for each in arms] == ["a", "b", "c"]


def test_a_tunnel_is_refused(ours: Attacked) -> None:
    with ours.connect(f"CONNECT example.org:443 HTTP/1.1\r\n{HEAD}\r\n") as made:
        assert answer_of(made)[0] == 400
    assert ours.healthy()


def test_no_caller_fills_the_log(ours: Attacked, caplog: pytest.LogCaptureFixture) -> None:
    """Each attack is logged in one line in ten seconds, however often it comes."""
    web_socket = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
    for _ in range(20):
        assert ours.ask("GET", "/healthz", head=HEAD + "A: b\r\n" * 101)[0] == 431
        assert ours.ask("GET", "/healthz", head=HEAD + web_socket)[0] == 200
        with ours.connect("nonsense\r\n\r\n") as made:
            assert answer_of(made)[0] == 400
    assert {each[:16] for each in caplog.messages} == {"431 to 127.0.0.1", "400 to 127.0.0.1"}
    assert len(caplog.messages) < 10


def test_large_bodies_and_many_requests_on_one_connection_are_read(ours: Attacked) -> None:
    """The limits are of each request: what came before on a connection does not count."""
    arms = [f"{number:0200}" for number in range(5_000)]  # 1 MB
    assert ours.ask("PUT", "/v1/experiments/x", {**BODY, "arms": arms})[0] == 201
    one = f"GET /healthz HTTP/1.1\r\n{HEAD}X: {'y' * 1_000}\r\n\r\n"
    with ours.connect() as made:
        for count in [1] * 200 + [200]:  # one after the other, and in one piece
            made.sendall((one * count).encode())
            read = b""
            while read.count(b'{"status":"ok"}') < count:
                part = made.recv(65536)
                assert part
                read += part
            assert read.count(b"HTTP/1.1 200") == count


def test_idle_connections_make_room(ours: Attacked) -> None:
    """Fifty that say nothing, half a request or have been answered, where twenty may be."""
    sent = [
        "",
        "GET /hea",
        f"{PUT}Content-Length: 10\r\n\r\n{{",
        f"GET /healthz HTTP/1.1\r\n{HEAD}\r\n",
    ]
    made = [ours.connect(sent[number % 4]) for number in range(50)]
    begin = time.monotonic()
    for _ in range(5):
        assert ours.healthy()
    assert time.monotonic() - begin < 5.0
    assert len(ours.server.server_state.connections) <= 21
    for each in made:
        each.close()


def test_where_all_are_busy_a_new_one_is_a_503(
    ours: Attacked, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = threading.Event()
    monkeypatch.setattr("rbmle.service.app.Ledger.try_to_write", lambda _: free.wait(30.0) and [])
    busy = [ours.connect(f"GET /readyz HTTP/1.1\r\n{HEAD}\r\n") for _ in range(20)]
    time.sleep(0.5)
    told = ours.ask("GET", "/healthz")
    free.set()
    assert told == (503, {"error": "The service has too many connections; try again."})
    for each in busy:
        assert each.recv(65536).startswith(b"HTTP/1.1 200")
        each.close()


def test_callers_who_read_slowly_make_room(
    ours: Attacked, caplog: pytest.LogCaptureFixture
) -> None:
    """Each asks for more than the system's buffers hold, again and again, and reads a little."""
    asked = f"GET /openapi.json HTTP/1.1\r\n{HEAD}\r\n" * 250  # 10 MB
    slow = [ours.connect(asked) for _ in range(20)]
    while sum(each.flow.write_paused for each in [*ours.server.server_state.connections]) < 20:
        time.sleep(0.1)
    for _ in range(5):
        for each in slow:
            with suppress(ConnectionError):
                each.recv(10_000)
        assert ours.healthy()
    for each in slow:
        each.close()
    assert "Traceback" not in caplog.text


def test_addresses_of_no_file_are_not_remembered(ours: Attacked) -> None:
    for number in range(5):
        assert ours.ask("GET", f"/page/{number}{'x' * 30_000}")[0] == 404
    assert _page_file.cache_info().currsize <= len(_PAGE)


def test_requests_that_come_at_once_are_answered_in_order(ours: Attacked) -> None:
    paths = ["/healthz", "/v1/experiments/none", "/nothing", "/healthz"]
    asked = [f"GET {path} HTTP/1.1\r\n{HEAD}" for path in paths]
    asked[1] = asked[1].replace("GET", "HEAD")
    told = b""
    with ours.connect("\r\n".join(asked) + "Connection: close\r\n\r\n") as made:
        while part := made.recv(65536):
            told += part
    heads = [each.partition(b"\r\n")[0] for each in told.split(b"HTTP/1.1 ")[1:]]
    assert heads == [b"200 OK", b"404 Not Found", b"404 Not Found", b"200 OK"]
    assert told.count(b'{"error":') == 1  # that of HEAD has no body
    assert told.count(b"connection: close") == 1


def test_no_caller_fills_the_memory_with_requests(ours: Attacked) -> None:
    """A short one takes a hundred times the memory of its bytes."""
    read = b""
    with suppress(ConnectionError), ours.connect() as made:
        made.sendall(b"GET / HTTP/1.1\r\n\r\n" * 14_000)
        made.settimeout(10.0)
        while part := made.recv(65536):
            read += part
    assert read.count(b"HTTP/1.1 ") <= 250
    assert ours.healthy()


def test_who_is_cut_is_told_nothing_before_another_answer(
    ours: Attacked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be taken for the answer to the request before, which may be carried out."""
    free = threading.Event()
    monkeypatch.setattr("rbmle.service.app.Ledger.try_to_write", lambda _: free.wait(30.0) and [])
    first = f"GET /readyz HTTP/1.1\r\n{HEAD}\r\n"
    for then in ("A: b\r\n" * 101 + "\r\n", "nonsense\r\n\r\n"):
        with ours.connect(f"{first}GET /healthz HTTP/1.1\r\n{HEAD}{then}") as made:
            assert answer_of(made) == (0, None)
    free.set()


class TestTimeouts:
    @pytest.fixture(autouse=True)
    def short(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(connections, "_FIRST_BYTE_SECONDS", 0.5)
        monkeypatch.setattr(connections, "_REQUEST_SECONDS", 0.5)
        monkeypatch.setattr(connections, "_WRITE_SECONDS", 0.5)

    def test_a_connection_that_says_nothing_is_closed(self, ours: Attacked) -> None:
        with ours.connect() as made:
            assert made.recv(100) == b""

    def test_a_connection_that_is_idle_after_an_answer_is_closed(
        self, ours: Attacked, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(ours.server.config, "timeout_keep_alive", 1)
        with ours.connect() as made:
            for pause in (0.0, 0.4, 0.4, 0.4):  # each answer gives it another second
                time.sleep(pause)
                made.sendall(f"GET /healthz HTTP/1.1\r\n{HEAD}\r\n".encode())
                assert made.recv(65536).startswith(b"HTTP/1.1 200")
            began = time.monotonic()
            assert made.recv(100) == b""
            assert 0.9 < time.monotonic() - began < 10.0

    def test_half_a_request_behind_an_answer_is_closed(
        self, ours: Attacked, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It came while the request before it was under way, and nothing follows."""
        free = threading.Event()
        waits = "rbmle.service.app.Ledger.try_to_write"
        monkeypatch.setattr(waits, lambda _: free.wait(30.0) and [])
        monkeypatch.setattr(ours.server.config, "timeout_keep_alive", 1)
        with ours.connect(f"GET /readyz HTTP/1.1\r\n{HEAD}\r\n") as made:
            made.settimeout(10.0)
            time.sleep(0.2)
            made.sendall(b"GET /hea")
            time.sleep(0.2)
            free.set()
            assert made.recv(65536).startswith(b"HTTP/1.1 200")
            assert made.recv(100) == b""

    @pytest.mark.parametrize(
        ("begin", "piece"),
        [
            ("GET /healthz HTTP/1.1\r\n", b"a"),
            (f"{PUT}Content-Length: 1000\r\n\r\n", b" "),
            (f"{PUT}Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
            ("\r\n", b"\r\n"),
        ],
        ids=["head", "body", "chunks", "nothing"],
    )
    def test_a_request_that_trickles_is_cut(self, ours: Attacked, begin: str, piece: bytes) -> None:
        with ours.connect(begin) as made:
            made.settimeout(0.05)
            began, read = time.monotonic(), None
            while read is None and time.monotonic() - began < 10.0:
                try:
                    read = made.recv(65536)
                except TimeoutError:
                    made.sendall(piece)
                except ConnectionError:
                    read = b""
            assert time.monotonic() - began < 5.0
        assert read == b"" or (read or b"").startswith(b"HTTP/1.1 408")
        assert ours.healthy()
        assert ours.ask("GET", "/v1/experiments/x")[0] == 404

    @pytest.mark.parametrize("sent", [0, (4 << 20) + 1])
    def test_a_request_is_answered_once_though_its_body_goes_on(
        self, ours: Attacked, sent: int
    ) -> None:
        begin = PUT if sent else PUT.replace("PUT", "DELETE")
        with ours.connect(f"{begin}Content-Length: {5 << 20}\r\n\r\n" + " " * sent) as made:
            assert answer_of(made)[0] == (413 if sent else 405)  # and nothing else

    def test_a_caller_who_does_not_read_is_cut(self, ours: Attacked) -> None:
        assert ours.ask("PUT", "/v1/experiments/x", BODY)[0] == 201
        batch = {"items": [{"decision": {"experiment": "x"}}] * 1_000}
        for _ in range(10):
            assert ours.ask("POST", "/v1/batch", batch)[0] == 200
        asked = f"GET /v1/experiments/x/events HTTP/1.1\r\n{HEAD}\r\n"
        with ours.connect(asked * 100):  # some 80 MB, more than the system's buffers hold
            end = time.monotonic() + 30.0
            while ours.server.server_state.connections and time.monotonic() < end:
                time.sleep(0.1)
            assert not ours.server.server_state.connections
        assert ours.healthy()


def test_half_a_body_does_not_keep_it_from_stopping(tmp_path: Path) -> None:
    ours = Attacked(f"sqlite:///{tmp_path}/rbmle.db")
    half = [ours.connect(f"{PUT}Content-Length: 1000\r\n\r\n{{"), ours.connect("GET /")]
    assert ours.healthy()
    assert ours.stop() < 5.0  # before any of its timeouts
    for each in half:
        each.close()


@pytest.mark.parametrize(
    "policy",
    [
        f"ucb(alpha={'9' * 3_900_000})",
        "ucb(alpha=" * 2_000 + "1" + ")" * 2_000,
        "(" * 10_000,
        {"name": "UCB", "alpha": [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]},
        {"name": "x" * 3_900_000},
        {"name": "UCB", "alpha": "b" * 3_900_000},
    ],
    ids=["long", "deep", "parentheses", "lists", "name", "text"],
)
def test_a_definition_that_is_too_long_or_deep_is_a_sentence(ours: Attacked, policy: Any) -> None:
    begin = time.monotonic()
    status, told = ours.ask("PUT", "/v1/experiments/x", {**BODY, "policy": policy})
    assert status == 422
    assert "'policy' must be of at most 10000 characters, 16 levels deep" in told["error"]
    assert time.monotonic() - begin < 10.0
