"""Laws of live use: it is the simulator's choice, it forgets nothing, it refuses what is wrong."""

from __future__ import annotations

import doctest
import json
import math
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import rbmle.live.decider
import rbmle.spec
from rbmle.engine import simulate
from rbmle.errors import ParameterError, StateError
from rbmle.families import Bernoulli, Exponential, Gamma, Gaussian
from rbmle.live.decider import Decider
from rbmle.policies import (
    IDS,
    KG,
    MOSS,
    RBMLE,
    UCB,
    AdaptiveExponential,
    KGMin,
    LogBias,
    ThompsonSampling,
    UCBTuned,
    policy,
)
from rbmle.rewards.problems import Problem
from rbmle.rewards.sources import Table
from rbmle.spec import from_spec, to_spec

MEANS = [0.3, 0.55, 0.5, 0.6]
ROUNDS, SEED = 250, 7


@policy
class Greedy(NamedTuple):
    """A user's own policy."""

    bonus: float = 0.1

    def index_of(self, family: Any, arms: Any, i: int, level: float) -> float:
        value: float = arms.mean(i) + self.bonus / arms.pulls[i]
        return value


PLAYERS = [
    (RBMLE(), Bernoulli()),
    (ThompsonSampling(), Bernoulli()),
    (IDS(commit=0.9), Bernoulli()),
    (RBMLE(2.0), Gaussian(0.5)),
    (MOSS(), Gaussian(0.5)),
    (RBMLE(AdaptiveExponential()), Exponential()),
    (Greedy(), Bernoulli()),
]


def named(player: Any) -> str:
    return "-".join(type(each).__name__ for each in player)


@pytest.fixture(params=PLAYERS, ids=named)
def player(request: Any) -> Any:
    return request.param


def table(family: Any) -> np.ndarray:
    generator = np.random.default_rng(3)
    shape = (2, ROUNDS, len(MEANS))
    if isinstance(family, Bernoulli):
        return (generator.random(shape) < MEANS).astype(float)
    if isinstance(family, Gaussian):
        return generator.normal(MEANS, 0.5, shape)
    return generator.exponential(MEANS, shape)


def decider_for(player: Any, **settings: Any) -> Decider:
    policy, family = player
    horizon = ROUNDS if policy.needs_horizon() else None
    return Decider(range(len(MEANS)), policy, family, seed=SEED, horizon=horizon, **settings)


def play(decider: Decider, rewards: np.ndarray, begin: int, end: int) -> list[Any]:
    chosen = []
    for t in range(begin, end):
        arm: Any = decider.pull()
        decider.update(arm, rewards[t, arm])
        chosen.append(arm)
    return chosen


def red_and_blue(**settings: Any) -> Decider:
    return Decider(["red", "blue"], UCB(), Bernoulli(), **settings)


# --- the simulator's choices, saved and resumed --------------------------------------------------


@pytest.mark.parametrize("ties", ["random", "first"])
def test_live_equals_simulated_and_resumed(player: Any, ties: str, tmp_path: Path) -> None:
    policy, family = player
    problem = Problem(family, MEANS)
    values = table(family)
    result = simulate(
        problem, [policy], ROUNDS, 2, Table(values, SEED), ties, checkpoints=range(1, ROUNDS + 1)
    )
    for replication in range(2):
        live = decider_for(player, ties=ties, replication=replication)
        counts, regret = np.zeros(len(MEANS)), []
        for t in range(ROUNDS):
            assert live.t == t + 1
            if t == 120:
                live.save(tmp_path / "state.json")
                live = Decider.load(tmp_path / "state.json")
            arm: Any = live.pull()
            live.update(arm, values[replication, t, arm])
            counts[arm] += 1
            total = 0.0
            for pulls, gap in zip(counts, problem.gaps, strict=True):
                total += pulls * gap
            regret.append(total)
        assert np.array_equal(regret, result.regret[0, replication])
        assert np.array_equal(list(live.counts.values()), result.pulls[0, replication])


def test_a_commitment_survives_a_save(tmp_path: Path) -> None:
    """IDS that has committed to an arm plays it for good, whatever it pays."""
    live = Decider(["a", "b"], IDS(commit=0.9), Bernoulli())
    live.update(["a"] * 20 + ["b"] * 20, [1.0] * 20 + [0.0] * 20)
    assert live.pull() == "a"
    live.update(["a"] * 60, [0.0] * 60)
    live.enable("b")  # it is
    live.save(tmp_path / "s")
    assert {Decider.load(tmp_path / "s").pull() for _ in range(5)} == {live.pull()} == {"a"}


