"""The ledger: nothing is lost, nothing counts twice."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import pytest
from service_cases import (
    Clock,
    add_arm,
    clean,
    create,
    decide,
    fresh_postgres,
    one,
    reward,
    said,
    set_state,
)

from rbmle.service.ledger import Ledger
from rbmle.service.rows import Kind, Row
from rbmle.service.storage import Storage, StorageError, open_storage
from rbmle.service.verify import verify

Opened = Callable[[], Storage]


@pytest.mark.slow
def test_creating_again(opened: Opened) -> None:
    ledger, other = Ledger(opened()), Ledger(opened())
    status, body = one(ledger, create())
    assert status == 201
    assert one(ledger, create()) == (200, body)
    assert one(other, create(policy="ucb")) == (200, body)
    assert one(other, create(seed=2))[0] == 409
    answers = ledger.run([create("y"), create("y"), create("y", seed=3)])
    assert [each.status for each in answers] == [201, 200, 409]


@pytest.mark.slow
def test_a_reward_is_counted_once(opened: Opened) -> None:
    ledger, other = Ledger(opened()), Ledger(opened())
    ledger.run([create()])
    id = one(ledger, decide())[1]["id"]
    assert one(ledger, reward(id, 1.0)) == (200, {"counted": True})
    assert one(other, reward(id, 1.0)) == (200, {"counted": False})
    assert one(ledger, reward(id, 0.0))[0] == 409
    assert one(ledger, reward("nothing"))[0] == 404
    assert one(ledger, reward("d-1-99"))[0] == 404
    assert one(ledger, reward("d-9-2"))[0] == 404
    assert clean(ledger.storage)


@pytest.mark.slow
def test_all_in_one_transaction(opened: Opened) -> None:
    ledger = Ledger(opened())
    answers = ledger.run(
        [create(), decide(id="v"), reward("v"), reward("v"), reward("v", 0.0), decide(id="v"),
         decide("none"), reward("v", 1.0, "x"), reward("v", 1.0, "y")]
    )  # fmt: skip
    assert [each.status for each in answers] == [201, 200, 200, 200, 409, 200, 404, 200, 404]
    assert said(answers[1]) == said(answers[5])
    assert said(answers[2])["counted"]
    assert not said(answers[3])["counted"]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["serial", "snapshot"])
def test_a_name_that_no_database_can_hold_fails_nobody_else(opened: Opened, mode: str) -> None:
    ledger = Ledger(opened())
    ledger.run([create(policy="TS", consistency=mode)])
    asked = [decide(id="v"), reward("\0"), decide("\0"), reward("v", 1.0, "\0"), reward("v")]
    if mode == "snapshot":
        told = ledger.run_ahead(asked)
        assert [each and each.status for each in told] == [200, *[None] * 4]
    assert [each.status for each in ledger.run(asked)] == [200, 404, 404, 404, 200]
    assert ledger.ask(lambda each: each.storage.find("\0")) is None
    assert clean(ledger.storage)


@pytest.mark.slow
def test_a_reward_is_no_decision_to_reward(opened: Opened) -> None:
    ledger = Ledger(opened())
    ledger.run([create(), decide()])
    answers = ledger.run([reward("d-1-2"), reward("d-1-3"), decide(), reward("d-1-3")])
    assert [each.status for each in answers] == [200, 404, 200, 404]
    assert one(ledger, reward("d-1-3"))[0] == 404
    assert clean(ledger.storage)


@pytest.mark.slow
def test_an_id_of_two_experiments_must_be_told_apart(opened: Opened) -> None:
    ledger = Ledger(opened())
    ledger.run([create("x"), create("y"), decide("x", "v"), decide("y", "v")])
    assert one(ledger, reward("v"))[0] == 409
    assert one(ledger, reward("v", 1.0, "y")) == (200, {"counted": True})
    assert one(ledger, reward("v", 1.0, "x")) == (200, {"counted": True})
    assert clean(ledger.storage)


@pytest.mark.slow
def test_ids_of_our_own_form_are_ours(opened: Opened) -> None:
    ledger = Ledger(opened())
    ledger.run([create()])
    first = one(ledger, decide())[1]
    assert one(ledger, decide(id=first["id"])) == (200, first)
    assert one(ledger, decide(id="d-1-77"))[0] == 422


@pytest.mark.slow
@pytest.mark.parametrize("default", [None, 0.0])
def test_a_deadline_has_one_winner(opened: Opened, default: float | None) -> None:
    clock = Clock()
    ledger, other = Ledger(opened(), clock=clock), Ledger(opened(), clock=clock)
    ledger.run([create(reward_wait_s=10.0, default_reward=default)])
    early, late = (one(ledger, decide())[1]["id"] for _ in range(2))
    clock.now += 9.9
    assert one(other, reward(early)) == (200, {"counted": True})
    clock.now += 0.1
    assert one(other, reward(late))[0] == 410
    assert one(ledger, reward(late, 0.0))[0] == 410
    assert one(ledger, reward(early)) == (200, {"counted": False})
    assert one(ledger, decide())[1]["t"] == (2 if default is None else 3)
    known = ledger.cache.find("x")
    assert known is not None
    assert sum(arm.pulls for arm in known.arms) == (1 if default is None else 2)
    assert (known.made, known.rewarded, known.expired) == (3, 1, 1)
    assert clean(ledger.storage)


@pytest.mark.slow
def test_a_sweep_ends_what_nobody_asks_about(opened: Opened) -> None:
    clock = Clock()
    ledger = Ledger(opened(), clock=clock)
    ledger.run([create(reward_wait_s=1.0), decide(), decide()])
    assert not ledger.due(clock())
    clock.now += 1.0
    assert ledger.due(clock())
    assert ledger.run([], sweep=True) == []
    assert not ledger.due(clock())
    with ledger.storage.reading():
        assert [each.kind for each in ledger.storage.rows(1, 3)] == [Kind.EXPIRED] * 2


@pytest.mark.slow
def test_a_clock_that_goes_back_does_not_turn_the_log(opened: Opened) -> None:
    clock = Clock()
    ledger = Ledger(opened(), clock=clock)
    ledger.run([create(reward_wait_s=5.0), decide()])
    clock.now -= 500.0
    ledger.run([decide()])
    with ledger.storage.reading():
        times = [each.at for each in ledger.storage.rows(1, 0)]
    assert times == sorted(times)
    assert clean(ledger.storage)


@pytest.mark.slow
def test_arms_that_rest(opened: Opened) -> None:
    ledger = Ledger(opened())
    ledger.run([create()])
    of_a = next(body["id"] for _ in range(3) if (body := one(ledger, decide())[1])["arm"] == "a")
    assert one(ledger, set_state("a", "retired"))[0] == 200
    assert one(ledger, set_state("b", "paused"))[0] == 200
    assert one(ledger, set_state("c", "paused"))[0] == 409
    assert {one(ledger, decide())[1]["arm"] for _ in range(5)} == {"c"}
    assert one(ledger, reward(of_a)) == (200, {"counted": True})
    assert one(ledger, set_state("a", "active"))[0] == 409
    assert one(ledger, set_state("a", "retired"))[0] == 200
    assert one(ledger, set_state("b", "active"))[0] == 200
    assert one(ledger, set_state("z", "active"))[0] == 404
    assert one(ledger, set_state("b", "sleeping"))[0] == 422
    assert one(ledger, add_arm("d")) == (201, {"name": "d", "state": "active"})
    assert one(ledger, add_arm("d"))[0] == 200
    assert clean(ledger.storage)


@pytest.mark.slow
def test_a_reward_that_the_family_does_not_allow_changes_nothing(opened: Opened) -> None:
    ledger = Ledger(opened())
    ledger.run([create()])
    id = one(ledger, decide())[1]["id"]
    status, body = one(ledger, reward(id, 1.5))
    assert status == 422
    assert body["error"] == "service: 'reward' must be a number in [0, 1] for Bernoulli. Got 1.5."
    assert one(ledger, reward(id, 0.5)) == (200, {"counted": True})


@pytest.mark.slow
def test_a_failed_commit_leaves_nothing_behind(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the worker computed for a transaction that failed must not show in later answers."""
    ledger, other = Ledger(opened()), Ledger(opened())
    ledger.run([create(), decide(id="kept")])
    append = ledger.storage.append

    def fails(rows: Any) -> None:
        append(rows)
        if any(row.kind == Kind.DECISION for row in rows):  # all the work has been done by then
            raise StorageError("service: the disk is full.")

    monkeypatch.setattr(ledger.storage, "append", fails)
    with pytest.raises(StorageError):
        ledger.run([decide(id="lost"), reward("kept"), create("y")])
    monkeypatch.undo()
    assert one(ledger, decide(id="lost"))[1] == one(other, decide(id="lost"))[1]
    assert one(ledger, reward("kept")) == (200, {"counted": True})
    assert one(other, create("y"))[0] == 201
    assert clean(ledger.storage)


