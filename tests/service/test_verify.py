"""`verify`: whatever was changed in the log or in a snapshot is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from service_cases import clean, create, decide, reward

from rbmle.service import cache as cache_module
from rbmle.service.ledger import Ledger
from rbmle.service.storage import Storage

Opened = Callable[[], Storage]


@pytest.mark.parametrize("change", ["arm", "value", "snapshot", "of"])
def test_verify_finds_what_was_changed(
    opened: Opened, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "ROWS_A_SNAPSHOT", 10)
    ledger = Ledger(opened())
    ledger.run([create(), *(decide(id=str(n)) for n in range(12))])
    ledger.run([reward(str(n)) for n in range(6)])
    ledger.run([decide() for n in range(8)])
    storage: Any = ledger.storage
    assert clean(storage)
    statement = {
        "arm": "UPDATE log SET arm = 1 - arm WHERE seq = 2",
        "value": "UPDATE log SET value = 0.5 WHERE of = 2",
        "of": "UPDATE log SET of = 13 WHERE of = 2",
    }.get(change, "")
    if not statement:
        with storage.reading():
            state = storage.snapshot(1)
        with storage.writing():
            storage.keep_snapshot(1, 13, state.replace(b'"a","active"', b'"a","paused"'))
    else:
        with storage.writing():
            storage._do(statement)
    assert not clean(storage)
