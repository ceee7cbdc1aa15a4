"""Snapshot mode: workers choose before they have the lock; nothing is lost, doubled or untrue."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import pytest
from service_cases import (
    add_arm,
    clean,
    create,
    decide,
    definition,
    one,
    reward,
    said,
    set_state,
)
from snapshot_cases import Open, carry_out, rows_of, start

from rbmle.errors import ParameterError
from rbmle.service.keys import create_key
from rbmle.service.ledger import Ledger
from rbmle.service.rows import Kind
from rbmle.service.storage import Key
from rbmle.service.transaction import Keyed
from rbmle.service.verify import verify

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("fresh_snapshots")]


def test_two_workers_choose_from_one_snapshot(opened: Open) -> None:
    ours, theirs = start(opened)
    last = rows_of(ours.storage, Kind.REWARD)[-1].seq
    asked = [decide(id=f"b-{k}") for k in range(40)]
    told, quick = carry_out(
        ours, *[decide(id=f"a-{k}") for k in range(40)],
        meanwhile=lambda: carry_out(theirs, *asked, reward("old-0"), decide()),
    )  # fmt: skip
    assert quick == 40
    rows = rows_of(ours.storage)[30:]
    assert [row.basis for row in rows] == [last] * 81
    assert {row.id: "abc"[row.arm or 0] for row in rows[41:]} == {
        said(each)["id"]: said(each)["arm"] for each in told
    }
    assert [row.number for row in rows] == list(range(31, 112))
    assert [row.t for row in rows[41:]] == [row.t for row in rows[:40]] == list(range(31, 71))
    first, second = [row.arm for row in rows[:40]], [row.arm for row in rows[41:]]
    assert first != second  # their random numbers are others
    assert all(0.0 < (row.probability or 0.0) < 1.0 for row in rows)
    assert clean(ours.storage)
    again = Ledger(opened())
    again.refresh()
    states = [each.refresh()[0].plain() for each in (ours, theirs, again)]
    assert states[0] == states[1] == states[2]


def test_a_request_that_both_workers_get_is_one_decision(opened: Open) -> None:
    ours, theirs = start(opened)
    asked = [decide(id=f"x-{k}") for k in (1, 2, 3, 2)]
    told, quick = carry_out(ours, *asked, meanwhile=lambda: carry_out(theirs, decide(id="x-2")))
    assert quick == 0  # one was there, so nothing was appended, and all was done under the lock
    assert [said(each)["id"] for each in told] == ["x-1", "x-2", "x-3", "x-2"]
    assert told[1] == told[3] == theirs.run([decide(id="x-2")])[0]
    assert Counter(row.id for row in rows_of(ours.storage)[30:]) == {"x-1": 1, "x-2": 1, "x-3": 1}
    assert clean(ours.storage)


def test_a_reward_that_both_workers_get_counts_once(opened: Open) -> None:
    ours, theirs = start(opened)
    carry_out(ours, decide(id="x"), decide(id="y"))
    asked = [decide(id="z"), reward("x"), reward("y"), reward("y", 0.0), reward("none")]
    told, quick = carry_out(ours, *asked, meanwhile=lambda: carry_out(theirs, reward("x")))
    assert [each.status for each in told] == [200, 200, 200, 409, 404]
    assert [said(each) for each in told[1:3]] == [{"counted": False}, {"counted": True}]
    assert quick == 0
    told, quick = carry_out(ours, reward("z"), reward("z"), reward("z", 7.0), decide(id="z"))
    assert ([each.status for each in told], quick) == ([200, 200, 422, 200], 1)
    assert clean(ours.storage)


@pytest.mark.parametrize("change", [set_state("a", "paused"), add_arm("d")])
def test_arms_that_change_meanwhile_are_seen(opened: Open, change: Keyed) -> None:
    ours, theirs = start(opened, policy="ucb")
    for number in range(20):
        one(ours, reward(one(ours, decide(id=f"more-{number}"))[1]["id"], 0.0))
    asked = [decide() for _ in range(12)]
    answers, quick = carry_out(ours, *asked, meanwhile=lambda: theirs.run([change]))
    told = [said(each)["arm"] for each in answers]
    assert quick == 0
    assert ("a" not in told) if len(change[1]) == 3 else ("d" in told)
    assert clean(ours.storage)


def test_what_is_refused_leaves_no_trace_in_the_others(opened: Open) -> None:
    ours, _ = start(opened)
    asked = [decide(), decide(context=[1.0]), decide(id="x", context=[1.0]), decide(id="x"),
             decide(id="d-1-2"), decide(id="old-3"), decide()]  # fmt: skip
    assert [each.status for each in ours.run(asked)] == [200, 422, 422, 200, 422, 200, 200]
    told, quick = carry_out(ours, *asked)
    assert ([each.status for each in told], quick) == ([200, 422, 200, 200, 422, 200, 200], 2)
    assert clean(ours.storage)


def test_decisions_of_a_batch_see_each_other(opened: Open) -> None:
    """Without rewards, UCB spreads a batch over the arms as it does where rewards come late."""
    ours, _ = start(opened, policy="ucb")
    carry_out(ours, *[decide() for _ in range(60)])
    assert min(Counter(row.arm for row in rows_of(ours.storage)[30:]).values()) >= 10
    assert {row.probability for row in rows_of(ours.storage)} <= {1.0, 1 / 2, 1 / 3}


@pytest.mark.parametrize(
    "change", ["arm = arm + 1 - 3 * (arm / 2)", "probability = probability + 0.01",
               "basis = basis - 1", "t = t + 1", "id = 'other'", "probability = NULL",
               "value = value + 1", "basis = NULL"],
)  # fmt: skip
def test_verify_finds_a_changed_decision(opened: Open, change: str) -> None:
    ours, theirs = start(opened)
    asked = [decide(id=f"x-{k}") for k in range(3)]
    carry_out(ours, *asked, meanwhile=lambda: carry_out(theirs, decide(), decide()))
    assert clean(ours.storage)
    with ours.storage.writing():
        ours.storage._do(f"UPDATE log SET {change} WHERE id = 'x-1'")
    (found,) = verify(ours.storage)
    assert found.wrong


def test_ids_can_be_erased(opened: Open) -> None:
    ours, _ = start(opened)
    with ours.storage.writing():
        ours.storage._do("UPDATE log SET id = NULL WHERE seq < 20")
    assert clean(ours.storage)


@pytest.mark.parametrize(
    "wrong", [{"policy": "ucb", "family": "gaussian", "evidence": "linear(dimension=2)"},
              {"consistency": "some"}],
)  # fmt: skip
def test_what_has_no_probabilities_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="'consistency' must be"):
        definition(**{"consistency": "snapshot"} | wrong)


def test_each_row_says_which_key_wrote_it(opened: Open) -> None:
    ours, _ = start(opened)
    secret = create_key(ours.storage, "write")
    ours.refresh()
    key = ours.keys.of(secret)
    assert isinstance(key, Key)
    asked = [(key, decide(id="keyed")[1]), (key, decide(id="old-0")[1])]
    assert carry_out(ours, *asked)[1] == 1
    assert [row.key for row in rows_of(ours.storage)[29:]] == [None, 1]


def test_serial_is_the_default_and_is_as_before(opened: Open) -> None:
    ours = Ledger(opened())
    (told,) = ours.run([create()])
    assert msgspec.json.decode(told.body)["consistency"] == "serial"
    ours.run([decide() for _ in range(3)])
    assert {row.basis for row in rows_of(ours.storage)} == {None}