def test_no_commitment_to_rewards_that_are_only_supposed() -> None:
    live = Decider(["a", "b"], IDS(commit=0.9), Bernoulli())
    live.update(["a", "a", "b", "b"], [1.0, 0.0, 0.0, 0.0])
    assert len(live.pull(300)) == 300
    assert live._live.memory == [-1.0]


def test_everything_is_saved(tmp_path: Path) -> None:
    live = Decider(["a", 2, "ü"], RBMLE(0.1), Gaussian(0.3), 2**64 - 1, 99, "first", replication=5)
    live.update(["a", 2, 2], [0.1, 1 / 3, -1e-17])
    live.pull(4)
    live.forget("ü")
    live.disable("a")
    live.save(tmp_path / "s.json")
    again = Decider.load(str(tmp_path / "s.json"))
    for name in ("policy", "family", "seed", "horizon", "ties", "replication", "t", "arms"):
        assert getattr(again, name) == getattr(live, name)
    for name in ("enabled", "counts", "means", "pending"):
        assert str(getattr(again, name)) == str(getattr(live, name))
    assert repr(again) == repr(live)
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == (tmp_path / "s.json").read_text()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["again.json", "s.json"]


def test_load_with_another_policy(tmp_path: Path) -> None:
    live = red_and_blue()
    live.update(["red", "blue"], [1.0, 0.0])
    live.save(tmp_path / "s")
    other = Decider.load(tmp_path / "s", policy=ThompsonSampling(), family=Bernoulli(2.0))
    assert (other.policy, other.family) == (ThompsonSampling(), Bernoulli(2.0))
    assert other.counts == live.counts


SAVER = """
import sys
from rbmle.live.decider import Decider
from rbmle.families import Bernoulli
from rbmle.policies import UCB
decider = Decider(range(200), UCB(), Bernoulli())
print("ready", flush=True)
while True:
    decider.update(range(200), [1.0] * 200)
    decider.save(sys.argv[1])
"""


