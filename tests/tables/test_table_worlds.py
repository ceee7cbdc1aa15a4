"""Worlds that are tables: live equals simulated, regret is what can be known, bad tables are told
in a sentence."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rbmle
from rbmle import Classification, Decider, Encode, Linear, ParameterError, Replay
from rbmle.rewards.table_rounds import TableRounds
from rbmle.studies.file import world_data, world_of

RNG = np.random.default_rng(7)
ROWS = 150
DEVICES = RNG.choice(["tv", "car", "phone"], ROWS).tolist()
AGES = RNG.normal(40.0, 9.0, ROWS).tolist()
LABELS = [device if age > 35 else "none" for device, age in zip(DEVICES, AGES, strict=True)]
TABLE: dict[str, list[Any]] = {"device": DEVICES, "age": AGES, "class": LABELS}
ENCODE = Encode(["age"], {"device": ["tv", "car"]}, ["device x age"])
ARMS = RNG.choice(["a", "b", "c"], ROWS, p=[0.5, 0.3, 0.2]).tolist()
CHANCES = [{"a": 0.5, "b": 0.3, "c": 0.2}[arm] for arm in ARMS]
PAID = [float(RNG.random() < {"a": 0.2, "b": 0.5, "c": 0.7}[arm]) for arm in ARMS]
LOG: dict[str, list[Any]] = {
    "arm": ARMS, "reward": PAID, "p": CHANCES, "device": DEVICES, "age": AGES
}  # fmt: skip
SEED, REPLICATION = 3, 2


def rows_of(table: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def order_of(world: Any) -> list[int]:
    """The rows that the rounds of a replication meet."""
    source: TableRounds = world.source(SEED, ROWS).own()
    for t in range(1, ROWS + 1):
        source.meet(REPLICATION, t)
    return source.order.tolist()  # type: ignore[no-any-return]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "shuffle", "shared"),
    [("ucb", False, False), ("ucb", True, False), ("ucb", True, True)],
)
def test_live_equals_simulated_where_rows_have_labels(
    policy: str, shuffle: bool, shared: bool
) -> None:
    """With a running scale, and with features of the arms."""
    arms = sorted(set(LABELS))
    encode = ENCODE if not shared else ENCODE.replace(arms=arms, crosses=("arm x age",))
    world = Classification(TABLE, features=encode, shuffle=shuffle)
    result = rbmle.simulate(
        world, [policy], ROWS, 1, seed=SEED, first_replication=REPLICATION, family="gaussian(0.5)",
        evidence=Linear(encode.dimension, shared=shared),
    )  # fmt: skip
    live = Decider(
        arms, policy, "gaussian(0.5)", SEED, replication=REPLICATION,
        evidence=Linear(features=encode, shared=shared),
    )  # fmt: skip
    mistakes, rows = 0, rows_of(TABLE)
    for n in order_of(world):
        arm = live.pull(context=rows[n])
        mistakes += arm != rows[n]["class"]
        live.update(arm, arm == rows[n]["class"])
    assert result.pulls[0, 0].tolist() == list(live.counts.values())
    assert result.final_regret[0, 0] == mistakes
    assert result.best_pulls[0, 0, -1] == ROWS - mistakes


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "probability"), [("ucb", None), ("klucb", "p"), ("ucb", "p")])
def test_live_equals_simulated_where_rounds_were_logged(policy: str, probability: Any) -> None:
    """A round that does not count is one that a decider is told to forget."""
    features = ENCODE if (policy, probability) == ("ucb", "p") else None
    world = Replay(LOG, probability=probability, features=features, shuffle=True)
    family = "gaussian(0.5)" if features else "bernoulli"
    kind = {True: Linear(ENCODE.dimension, shared=False), False: None}[features is not None]
    result = rbmle.simulate(
        world, [policy], ROWS, 1, seed=SEED, first_replication=REPLICATION, family=family,
        evidence=kind,
    )  # fmt: skip
    told = Linear(features=ENCODE, shared=False) if features else None
    live = Decider(world.arms, policy, family, SEED, replication=REPLICATION, evidence=told)
    source: Any = world.source(SEED, ROWS).own()
    paid, rows = [], rows_of(LOG)
    for t in range(1, ROWS + 1):
        source.meet(REPLICATION, t)
        row = rows[source.order[t - 1]]
        arm = live.pull(context=row if features else None)
        if source.accepts(REPLICATION, t, world.arms.index(arm)):
            assert arm == row["arm"]
            live.update(arm, row["reward"])
            paid.append(row["reward"])
        else:
            live.forget(arm)
    assert result.pulls[0, 0].tolist() == list(live.counts.values())
    assert result.best_pulls[0, 0, -1] == len(paid) == result.pulls.sum()
    assert world.reward_of(result.final_regret)[0, 0] == pytest.approx(np.mean(paid))
    assert 15 < len(paid) < 90
    assert "Reward of a row that counts: " in str(result)


def test_a_replay_earns_what_each_arm_pays() -> None:
    """Of many rows a policy that plays one arm earns its mean, with probabilities as without; and
    rows that are left out leave all arms equally often."""
    world = Replay({name: 40 * each for name, each in LOG.items()}, probability="p")
    source: Any = world.source(SEED, ROWS).own()
    counts = np.zeros(3)
    for t in range(1, 40 * ROWS + 1):
        source.meet(0, t)
        counts[source.arms[source.order[t - 1]]] += source.accepts(
            0, t, source.arms[source.order[t - 1]]
        )
    assert counts.std() < 0.05 * counts.mean()
    means = pd.DataFrame(LOG).groupby("arm")["reward"].mean()
    assert world.best == pytest.approx(means.max())


def test_rows_are_shuffled_anew_in_each_replication() -> None:
    world = Classification(TABLE, features=None)
    source: Any = world.source(SEED, ROWS).own()
    orders = []
    for replication in (0, 1, 0):
        for t in range(1, ROWS + 1):
            source.meet(replication, t)
        orders.append(source.order.tolist())
    assert orders[0] == orders[2] != orders[1]
    assert all(sorted(each) == list(range(ROWS)) for each in orders)
    assert order_of(Classification(TABLE, features=None, shuffle=False)) == list(range(ROWS))


WORLDS = {
    "labels": Classification(TABLE, features=ENCODE),
    "all features": Classification(TABLE),
    "no features": Classification(TABLE, features=None, shuffle=False),
    "log": Replay(LOG),
    "log with features": Replay(LOG, "arm", "reward", "p", ENCODE, True),
}


@pytest.mark.parametrize("name", WORLDS)
def test_a_study_states_them(name: str) -> None:
    world = WORLDS[name]
    table = world_data(world)
    assert world_of(table) == world == pickle.loads(pickle.dumps(world))
    assert [each for each in WORLDS.values() if each == world] == [world]
    assert f"{ROWS} rows" in world.described()["Table"]
    with pytest.raises(ParameterError, match=r"'horizon' must be at most the number of rows, 150"):
        world.check_horizon(151)
    with pytest.raises(ParameterError, match="'device' must be 'cpu' for worlds of a table"):
        world.sources([world], 0, 100)
    with pytest.raises(ParameterError, match="'problem' must be a Problem"):
        rbmle.Availability(world, 0.5)


@pytest.mark.parametrize("library", ["pandas", "polars", "rows", "arrays", "file"])
def test_tables_of_any_library_are_the_same_world(library: str, tmp_path: Path) -> None:
    frame = pd.DataFrame(TABLE)
    frame.to_csv(tmp_path / "table.csv", index=False)
    given: Any = {
        "pandas": lambda: frame,
        "polars": lambda: pytest.importorskip("polars").DataFrame(TABLE),
        "rows": lambda: rows_of(TABLE),
        "arrays": lambda: {name: np.array(each) for name, each in TABLE.items()},
        "file": lambda: tmp_path / "table.csv",
    }[library]()
    assert Classification(given, features=ENCODE) == WORLDS["labels"]


def broken(**changes: Any) -> dict[str, Any]:
    return {**TABLE, **changes}


@pytest.mark.parametrize(
    ("table", "changes", "said"),
    [
        (TABLE, {"label": "clas"}, "'label' must be one of the columns 'device', 'age', 'class'"),
        (TABLE, {"label": "clas"}, "Did you mean 'class'"),
        (broken(age=["x", *AGES[1:]]), {}, "a finite number in the column 'age'. Got 'x'"),
        (broken(age=[None, *AGES[1:]]), {}, "a finite number in the column 'age'. Got None"),
        (broken(age=[None] * ROWS), {}, "at least one value in the column 'age'. Got none"),
        (broken(device=[None] * ROWS), {}, "at least one value in the column 'device'"),
        (broken(device=[3] * ROWS), {}, "a string in the column 'device'. Got 3"),
        (broken(**{"class": [1.5] * ROWS}), {}, "'label' must be rows with a string or a whole"),
        (broken(**{"class": ["a"] * ROWS}), {}, "'label' must be a column with two names or more"),
        (broken(**{"class": [None, *LABELS[1:]]}), {}, "'label' must be rows with a name in each"),
        ({"device": DEVICES, "class": LABELS}, {}, "'features' must be one of the columns"),
        ({"device": DEVICES, "class": []}, {}, "'table' must be the path of a CSV file, a table"),
        ([], {}, "'table' must be the path of a CSV file, a table"),
        (3, {}, "'table' must be the path of a CSV file, a table"),
        ({"device": 3}, {}, "'table' must be the path of a CSV file, a table"),
        (TABLE, {"features": "some"}, "'features' must be an Encode, 'all' or None. Got 'some'"),
        (TABLE, {"shuffle": 1}, "'shuffle' must be True or False"),
        (TABLE, {"features": ENCODE.replace(arms=["tv"])}, "Got 'car'"),
    ],
)  # fmt: skip
def test_what_is_refused_of_labels(table: Any, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        Classification(table, **{"features": ENCODE, **changes})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"arm": "action"}, "Replay: 'arm' must be one of the columns"),
        ({"reward": "device"}, "'reward' must be rows with a finite number in the column 'device'"),
        ({"probability": "age"}, r"'probability' must be numbers in \(0, 1\]. Got"),
        ({"probability": "q"}, "'probability' must be one of the columns"),
    ],
)
def test_what_is_refused_of_a_log(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        Replay(LOG, **changes)


def test_what_a_replay_cannot_do_is_refused() -> None:
    world = Replay({**LOG, "reward": [7.0 * each for each in PAID]})
    with pytest.raises(ParameterError, match="'family' must be given for rewards of law Logged"):
        rbmle.simulate(world, ["ucb"], ROWS, 1)
    with pytest.raises(ParameterError, match="'delay' must be left out for a Replay"):
        rbmle.simulate(WORLDS["log"], ["ucb"], ROWS, 1, delay="fixeddelay(3)")
    with pytest.raises(ParameterError, match="no Replay"):
        rbmle.simulate_log(WORLDS["log"], "ucb", ROWS)


@pytest.mark.slow
def test_a_log_of_labelled_rows_has_the_choices_of_the_simulator() -> None:
    world = WORLDS["no features"].__class__(TABLE, features=None)
    log = rbmle.simulate_log(world, "ucb", ROWS, seed=SEED)
    result = rbmle.simulate(world, ["ucb"], ROWS, 1, seed=SEED)
    assert np.bincount(log["arm"], minlength=4).tolist() == result.pulls[0, 0].tolist()
    assert ROWS - log["reward"].sum() == result.final_regret[0, 0]