@pytest.mark.slow
def test_the_same_reward_from_many_workers_is_counted_once(opened: Opened) -> None:
    first = Ledger(opened())
    first.run([create(), decide(id="v")])
    workers = [Ledger(opened()) for _ in range(4)]
    counted: list[bool] = []

    def work(ledger: Ledger) -> None:
        counted.extend([one(ledger, reward("v"))[1]["counted"] for _ in range(5)])

    threads = [threading.Thread(target=work, args=(each,)) for each in workers]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(counted) == 20
    assert sum(counted) == 1


@pytest.mark.slow
def test_workers_that_need_the_same_experiments_do_not_wait_in_a_circle(opened: Opened) -> None:
    """Each transaction is about several experiments, named in another order by each worker."""
    names = ["x", "y", "z"]
    workers = [Ledger(opened()) for _ in range(3)]
    problems: list[Exception] = []

    def work(place: int) -> None:
        ordered = names[place:] + names[:place]
        try:
            for turn in range(15):
                ids = [f"{place}-{turn}-{name}" for name in ordered]
                asked = [decide(name, id) for name, id in zip(ordered, ids, strict=True)]
                told = [reward(id) for id in ids]
                answers = workers[place].run([*map(create, ordered), *asked, *told])
                assert {each.status for each in answers} <= {200, 201}
        except Exception as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert problems == []
    verdicts = verify(workers[0].storage)
    assert [(each.decisions, each.rewards, each.wrong) for each in verdicts] == [(45, 45, "")] * 3