def test_a_kill_leaves_the_old_or_the_new_file(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    red_and_blue().save(path)
    clock = random.Random(5)
    seen = 0
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", SAVER, str(path)], stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            time.sleep(clock.uniform(0.0, 0.15))
            process.send_signal(signal.SIGKILL)
        counts = Decider.load(path).counts
        assert len(counts) == 2 or len(set(counts.values())) == 1
        seen = max(seen, *counts.values())
    assert seen > 0


def test_a_failed_save_keeps_the_old_file(tmp_path: Path, monkeypatch: Any) -> None:
    live = red_and_blue()
    live.save(tmp_path / "s")
    old = (tmp_path / "s").read_text()

    def fail(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    live.update("red", 1.0)
    with pytest.raises(OSError, match="disk full"):
        live.save(tmp_path / "s")
    assert (tmp_path / "s").read_text() == old
    assert [each.name for each in tmp_path.iterdir()] == ["s"]


# --- batches, late rewards, threads --------------------------------------------------------------


def test_rewards_in_any_order_give_the_same_state() -> None:
    first, second = red_and_blue(), red_and_blue()
    arms = first.pull(40)
    assert second.pull(40) == arms
    rewards = [float(i % 2) for i in range(40)]
    assert first.t == 41
    assert first.counts == {"red": 0, "blue": 0}
    for arm, reward in zip(arms, rewards, strict=True):
        first.update(arm, reward)
    order = random.Random(1).sample(range(40), 40)
    second.update([arms[i] for i in order], np.array(rewards)[order])
    assert repr(first) == repr(second)
    assert first.t == second.t == 41
    assert first.pending == {"red": 0, "blue": 0}
    assert first.counts == Counter(arms)
    assert [first.pull() for _ in range(9)] == [second.pull() for _ in range(9)]


def test_a_batch_spreads_over_the_arms() -> None:
    live = Decider(list("abcd"), UCB(), Bernoulli())
    assert live.pull(4) == list("abcd")  # each once, without a reward
    assert live.pull(4) == list("abcd")  # then the fewest pending
    live.update("c", 1.0)
    assert live.pull(3) == list("ccc")  # the only one that can have an index
    live.update(list("abd"), [0.5, 0.5, 0.5])
    assert set(live.pull(40)) == set("abcd")


def test_pending_pulls_pay_the_mean() -> None:
    """What a policy sees with pending pulls is what it would see had they paid the mean."""
    live, fed = red_and_blue(), red_and_blue()
    for each in (live, fed):
        each.update(["red"] * 4 + ["blue"] * 2, [1.0, 0.0, 1.0, 0.0, 0.25, 0.25])
    for _ in range(30):
        arm = live.pull()
        assert fed.pull() == arm
        fed.update(arm, fed.means[arm])
    assert live.indices() == pytest.approx(fed.indices())


def test_rewards_of_pulls_made_elsewhere_count() -> None:
    live = red_and_blue()
    live.update("red", 1)
    live.update("blue", np.float64(0.5))
    assert live.t == 3
    assert live.counts == {"red": 1, "blue": 1}
    assert live.means == {"red": 1.0, "blue": 0.5}
    live.update([], [])
    assert live.t == 3


def test_forget_withdraws_a_pull() -> None:
    live = red_and_blue()
    assert live.pull(3) == ["red", "blue", "red"]
    live.forget("red", 2)
    assert live.pending == {"red": 0, "blue": 1}
    assert live.t == 2
    assert live.pull() == "red"


def test_lost_rewards_do_not_freeze_the_draws() -> None:
    live = Decider(["red", "blue"], ThompsonSampling(), Bernoulli())
    live.update(["red", "blue"], [1.0, 1.0])
    seen = set()
    for _ in range(40):
        arm = live.pull()
        seen.add(arm)
        live.forget(arm)
    assert seen == {"red", "blue"}
    assert live.t == 3


def test_many_threads_keep_the_totals(tmp_path: Path) -> None:
    live = Decider(range(5), UCB(), Bernoulli())
    pulled: list[Counter[Any]] = []

    def work(number: int) -> None:
        mine: Counter[Any] = Counter()
        for i in range(300):
            arms = live.pull(3) if i % 5 == 0 else [live.pull()]
            live.update(arms, [1.0] * len(arms))
            mine.update(arms)
            if i % 100 == 0:
                live.save(tmp_path / "s")
                live.disable(number)
                live.enable(number)
        pulled.append(mine)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    total = sum(pulled, Counter())
    assert live.counts == total
    assert sum(total.values()) == 4 * (240 + 60 * 3)
    assert live.t == sum(total.values()) + 1
    assert set(live.pending.values()) == {0}
    assert set(live.means.values()) == {1.0}
    assert Decider.load(tmp_path / "s").arms == live.arms


# --- arms that come and go -----------------------------------------------------------------------


def test_disabled_arms_are_not_played_but_learn() -> None:
    live = Decider(list("abc"), UCB(), Bernoulli())
    live.update(list("abc"), [1.0, 0.0, 0.0])
    live.disable("a")
    assert live.enabled == ("b", "c")
    assert live.arms == ("a", "b", "c")
    assert "a" not in live.pull(20)
    live.update("a", 1.0)
    assert live.counts["a"] == 2
    live.enable("a")
    live.update(live.pull(50), [0.0] * 50)
    assert live.counts["a"] > 2


def test_what_is_disabled_might_as_well_not_be_there() -> None:
    rewards = table(Bernoulli())[0]
    three, two = Decider([9, 0, 1], RBMLE(), Bernoulli()), Decider([0, 1], RBMLE(), Bernoulli())
    three.disable(9)
    assert play(three, rewards, 0, 100) == play(two, rewards, 0, 100)


def test_a_new_arm_is_played_and_a_removed_one_is_gone() -> None:
    live = red_and_blue()
    live.update(["red", "blue"], [1.0, 1.0])
    live.add("green")
    assert live.pull() == "green"
    live.update("green", 0.0)
    live.remove("red")
    assert live.arms == ("blue", "green")
    assert live.t == 3
    live.disable("green")
    assert live.pull(3) == ["blue"] * 3
    live.add("red")
    assert live.counts["red"] == 0


# --- inspection ----------------------------------------------------------------------------------


def test_the_largest_index_is_played() -> None:
    rewards = table(Bernoulli())[0]
    live = decider_for((UCB(), Bernoulli()))
    assert set(live.indices().values()) == {math.inf}
    play(live, rewards, 0, 50)
    for t in range(50, 100):
        indices = live.indices()
        assert indices[live.pull()] == max(indices.values())
        live.update(max(indices, key=lambda arm: indices[arm]), rewards[t, 0])
    arms = live.counts
    i = 2
    width = math.sqrt(2 * math.log(live.t) / arms[i])
    assert live.indices()[i] == pytest.approx(live.means[i] + width)


def test_indices_before_a_reward() -> None:
    live = red_and_blue()
    live.pull()
    assert math.isnan(live.indices()["red"])
    assert live.indices()["blue"] == math.inf
    live.update("red", 1.0)
    assert live.indices()["red"] == pytest.approx(1.0 + math.sqrt(2 * math.log(2)))


def test_repr_is_a_small_table() -> None:
    live = red_and_blue()
    live.update("red", 0.25)
    live.pull()
    live.disable("red")
    assert repr(live).splitlines() == [
        "Decider: UCB(alpha=2.0), Bernoulli(prior_a=1.0, prior_b=1.0), round 3",
        "arm      pulls      mean   pending",
        "red          1      0.25         0  disabled",
        "blue         0       nan         1",
    ]


def test_past_the_horizon_the_rule_stays_in_its_last_round() -> None:
    live = Decider(["a", "b"], KG(), Bernoulli(), horizon=10)
    live.update(["a", "b"] * 20, [1.0, 0.0] * 20)
    assert live.pull(5) == ["a"] * 5


# --- what is refused -----------------------------------------------------------------------------

REFUSED_AT_ONCE = [
    ({"arms": ["red"]}, "'arms' must be a list of at least two names. Got ['red']."),
    ({"arms": 3}, "'arms' must be a list of at least two names. Got 3."),
    ({"arms": "red"}, "'arms' must be a list of at least two names. Got 'red'."),
    ({"arms": ["a", "b", "a"]}, "'arms' must be distinct names. Got 'a'."),
    ({"arms": ["a", 1.5]}, "'arms' must be named by strings or whole numbers. Got 1.5."),
    ({"arms": ["a", True]}, "'arms' must be named by strings or whole numbers. Got True."),
    ({"family": UCB()}, "'family' must be an instance of a family class, as in Bernoulli()."),
    ({"family": Bernoulli}, "'family' must be an instance of a family class"),
    ({"policy": "UCB"}, "policy: 'policy' must be an instance of a policy class"),
    ({"policy": KGMin(), "family": Gaussian()}, "KGMin: 'family' must be one of Bernoulli"),
    ({"policy": MOSS()}, "'horizon' must be given for MOSS, which needs it. Got None."),
    ({"policy": MOSS(), "horizon": 0}, "'horizon' must be a whole number in [1, "),
    ({"seed": -1}, "'seed' must be a whole number in [0, "),
    ({"ties": "firts"}, "Got 'firts'. Did you mean 'first'?"),
    ({"replication": 2**32}, "'replication' must be a whole number in"),
]


@pytest.mark.parametrize(("given", "sentence"), REFUSED_AT_ONCE)
def test_refused_at_once(given: dict[str, Any], sentence: str) -> None:
    settings: dict[str, Any] = {"arms": ["red", "blue"], "policy": UCB(), "family": Bernoulli()}
    with pytest.raises(ParameterError) as caught:
        Decider(**{**settings, **given})
    assert sentence in str(caught.value)


REFUSED_LATER = [
    (lambda d: d.update("red", 2), "'reward' must be a number in [0, 1] for Bernoulli. Got 2."),
    (lambda d: d.update("red", math.nan), "Got nan."),
    (lambda d: d.update("red", math.inf), "Got inf."),
    (lambda d: d.update("red", "1"), "Got '1'."),
    (lambda d: d.update("red", True), "Got True."),
    (lambda d: d.update("red", None), "Got None."),
    (lambda d: d.update("red", [1.0]), "Got [1.0]."),
    (lambda d: d.update(["red"], 1.0), "'reward' must be a list of 1 numbers"),
    (lambda d: d.update(["red", "blue"], [1.0]), "'reward' must be a list of 2 numbers"),
    (lambda d: d.update(["red", "blue"], [1.0, -1]), "[0, 1] for Bernoulli. Got -1."),
    (lambda d: d.update(["red", "bleu"], [1, 1]), "Got 'bleu'. Did you mean 'blue'?"),
    (
        lambda d: d.update("rde", 1.0),
        "must be one of 'red', 'blue'. Got 'rde'. Did you mean 'red'?",
    ),
    (lambda d: d.update(None, 1.0), "'arm' must be one of 'red', 'blue'. Got None."),
    (lambda d: d.update([["red"]], [1.0]), "Got ['red']."),
    (lambda d: d.pull(0), "'n' must be a whole number in [1, inf). Got 0."),
    (lambda d: d.pull(1.5), "Got 1.5."),
    (lambda d: d.forget("blue"), "'n' must be at most 0, the pending pulls of 'blue'. Got 1."),
    (lambda d: d.forget("red", -1), "'n' must be a whole number in [1, inf). Got -1."),
    (lambda d: d.add("red"), "'arm' must be a name that is not in use. Got 'red'."),
    (lambda d: d.add(None), "'arm' must be named by strings or whole numbers. Got None."),
    (lambda d: d.remove("green"), "Got 'green'."),
    (lambda d: d.disable("rd"), "Did you mean 'red'?"),
    (lambda d: d.enable(0), "Got 0."),
]


@pytest.mark.parametrize(("act", "sentence"), REFUSED_LATER)
def test_refused_and_nothing_changed(act: Any, sentence: str) -> None:
    live = red_and_blue()
    live.update("blue", 0.5)
    live.pull()
    before = repr(live)
    with pytest.raises(ParameterError) as caught:
        act(live)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert repr(live) == before


def test_the_last_enabled_arm_stays() -> None:
    live = red_and_blue()
    live.disable("red")
    for act in (live.disable, live.remove):
        with pytest.raises(ParameterError, match=r"one that leaves another enabled\. Got 'blue'"):
            act("blue")
    live.remove("red")
    assert live.arms == ("blue",)
    assert live.pull() == "blue"


def test_rewards_outside_other_supports() -> None:
    for family, reward in ((Exponential(), -0.5), (Gaussian(), math.inf), (Gaussian(), 1e200)):
        live = Decider(["a", "b"], UCB(), family)
        with pytest.raises(ParameterError, match="'reward' must be a number in"):
            live.update("a", reward)
        assert live.t == 1


def test_no_index_no_indices() -> None:
    live = Decider(["a", "b"], ThompsonSampling(), Bernoulli())
    with pytest.raises(ParameterError, match="'policy' must be one that ranks arms by an index"):
        live.indices()


def test_many_names_are_not_all_listed() -> None:
    live = Decider([f"arm {i}" for i in range(50)], UCB(), Bernoulli())
    with pytest.raises(ParameterError) as caught:
        live.update("Arm 49", 1.0)
    assert str(caught.value).endswith("and 42 more. Got 'Arm 49'. Did you mean 'arm 49'?")


def change(**changes: Any) -> Any:
    return lambda state: {**state, **changes}


def change_arm(**changes: Any) -> Any:
    return lambda state: {**state, "arms": [{**state["arms"][0], **changes}, state["arms"][1]]}


def without(key: str) -> Any:
    return lambda state: {name: value for name, value in state.items() if name != key}


CORRUPT = [
    (lambda _: [], "its 'format' is not 'rbmle-decider'"),
    (change(format="other"), "its 'format' is not 'rbmle-decider'"),
    (change(version=2), "its version 2 is newer than 1, the newest known here"),
    (change(version="1"), "'version' must be a whole number"),
    (change(policy="UBC"), "Got 'UBC'. Did you mean 'UCB'?"),
    (change(policy={"name": "UCB", "alhpa": 1}), "Got 'alhpa'. Did you mean 'alpha'?"),
    (change(policy={"name": "UCB", "alpha": -1}), "UCB: 'alpha' must be a number in (0, inf)"),
    (change(policy={"name": "UCB", "alpha": 10**400}), "cannot be loaded"),
    (change(policy="MOSS"), "'horizon' must be given for MOSS"),
    (change(policy="KGMin", family="Gaussian"), "KGMin: 'family' must be one of Bernoulli"),
    (change(policy=None), "'data' must be a name, or an object with a 'name'"),
    (change(family="UCB"), "Got 'UCB'"),
    (change(seed="0"), "'seed' must be a whole number"),
    (change(ties=None), "'ties' must be one of 'random', 'first'"),
    (change(withdrawn=-1), "'withdrawn' must be a whole number"),
    (change(memory=[0.0]), "'memory' must be a list of 0 places"),
    (change(memory=None), "'memory' must be a list of 0 places"),
    (change(arms=[]), "'arms' must be a list of arms, not []"),
    (change(arms=["red"]), "'arms' must be a list of objects, not 'red'"),
    (change_arm(name="blue"), "'arms' must be arms with distinct names, not 'blue'"),
    (change_arm(name=None), "arm 0: 'name' must be a string or a whole number, not None"),
    (change_arm(pulls=-1), "arm 0: 'pulls' must be a whole number in [0, 2^53), not -1"),
    (change_arm(pulls=1.0), "'pulls' must be a whole number"),
    (change_arm(pulls=True), "'pulls' must be a whole number"),
    (change_arm(pulls=0), "'sum' must be that of 0 rewards in [0, 1], not 1.0"),
    (change_arm(sum=5), "'sum' must be that of 2 rewards in [0, 1], not 5.0"),
    (change_arm(sum=10**400), "'sum' must be a finite number"),
    (change_arm(sum="1"), "'sum' must be a finite number"),
    (change_arm(squares=-1), "'squares' must be that of 2 squared rewards"),
    (change_arm(pending=None), "'pending' must be a whole number"),
    (change_arm(pulls=2**52, pending=2**52), "it has too many pulls"),
    (change_arm(enabled=1), "'enabled' must be true or false, not 1"),
    *[
        (without(key), f"{key!r} is missing")
        for key in (
            "version", "policy", "family", "seed", "replication", "horizon", "ties", "withdrawn",
            "memory", "arms",
        )
    ],
]  # fmt: skip


@pytest.mark.parametrize(("damage", "sentence"), CORRUPT)
def test_corrupt_files_are_refused(damage: Any, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    live = red_and_blue()
    live.update(["red", "red", "blue"], [1.0, 0.0, 1.0])
    live.save(path)
    path.write_text(json.dumps(damage(json.loads(path.read_text()))))
    with pytest.raises(StateError) as caught:
        Decider.load(path)
    message = str(caught.value)
    assert sentence in message
    assert message.startswith(f"Decider: {str(path)!r} cannot be loaded:")
    assert "\n" not in message
    assert isinstance(caught.value, ValueError)


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s"
    red_and_blue().save(path)
    content = path.read_bytes().rstrip()
    for size in range(0, len(content), 7):
        path.write_bytes(content[:size])
        with pytest.raises(StateError, match="it is not JSON"):
            Decider.load(path)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"NaN", b'{"a": Infinity}', b"[" * 100_000])
def test_noise_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(content)
    with pytest.raises(StateError, match="it is not JSON"):
        Decider.load(tmp_path / "s")


def test_no_file_is_a_file_not_found_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Decider.load(tmp_path / "none")


# --- records as data -----------------------------------------------------------------------------

RECORDS = [
    UCB(0.1),
    RBMLE(),
    RBMLE(LogBias(1 / 3), "corollary"),
    RBMLE(AdaptiveExponential(bounds="appendix")),
    UCBTuned(math.inf),
    IDS("monte_carlo", 7, 0.99),
    MOSS(True),
    Gaussian(0.1),
    Gamma(),
    Greedy(2),
]


@pytest.mark.parametrize("record", RECORDS, ids=repr)
def test_records_round_trip(record: Any) -> None:
    again = from_spec(json.loads(json.dumps(to_spec(record), allow_nan=False)))
    assert type(again) is type(record)
    assert again == record
    assert repr(again) == repr(record)


def test_specs_that_are_wrong() -> None:
    for data, sentence in (
        ("RBMLEE", "Did you mean 'RBMLE'?"),
        ({"alpha": 1}, "'data' must be a name, or an object with a 'name'"),
        (7, "'data' must be a name, or an object with a 'name'. Got 7."),
        ({"name": 3}, "'name' must be one of"),
        ({"name": "RBMLE", "alpha": {"name": "Logbais"}}, "Did you mean 'LogBias'?"),
        ({"name": "RBMLE", "boundary": "exakt"}, "Did you mean 'exact'?"),
    ):
        with pytest.raises(ParameterError) as caught:
            from_spec(data)
        assert sentence in str(caught.value)
    with pytest.raises(ParameterError, match="'record' must be a policy, family, law or bias"):
        to_spec((1, 2))


@pytest.mark.parametrize("module", [rbmle.live.decider, rbmle.spec])
def test_docstrings_run(module: Any) -> None:
    assert doctest.testmod(module).failed == 0
