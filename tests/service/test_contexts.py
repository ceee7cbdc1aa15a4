"""Contexts of decisions: what is refused changes nothing, what is stored comes back to the bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import evidence_cases
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import MsgspecError
from service_cases import Clock, add_arm, clean, create, decide, one, reward, set_state

from rbmle.evidence import Linear, evidence
from rbmle.service import definition as definition_module
from rbmle.service import experiment_cache as cache_module
from rbmle.service.contexts import features_of, features_of_arm, vector, written, written_vector
from rbmle.service.ledger import Ledger
from rbmle.service.rows import Kind
from rbmle.service.storage import Storage

Opened = Callable[[], Storage]
X = {"a": [1.0, 0.0], "b": [0.6, 0.8], "c": [0.0, -1.0]}
LINEAR = {"policy": {"name": "UCB"}, "family": {"name": "Gaussian"},
          "evidence": {"name": "Linear", "dimension": 2}}  # fmt: skip


@pytest.fixture(autouse=True)
def in_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence_cases.interpret(monkeypatch)


def rows(ledger: Ledger) -> list[Any]:
    with ledger.storage.reading():
        return ledger.storage.rows(1, 1)


NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
VECTORS = st.lists(NUMBERS, min_size=2, max_size=2)


@settings(derandomize=True, database=None)
@given(context=st.dictionaries(st.sampled_from("abc"), VECTORS, min_size=1) | VECTORS)
def test_what_is_stored_comes_back_to_the_bit(context: Any) -> None:
    text, arms = written(context, "abc"), "abc"
    features = features_of(text, 3, 2)
    for place, name in enumerate(arms):
        one_arm = context.get(name) if isinstance(context, dict) else context
        expected = np.array(one_arm or [0.0, 0.0])
        assert features[place].tobytes() == expected.tobytes()
        if one_arm:
            told = features_of_arm(text, place)
            assert vector(written_vector(told), 2).tobytes() == expected.tobytes()


@pytest.mark.parametrize("text", ["[]", "[1.0]", "[[1.0,2.0]]", "[[1.0],[2.0],[3.0]]", "", "{}"])
def test_a_context_that_was_damaged_is_an_error(text: str) -> None:
    with pytest.raises((ValueError, MsgspecError), match=r"context is not|Expected|truncated"):
        features_of(text, 3, 2)


WRONG = [
    (None, "'context' must be given with Linear, which reads features"),
    ([1.0, 0.0], "'context' must be the features of each arm"),
    ({**X, "z": [1.0, 0.0]}, "'context' must be features of 'a', 'b', 'c'"),
    ({"a": [1.0, 0.0], "b": [1.0, 0.0]}, "every enabled arm, 'c' too"),
    ({**X, "b": [1.0]}, "'context' must be 2 numbers of at most 1e+09 for 'b'"),
    ({**X, "b": [1.0, 2.0, 3.0]}, "for 'b'"),
    ({**X, "b": [1.0, 1e13]}, "for 'b'"),
    ({**X, "b": [1.0, float("nan")]}, "for 'b'"),
    ({}, "every enabled arm, 'a' too"),
]


@pytest.mark.slow
def test_a_context_that_is_not_allowed_changes_nothing(opened: Opened) -> None:
    ledger = Ledger(opened())
    ledger.run([create(**LINEAR), decide(id="first", context=X)])
    before = rows(ledger)
    for context, sentence in WRONG:
        status, body = one(ledger, decide(id="wrong", context=context))
        assert status == 422
        assert sentence in body["error"], body
        assert "Decider" not in body["error"]
    assert rows(ledger) == before
    assert one(ledger, decide(id="wrong", context=X))[1]["t"] == 2
    assert clean(ledger.storage)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [None, {"name": "Window", "size": 3}])
def test_a_context_that_nobody_reads_is_refused(opened: Opened, kind: Any) -> None:
    ledger = Ledger(opened())
    ledger.run([create(evidence=kind)])
    status, body = one(ledger, decide(context=X))
    assert status == 422
    assert "'context' must be left out with" in body["error"]
    assert rows(ledger) == []


@pytest.mark.slow
def test_the_same_id_with_another_context_is_the_same_decision(opened: Opened) -> None:
    """Even if the context would be refused by now: an arm was added in between."""
    ledger, other = Ledger(opened()), Ledger(opened())
    ledger.run([create(**LINEAR)])
    first = one(ledger, decide(id="v", context=X))
    ledger.run([add_arm("d")])
    for context in (X, {"a": [5.0, 5.0]}, None):
        assert one(other, decide(id="v", context=context)) == first
    assert one(other, decide(id="w", context=X))[0] == 422
    assert clean(ledger.storage)


@pytest.mark.slow
def test_one_list_for_all_arms_where_each_has_its_theta(opened: Opened) -> None:
    ledger = Ledger(opened())
    evidence = {"name": "Linear", "dimension": 2, "shared": False}
    each = {**LINEAR, "evidence": evidence, "patience": 5}
    ledger.run([create(**each), decide(id="v", context=[0.5, 1.0]), reward("v", 2.0)])
    assert one(ledger, decide(id="w", context=[0.5, 1.0]))[0] == 200
    assert [row.context for row in rows(ledger)] == ["[0.5,1.0]", None, "[0.5,1.0]"]
    assert clean(ledger.storage)


@pytest.mark.slow
@pytest.mark.parametrize("default", [None, 0.5])
def test_rewards_that_come_after_the_policy_gave_up(
    opened: Opened, default: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their features are in the log; a worker that starts from a snapshot has them too."""
    monkeypatch.setattr(cache_module, "ROWS_PER_SNAPSHOT", 3)
    clock = Clock()
    workers = [Ledger(opened(), clock=clock) for _ in range(2)]
    wait = None if default is None else 100.0
    workers[0].run([create(**LINEAR, patience=3, reward_wait_s=wait, default_reward=default)])
    for n in range(8):
        workers[n % 2].run([decide(id=str(n), context=X)])
        workers[0] = Ledger(workers[0].storage, clock=clock)
        clock.now += 1.0
    assert one(workers[0], reward("1", 3.0)) == (200, {"counted": True})
    assert one(workers[1], reward("7", -3.0)) == (200, {"counted": True})
    late, prompt = [row for row in rows(workers[0]) if row.kind == Kind.REWARD]
    assert late.context is not None
    assert prompt.context is None
    clock.now += 94.5  # the first three of the others end
    workers[1].run([decide(id="last", context=X)])
    ended = [row for row in rows(workers[0]) if row.kind == Kind.EXPIRED]
    assert [bool(row.context) for row in ended] == ([] if default is None else [True] * 2)
    assert clean(workers[0].storage)
    states = []
    for worker in workers:
        worker.refresh()
        known = worker.cache.find("x")
        assert known is not None
        states.append(known.plain())
    assert states[0] == states[1]


