"""Two tables of labelled rows, played by `Decider` and by four other libraries: ours is right at
least as often as the best of them on the same rows, and quicker. benchmarks/peers_tables.py has the
streams and the settings, which were chosen on other data."""

from __future__ import annotations

import pandas as pd
import pytest

from rbmle import Decider, Encode, Linear, ParameterError

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

QUICKER = 5.0  # times as long as ours the others take at least, with the features that ours has
TURNS = 20  # of which the quickest counts: the machine may be busy
LONG = 2e6  # microseconds beyond which a play is not repeated


@pytest.mark.parametrize("name", ["phishing", "digits"])
def test_ours_earns_at_least_what_the_best_of_the_others_does(name: str) -> None:
    peers = pytest.importorskip("benchmarks.peers_tables")
    x, y = peers.tables()[name]
    arms = list(range(int(y.max()) + 1))
    forms = (peers.raw, peers.encoded) if name == "phishing" else (peers.encoded,)
    for peer, (play, _) in peers.PEERS.items():
        rows = peers.FEWER_ROWS.get((name, peer), len(y))
        ours = peers.rbmle(x[:rows], y[:rows], arms)
        for form in forms:
            theirs = play("LinUCB", form(x, y)[:rows], y[:rows], arms)
            assert ours.right >= theirs.right, (peer, form.__name__)


@pytest.mark.parametrize("name", ["phishing", "digits"])
def test_ours_is_five_times_as_quick_as_the_others(name: str) -> None:
    peers = pytest.importorskip("benchmarks.peers_tables")
    x, y = peers.tables()[name]
    arms, features = list(range(int(y.max()) + 1)), peers.encoded(x, y)
    for peer, (play, _) in peers.PEERS.items():
        rows, theirs, ours = peers.FEWER_ROWS.get((name, peer), len(y)), [], []
        while len(ours) < TURNS and sum(theirs) * rows < LONG:
            theirs.append(play("LinUCB", features[:rows], y[:rows], arms).micros)
            ours.append(peers.rbmle(x[:rows], y[:rows], arms).micros)
        assert min(theirs) >= QUICKER * min(ours), (peer, theirs, ours)


def test_a_transformer_of_scikit_learn_stands_in_the_place_of_an_encode() -> None:
    compose = pytest.importorskip("sklearn.compose")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    frame = pd.DataFrame({"age": [20.0, 40.0, 60.0], "device": ["tv", "car", "tv"]})
    made = compose.make_column_transformer(
        (preprocessing.OneHotEncoder(), ["device"]), (preprocessing.StandardScaler(), ["age"])
    ).fit(frame)
    live = Decider(["a", "b"], "ucb", "gaussian", evidence=Linear(features=made, shared=False))
    same = Encode({"age": [40.0, frame["age"].std(ddof=0)]}, {"device": ["car", "tv"]})
    for n in range(30):
        row = {"device": ["tv", "car"][n % 2], "age": 20.0 + n}
        arm = live.pull(context=row if n % 3 else pd.DataFrame([row]))
        live.update(arm, float(arm == "a"))
        car, tv, age = made.transform(pd.DataFrame([row]))[0]
        assert [age, car, tv] == pytest.approx(same.vector(row)[1:4].tolist())
    assert list(live.summary().coefficients)[2] == "a: standardscaler__age"
    for row, said in (({"age": 3}, "the column 'device'"), ({"age": 3, "device": "x"}, "It said:")):
        with pytest.raises(ParameterError, match=said):
            live.pull(context=row)