@contextmanager
def two_on_postgres() -> Iterator[tuple[Storage, Storage]]:
    """A new database, as two servers have it."""
    with (
        fresh_postgres() as url,
        closing(open_storage(url)) as mine,
        closing(open_storage(url)) as others,
    ):
        yield mine, others


@pytest.mark.postgres
def test_what_another_server_has_just_created_is_not_used_without_its_lock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was not there when the locks were taken, and is there when the request is answered."""
    with two_on_postgres() as (mine, others):
        ledger, other = Ledger(mine), Ledger(others)
        ledger.run([create("x"), decide("x", "old")])
        lock = mine.lock

        def late(numbers: Sequence[int]) -> None:
            lock(numbers)
            other.run([create("y"), decide("y", "new"), decide("y", "id")])

        monkeypatch.setattr(mine, "lock", late)
        asked = [decide("y"), decide("x", "id"), reward("id", 1.0, "y"), reward("old")]
        assert [each.status for each in ledger.run(asked)] == [404, 200, 404, 200]
        monkeypatch.setattr(mine, "lock", lock)
        assert one(ledger, decide("y"))[0] == one(other, decide("y"))[0] == 200
        assert clean(mine)


@pytest.mark.postgres
def test_commands_that_follow_one_another_cost_no_request_a_503(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each changes the experiment when it was just looked for, and is not locked yet."""
    with two_on_postgres() as (mine, others):
        ledger, lock, left = Ledger(mine), mine.lock, [3]
        ledger.run([create()])

        def late(numbers: Sequence[int]) -> None:
            left[0] -= 1
            if left[0] >= 0:
                with others.writing():
                    others.note_repair(1)
            lock(numbers)

        monkeypatch.setattr(mine, "lock", late)
        assert one(ledger, decide())[0] == 200


def test_a_row_of_the_log_as_an_event() -> None:
    row = Row(1, 2, int(Kind.DECISION), 5.0, None, 0, 1, 1)
    assert row.event() == {
        "seq": 2, "kind": "decision", "at": 5.0, "id": "d-1-2", "arm": 0, "t": 1, "number": 1,
    }  # fmt: skip