@pytest.mark.slow
def test_withdrawn_decisions_and_arms_that_rest(opened: Opened) -> None:
    clock = Clock()
    ledger = Ledger(opened(), clock=clock)
    ledger.run([create(**LINEAR, reward_wait_s=10.0)])
    ledger.run([decide(id=str(n), context=X) for n in range(4)])
    ledger.run([set_state("a", "paused"), set_state("b", "retired")])
    few = {"c": [0.3, 0.4]}
    assert one(ledger, decide(id="4", context=few))[1]["arm"] == "c"
    assert one(ledger, reward("0", 1.0)) == (200, {"counted": True})
    clock.now += 10.0
    assert one(ledger, reward("1", 1.0))[0] == 410
    ledger.run([set_state("a", "active"), decide(id="5", context={**few, "a": [0.0, 0.0]})])
    assert [row.context for row in rows(ledger) if row.kind == Kind.DECISION][-2:] == [
        "[null,null,[0.3,0.4]]", "[[0.0,0.0],null,[0.3,0.4]]",
    ]  # fmt: skip
    assert clean(ledger.storage)


@evidence
class Quotient(NamedTuple):
    """A user's own: means beyond all numbers for a feature of 1; arms cannot be added."""

    def memory_size(self, n_arms: int) -> int:
        return n_arms

    def reads(self) -> int:
        return 1

    def look(self, arms: Any, memory: Any, features: Any, fresh: bool) -> None:
        for i in range(arms.n_arms()):
            memory[i] += 1.0  # what a look leaves behind
            arms.pulls[i] = 1.0 + memory[i]
            arms.sums[i] = features.feature(i, 0) * 1e300 * 1e300


@pytest.mark.slow
def test_a_request_that_is_refused_half_way_leaves_no_trace(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "ROWS_PER_SNAPSHOT", 4)
    ledger = Ledger(opened())
    small, large = ({name: [x] for name in "abc"} for x in (0.0, 1.0))
    created = create(**{**LINEAR, "evidence": {"name": "Quotient"}})
    ledger.run([created, decide(context=small)])
    with np.errstate(all="ignore"):
        created[1].definition.prepare()  # whatever it tries, it refuses nothing
        for n in range(5):
            answers = ledger.run(
                [decide(id=f"{n}", context=small), decide(context=large), add_arm("d"),
                 reward(f"{n}", 1.0), decide(context=small)]
            )  # fmt: skip
            assert [each.status for each in answers] == [200, 422, 422, 200, 200]
    assert b"finite numbers" in answers[1].body
    assert b"Quotient cannot add or remove arms" in answers[2].body
    assert clean(ledger.storage)


@pytest.mark.slow
def test_evidence_that_is_too_large_is_refused(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = Linear(2, shared=False).memory_size(3)
    monkeypatch.setattr(definition_module, "_MAX_EVIDENCE_NUMBERS", size)
    ledger = Ledger(opened())
    evidence = {"name": "Linear", "dimension": 2, "shared": False}
    each = {**LINEAR, "evidence": evidence, "patience": 5}
    ledger.run([create(**each)])
    status, body = one(ledger, add_arm("d"))
    assert status == 422
    assert f"'evidence' must be one that remembers at most {size} numbers" in body["error"]
    assert one(ledger, decide(context=X))[0] == 200
    assert clean(ledger.storage)


@pytest.mark.slow
def test_an_infinite_statistic_survives_a_snapshot(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An arm whose features are all 0 is worth 1e300 pulls: the squares it shows are infinite."""
    monkeypatch.setattr(cache_module, "ROWS_PER_SNAPSHOT", 2)
    ledger = Ledger(opened())
    zero = {**X, "a": [0.0, 0.0]}
    ledger.run([create(**LINEAR)])
    with np.errstate(over="ignore"):
        for n in range(4):
            ledger.run([decide(id=str(n), context=zero), reward(str(n), 1e9)])
            ledger = Ledger(ledger.storage)
        ledger.refresh()
        known = ledger.cache.find("x")
        assert known is not None
        assert np.isinf(known.live.known.squares).any()  # type: ignore[attr-defined]
        assert clean(ledger.storage)
