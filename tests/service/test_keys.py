"""Keys in use: who wrote a row, when a key was used and when it ends, what wrong ones cost."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from http_cases import Worker, worker
from service_cases import clean, create

from rbmle.cli.main import run
from rbmle.service import keys as keys_module
from rbmle.service.keys import create_key, duration, list_keys, revoke_key
from rbmle.service.ledger import Ledger
from rbmle.service.storage import Storage, open_storage
from rbmle.service.transaction import Transaction

pytestmark = pytest.mark.slow


def waited(check: Any, seconds: float = 20.0) -> Any:
    end = time.monotonic() + seconds
    while not (found := check()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def test_each_row_says_which_key_wrote_it(url: str) -> None:
    with worker(url) as ours, closing(open_storage(url)) as storage:
        ours.create("x", reward_wait_s=0.2)
        ours.decide("x", "anyone")
        admin, write = create_key(storage, "admin"), create_key(storage, "write", name="shop")
        ours.create("y", key=admin)
        ours.call("POST", "/v1/experiments/y/arms", {"name": "c"}, admin)
        ours.call("PATCH", "/v1/experiments/y/arms/c", {"state": "paused"}, admin)
        ours.decide("y", "v", key=write)
        ours.reward("v", key=admin)
        items = [{"decision": {"experiment": "y", "id": "w"}}, {"reward": {"id": "w", "value": 1}}]
        ours.call("POST", "/v1/batch", {"items": items}, write)

        def events(name: str) -> list[tuple[str, int | None]]:
            lines = ours.call("GET", f"/v1/experiments/{name}/events", key=write).content
            return [(e["kind"], e.get("key")) for e in map(json.loads, lines.splitlines())]

        assert events("y") == [
            ("created", 1), ("added", 1), ("state", 1), ("decision", 2), ("reward", 1),
            ("decision", 2), ("reward", 2),
        ]  # fmt: skip
        expected = [("created", None), ("decision", None), ("expired", None)]
        assert waited(lambda: events("x") == expected)  # nobody's key let it expire
        assert clean(storage)


def test_a_key_that_stops_during_its_own_put_is_told_what_it_has_created(
    opened: Callable[[], Storage], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is created for a caller who is told 401."""
    other, ledger, lock = opened(), Ledger(opened()), Transaction._lock
    create_key(other, "admin", expires="1h")
    ledger.refresh()
    (key,) = list_keys(other)
    asked = [(key, create(name)[1]) for name in ("x", "x", "y")]

    def late(self: Transaction, *given: Any, **more: Any) -> None:
        lock(self, *given, **more)
        monkeypatch.setattr(keys_module.time, "time", lambda: key.expires or 0.0)

    monkeypatch.setattr(Transaction, "_lock", late)
    assert [each.status for each in ledger.run(asked[:2])] == [201, 401]
    assert [each.status for each in ledger.run(asked[2:])] == [401]
    with other.reading():
        assert [each.name for each in other.experiments()] == ["x"]


def test_the_last_use_is_stored_now_and_then(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[int] = []
    store = keys_module.Storage.save_use

    def counted(self: Any, number: int, at: float) -> None:
        saved.append(number)
        store(self, number, at)

    monkeypatch.setattr(keys_module.Storage, "save_use", counted)
    with closing(open_storage(url)) as storage, worker(url) as ours:
        read, unused = (create_key(storage, "read") for _ in range(2))
        assert unused != read
        begin = time.time()
        for _ in range(200):
            assert ours.call("GET", "/v1/experiments", key=read).status == 200
        assert waited(lambda: list_keys(storage)[0].used)
        first, second = list_keys(storage)
        assert first.used is not None
        assert begin - 0.01 <= first.used <= time.time()
        assert second.used is None
        assert saved == [1]  # 200 uses, one write
        time.sleep(0.7)
        assert saved == [1]


def test_an_expired_key_is_refused_with_a_sentence(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_storage(url)) as storage, worker(url) as ours:
        key = create_key(storage, "admin", name="shop", expires="30m")
        assert ours.create("x", key=key).status == 201
        later = time.time() + 1801.0
        with monkeypatch.context() as patch:
            patch.setattr(keys_module.time, "time", lambda: later)
            told = ours.decide("x", key=key)
            assert (told.status, told.data) == (401, {"error": "The key has expired."})
            wrong = ours.decide("x", key=key[:-1])
            assert wrong.data == {"error": "The key is missing, unknown or revoked."}
        assert ours.decide("x", key=key).status == 200


def test_a_key_that_has_expired_does_not_let_it_listen_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = f"sqlite:///{tmp_path}/rbmle.db"
    earlier = time.time() - 3600.0
    with monkeypatch.context() as patch, closing(open_storage(place)) as storage:
        patch.setattr(keys_module.time, "time", lambda: earlier)
        create_key(storage, "admin", expires="30m")
    assert run(["serve", "--host", "0.0.0.0", "--port", "0", "--database", place]) == 2
    assert "as long as there is no key" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "90", "d", "0d", "-1d", "1w", "1.5h", "90d ", "9" * 9 + "d"])
def test_durations_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="'--expires' must be a time such as 90d, 12h or 30m"):
        duration("key", "--expires", text)
    assert duration("key", "--expires", "2h") == 7200.0


