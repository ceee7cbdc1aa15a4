"""What the service exports, `/events` and an archive, is a log that `rbmle.evaluate` reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from evidence_cases import interpret
from service_cases import add_arm, create, decide, reward

from rbmle import evaluate
from rbmle.service import views
from rbmle.service.archive import archive
from rbmle.service.keys import ANYONE
from rbmle.service.ledger import Ledger
from rbmle.service.storage import open_storage


def test_an_export_and_an_archive_are_evaluated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interpret(monkeypatch)
    storage = open_storage(f"sqlite:///{tmp_path}/rbmle.db")
    ledger = Ledger(storage)
    ledger.run([create(policy={"name": "ThompsonSampling"}), add_arm("d")])
    for visit in range(40):
        ledger.run([decide(id=f"v{visit}")])
        if visit < 30:  # the last rewards have not come
            ledger.run([reward(f"v{visit}", float(visit % 2))])
    found = ledger.ask(lambda each: views.events(each, ANYONE, "x", 0))
    assert found is not None
    lines, old = tmp_path / "events.jsonl", tmp_path / "x.jsonl"
    lines.write_bytes(found[0])
    archive(storage, "x", str(old))
    storage.close()
    told = evaluate(lines, dict.fromkeys("abcd", 0.25), family="bernoulli")
    assert told.rows == 30
    assert told.mean == pytest.approx(15 / 30)
    assert "IPS" in told.estimates  # the service notes probabilities
    assert evaluate(old, dict.fromkeys("abcd", 0.25), family="bernoulli") == told
