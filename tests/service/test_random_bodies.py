"""Any body at any address: an answer that the description allows, never a failure.

RBMLE_BODIES sets how many; CI tries some hundreds, a release is tested with 10,000.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from typing import Any

import pytest
from evidence_cases import interpret
from http_cases import BODY, Worker, worker
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rbmle.service.app import OPERATIONS
from rbmle.service.http import openapi

BODIES = int(os.environ.get("RBMLE_BODIES", "150"))
PLACES = [
    ("PUT", "/v1/experiments/{name}", "/v1/experiments/y"),
    ("POST", "/v1/experiments/{name}/decisions", "/v1/experiments/x/decisions"),
    ("POST", "/v1/experiments/{name}/decisions", "/v1/experiments/features/decisions"),
    ("PUT", "/v1/decisions/{id}/reward", "/v1/decisions/v/reward"),
    ("POST", "/v1/batch", "/v1/batch"),
    ("POST", "/v1/experiments/{name}/arms", "/v1/experiments/x/arms"),
    ("PATCH", "/v1/experiments/{name}/arms/{arm}", "/v1/experiments/x/arms/a"),
]
WORDS = st.sampled_from(
    [*BODY, "id", "value", "name", "state", "items", "decision", "reward", "experiment", "alpha",
     "horizon", "reward_wait_s", "default_reward", "UCB", "Bernoulli", "paused", "active", "x", "v",
     "features", "context", "evidence", "Window", "size", "a", "b"]
)  # fmt: skip
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | WORDS
DATA = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | st.text(max_size=4), inner),
    max_leaves=12,
)
NUMBERS = st.lists(st.floats() | st.integers() | LEAVES, min_size=1, max_size=3)
LIKELY = st.fixed_dictionaries(
    {},
    optional={
        "id": st.just("v") | LEAVES,
        "value": st.floats() | LEAVES,
        "name": LEAVES,
        "state": LEAVES,
        "arms": st.lists(LEAVES, max_size=3) | LEAVES,
        "policy": st.fixed_dictionaries({"name": WORDS}, optional={"alpha": LEAVES}) | LEAVES,
        "family": st.just({"name": "Bernoulli"}) | LEAVES,
        "seed": LEAVES,
        "evidence": st.fixed_dictionaries({"name": WORDS}, optional={"size": LEAVES}) | LEAVES,
        "context": st.dictionaries(WORDS, NUMBERS)
        | st.fixed_dictionaries({"a": NUMBERS, "b": NUMBERS})
        | LEAVES,
        "items": st.lists(st.fixed_dictionaries({}, optional={"decision": DATA, "reward": DATA})),
    },
)


@pytest.fixture(scope="module")
def ours(tmp_path_factory: Any) -> Iterator[Worker]:
    folder = tmp_path_factory.mktemp("bodies")
    with pytest.MonkeyPatch.context() as patch, worker(f"sqlite:///{folder}/rbmle.db") as made:
        interpret(patch)
        made.create("x")
        made.decide("x", "v")
        made.create("features", family="gaussian", evidence="linear(dimension=2)")
        yield made


@pytest.mark.slow
def test_every_body_has_an_answer(ours: Worker, caplog: pytest.LogCaptureFixture) -> None:
    described = openapi(OPERATIONS)["paths"]

    @settings(
        max_examples=BODIES, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(place=st.sampled_from(PLACES), body=DATA.map(_text) | LIKELY.map(_text) | st.binary())
    def check(place: tuple[str, str, str], body: bytes) -> None:
        method, described_as, path = place
        told = ours.call(method, path, body)
        allowed = described[described_as][method.lower()]["responses"]
        assert str(told.status) in allowed, (place, body, told)
        assert told.status < 500
        if told.status >= 400:
            assert list(told.data) == ["error"]
            assert "\n" not in told.data["error"]
            assert "Traceback" not in told.data["error"]

    with caplog.at_level(logging.WARNING):
        check()
    assert caplog.records == []


def _text(data: Any) -> bytes:
    return json.dumps(data).encode()