def test_keys_at_the_command_line_have_names_and_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ["--database", f"sqlite:///{tmp_path}/rbmle.db"]
    create = ["service", "key", "create", "--role", "write"]
    assert run([*create, "--name", "shop-backend", "--expires", "90d", *place]) == 0
    secret = capsys.readouterr().out.strip().split("_", 2)[2]
    day = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 90 * 86_400))
    assert run(["service", "key", "list", *place]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"1: write, 'shop-backend', expires {day} ")
    assert shown.endswith("never used\n")
    assert run(["service", "key", "list", "--json", *place]) == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert (listed["name"], listed["used"]) == ("shop-backend", None)
    assert "hash" not in listed
    assert secret not in shown
    assert run([*create, "--expires", "soon", *place]) == 2
    assert run([*create, "--name", "a\nb", *place]) == 2


def test_a_worker_notices_the_first_key_and_a_revoked_one(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("rbmle.service.app.Ledger.try_to_write", lambda _: {"bad": "why"})
    with closing(open_storage(url)) as storage, worker(url) as ours:
        assert ours.call("GET", "/v1/experiments").status == 200
        assert ours.call("GET", "/readyz").data["names"] == ["bad"]
        keys = [create_key(storage, "read") for _ in range(3)]
        assert "names" not in ours.call("GET", "/readyz").data
        for key in keys:
            assert ours.call("GET", "/v1/experiments", key=key).status == 200
        with caplog.at_level(logging.WARNING):
            assert ours.call("GET", "/v1/experiments").status == 401
            for number, path in ((1, "/readyz"), (2, "/v1/experiments")):
                revoke_key(storage, number)
                told = ours.call("GET", path, key=keys[number - 1])
                assert told.status == 401 or "names" not in told.data
        text = ours.call("GET", "/metrics", key=keys[2]).content.decode()
    place = "401 GET /v1/experiments from ?: "
    assert caplog.messages == [f"{place}no key", f"{place}key 2, which has stopped"]
    assert 'rbmle_wrong_keys_total{worker="0"} 1' in text.splitlines()


def test_a_request_in_flight_when_the_first_key_is_made_is_logged(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(open_storage(url)) as storage, worker(url) as ours:
        assert ours.call("GET", "/v1/experiments").status == 200
        create_key(storage, "read")
        with caplog.at_level(logging.WARNING):
            for _ in range(2):
                assert ours.call("GET", "/v1/experiments").status == 401
    assert caplog.messages == ["401 GET /v1/experiments from ?: no key"]


class TestWrongKeys:
    @pytest.fixture
    def ours(self, tmp_path: Path) -> Iterator[Worker]:
        url = f"sqlite:///{tmp_path}/rbmle.db"
        with closing(open_storage(url)) as storage:
            self.key = create_key(storage, "admin")
            self.revoked = create_key(storage, "admin")
            revoke_key(storage, 2)
        with worker(url) as made:
            yield made

    def test_they_are_logged_and_counted_without_their_secrets(
        self, ours: Worker, caplog: pytest.LogCaptureFixture
    ) -> None:
        secret = self.key.split("_", 2)[2]
        wrong = [f"rbmle_1_{secret[:-1]}", self.revoked, f"rbmle_7_{secret}", secret]
        with caplog.at_level(logging.WARNING):
            for each in [*wrong, None]:
                assert ours.call("GET", "/v1/experiments/x", key=each).status == 401
        causes = ["key 1 with a wrong secret", "key 2, which was revoked", "an unknown key",
                  "not a key", "no key"]  # fmt: skip
        place = "401 GET /v1/experiments/{name} from ?: "
        assert caplog.messages == [place + each for each in causes]
        assert secret[:-1] not in caplog.text
        assert self.revoked.split("_", 2)[2] not in caplog.text
        text = ours.call("GET", "/metrics", key=self.key).content.decode()
        assert 'rbmle_wrong_keys_total{worker="0"} 4' in text.splitlines()

    def test_each_is_slower_and_a_valid_key_is_not(self, ours: Worker) -> None:
        took = []
        for _ in range(5):
            begin = time.monotonic()
            assert ours.call("GET", "/v1/experiments", key="rbmle_1_x").status == 401
            took.append(time.monotonic() - begin)
        assert took[4] > 0.75 > 0.05 <= took[0]
        slow = ours.submit("GET", "/v1/experiments", None, "rbmle_1_x")
        assert ours.call("GET", "/v1/experiments", key=self.key).status == 200
        assert not slow.done()
        assert slow.result(10).status == 401

    def test_only_so_many_wait(self, ours: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("rbmle.service.wrong_keys.FIRST_DELAY_SECONDS", 3.0)
        monkeypatch.setattr("rbmle.service.wrong_keys._MAX_WAITING", 5)
        waiting = [ours.submit("GET", "/metrics", None, "rbmle_1_x") for _ in range(5)]
        waited(lambda: ours.app.callers._wrong_keys.full)
        told = ours.call("GET", "/metrics", key="rbmle_1_y")
        assert (told.status, told.data["error"][:15]) == (429, "Too many wrong ")
        assert not any(each.done() for each in waiting)
        assert ours.call("GET", "/metrics", key=self.key).status == 200
        assert {each.result(10).status for each in waiting} == {401}
