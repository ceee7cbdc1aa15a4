"""Any sequence of requests, by any of several workers, gives what a simple model says."""

from __future__ import annotations

import tempfile
from typing import Any

import pytest
from evidence_cases import interpret
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from service_cases import create, decide, fresh_postgres, reward, said

from rbmle.service import experiment_cache as cache_module
from rbmle.service.keys import ANYONE
from rbmle.service.ledger import Ledger
from rbmle.service.requests import SetState
from rbmle.service.storage import StorageError, open_storage
from rbmle.service.verify import verify

IDS = st.sampled_from([f"v{n}" for n in range(8)])
NAMES = st.sampled_from(["x", "y", "z"])
FEATURES = st.lists(st.sampled_from([-1.0, 0.0, 0.3]), min_size=1, max_size=1)
WORKERS = st.integers(0, 1)
VALUES = st.sampled_from([0.0, 0.25, 1.0])
WAIT = {"x": None, "y": 10.0, "z": 10.0}
MORE: dict[str, dict[str, Any]] = {
    "x": {},
    "y": {"evidence": "discounted(gamma=0.9)"},
    "z": {"family": "gaussian", "evidence": {"name": "Linear", "dimension": 1}, "patience": 4,
          "default_reward": 0.5},
}  # fmt: skip
# Of each arm; a context that lacks one is refused unless the arm rests.
CONTEXTS = st.fixed_dictionaries({}, optional=dict.fromkeys("abc", FEATURES))


class Model(RuleBasedStateMachine):
    """What callers were told, and what they must be told next."""

    url = ""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1000.0
        self.workers = [Ledger(open_storage(self.url), clock=lambda: self.now) for _ in range(2)]
        for each in self.workers:
            each.refresh()
        self.kept = cache_module.ROWS_PER_SNAPSHOT
        cache_module.ROWS_PER_SNAPSHOT = 7
        self.decisions: dict[tuple[str, str], dict[str, Any]] = {}
        self.made: dict[tuple[str, str], float] = {}
        self.rewards: dict[tuple[str, str], float] = {}
        self.states = {(name, arm): "active" for name in WAIT for arm in "abc"}

    @initialize()
    def start(self) -> None:
        for name, wait in WAIT.items():
            answer = self.ask(0, create(name, reward_wait_s=wait, **MORE[name]))
            assert answer[0] in (200, 201)

    def ask(self, worker: int, *requests: Any) -> tuple[int, Any]:
        answers = self.workers[worker].run(requests)
        return answers[-1].status, said(answers[-1])

    def enough(self, name: str, context: Any) -> bool:
        """Whether a new decision of this experiment can be made with this context."""
        if name != "z":
            return context is None
        return context is not None and all(
            arm in context for arm in "abc" if self.states[name, arm] == "active"
        )

    @rule(worker=WORKERS, name=NAMES, id=IDS, given=CONTEXTS, wrong=st.booleans())
    def decide(self, worker: int, name: str, id: str, given: Any, wrong: bool) -> None:
        context = given if wrong else _context(name)
        status, body = self.ask(worker, decide(name, id, context))
        if (name, id) not in self.decisions and not self.enough(name, context):
            assert status == 422
            return
        assert status == 200
        assert body["id"] == id
        assert self.decisions.setdefault((name, id), body) == body
        if (name, id) not in self.made:
            self.made[name, id] = self.now
            assert self.states[name, body["arm"]] == "active"

    @rule(worker=WORKERS, name=NAMES, id=IDS, value=VALUES)
    def reward(self, worker: int, name: str, id: str, value: float) -> None:
        place, wait = (name, id), WAIT[name]
        status, body = self.ask(worker, reward(id, value, name))
        if place not in self.decisions:
            assert status == 404
        elif place in self.rewards:
            same = self.rewards[place] == value
            assert (status, body.get("counted")) == ((200, False) if same else (409, None))
        elif wait is not None and self.made[place] + wait <= self.now:
            assert status == 410
        else:
            assert (status, body) == (200, {"counted": True})
            self.rewards[place] = value

    @rule(worker=WORKERS, name=NAMES, id=IDS)
    def both_in_one_transaction(self, worker: int, name: str, id: str) -> None:
        if (name, id) not in self.decisions:
            asked = decide(name, id, _context(name))
            status, body = self.ask(worker, asked, reward(id, 1.0, name))
            assert (status, body) == (200, {"counted": True})
            self.decisions[name, id] = self.ask(worker, decide(name, id))[1]
            self.made[name, id], self.rewards[name, id] = self.now, 1.0

    @rule(name=NAMES, arm=st.sampled_from("ab"), state=st.sampled_from(["active", "paused"]))
    def switch(self, name: str, arm: str, state: str) -> None:
        assert self.ask(1, (ANYONE, SetState(name, arm, state)))[0] == 200
        self.states[name, arm] = state

    @rule(seconds=st.sampled_from([1.0, 5.0, 10.0]), worker=WORKERS)
    def wait(self, seconds: float, worker: int) -> None:
        self.now += seconds
        self.workers[worker].run([], sweep=True)

    @rule(worker=WORKERS)
    def start_again(self, worker: int) -> None:
        storage = self.workers[worker].storage
        self.workers[worker] = Ledger(storage, clock=lambda: self.now)

    @precondition(lambda self: self.decisions)
    @rule(worker=WORKERS, name=NAMES)
    def fail(self, worker: int, name: str) -> None:
        """A transaction that fails after all its work leaves no trace."""
        storage = self.workers[worker].storage
        append = storage.append

        def fails(rows: Any) -> None:
            append(rows)
            raise StorageError("full")

        storage.append = fails  # type: ignore[method-assign]
        try:
            asked = decide(name, "lost", _context(name))
            with pytest.raises(StorageError):
                self.workers[worker].run([asked, reward("v0", 1.0, name)])
        finally:
            del storage.append  # type: ignore[method-assign]

    def teardown(self) -> None:
        cache_module.ROWS_PER_SNAPSHOT = self.kept
        try:
            verdicts = verify(self.workers[0].storage)
            assert [each.wrong for each in verdicts] == [""] * len(verdicts)
            told = {each.experiment: each.rewards for each in verdicts}
            for name in WAIT if verdicts else ():
                assert told[name] == sum(each == name for each, _ in self.rewards)
        finally:
            for each in self.workers:
                each.storage.close()


def _context(name: str) -> Any:
    return {"a": [1.0], "b": [-0.5], "c": [0.2]} if name == "z" else None


def run(examples: int, steps: int) -> None:
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(
        Model,
        settings=settings(
            max_examples=examples, stateful_step_count=steps, deadline=None, derandomize=True,
            suppress_health_check=list(HealthCheck), database=None,
        ),
    )  # fmt: skip


@pytest.mark.slow
def test_sqlite_obeys_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    _each_with_its_own(monkeypatch, "sqlite")
    run(25, 40)


@pytest.mark.postgres
def test_postgres_obeys_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    _each_with_its_own(monkeypatch, "postgres")
    run(12, 40)


def _each_with_its_own(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    interpret(monkeypatch)
    begin, end = Model.__init__, Model.teardown

    def start(self: Any) -> None:
        if kind == "sqlite":
            self.folder = tempfile.TemporaryDirectory()
            self.url = f"sqlite:///{self.folder.name}/rbmle.db"
        else:
            self.folder = fresh_postgres()
            self.url = self.folder.__enter__()
        begin(self)

    def stop(self: Any) -> None:
        try:
            end(self)
        finally:
            self.folder.cleanup() if kind == "sqlite" else self.folder.__exit__(None, None, None)

    monkeypatch.setattr(Model, "__init__", start)
    monkeypatch.setattr(Model, "teardown", stop)
