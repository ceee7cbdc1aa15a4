"""A game as data that JSON can hold, and back: in a decider's file, its pickle, and a snapshot of
the service. A file is versioned, written atomically, and checked when it is read."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from math import inf, isnan, nan
from pathlib import Path

import numpy as np

from .._io.files import sweep_leftovers, write_atomically
from ..errors import ParameterError
from ..evidence import EVIDENCE, Counting
from ..families import FAMILIES
from ..policies.fit import PLAYERS
from ..spec import from_spec
from .feature_game import FeatureGame, FeaturePull, game_of
from .guardrails import as_guardrails
from .input_checks import support
from .live_arm import Decisions, LiveArm
from .live_game import LiveGame
from .settings import Settings
from .state_reader import Reader, is_number

FORMAT, VERSION = "rbmle-decider", 1
_FORGOTTEN = "forgotten"  # JSON has no NaN
_INFINITE = "inf"  # nor this: features that are all 0 are worth 1e300 pulls, whose squares overflow


def plain_game(game: LiveGame) -> dict[str, object]:
    """All that a game knows, except its settings."""
    known: dict[str, object] = {}
    costs = {name: column.tolist() for name, column in game.costs().items()}
    if not isinstance(game.evidence, Counting):  # the state of `Counting` is in the arms
        rows = [[_INFINITE if x == inf else x for x in each.tolist()] for each in game.known]
        known = {"statistics": rows, "memory": game.remembered.tolist()}
    if isinstance(game, FeatureGame):
        # The working memory of evidence may depend on the last features, so it is saved too.
        known["features"] = game.game.features.values.ravel().tolist()
        known["pulls"] = [_plain_pull(each, game) for each in game.pulls.values()]
        known["came"] = [_plain_pull(each, game) for each in game.came]
        if game.encoder is not None:
            known["scale"] = game.encoder.scale.ravel().tolist()
    return {
        "withdrawn": game.withdrawn,
        "memory": game.memory,
        "arms": [_plain_arm(arm) for arm in game.arms.values()],
        **({"known": known} if known else {}),
        **({"costs": costs} if costs else {}),
        **({"looks": [[level, *each] for level, each in game.looks.items()]} if game.looks else {}),
    }


def _plain_arm(arm: LiveArm) -> dict[str, object]:
    return {
        "name": arm.name,
        "pulls": arm.pulls,
        "sum": arm.total,
        "squares": arm.squares,
        "origin": arm.origin,
        "pending": list(arm.pending),
        "lost": arm.lost,
        "last": arm.last,
        "enabled": arm.enabled,
        "elsewhere": arm.elsewhere,
        **({"measured": arm.measured} if arm.measured else {}),
        **({"reason": arm.reason} if arm.reason else {}),
    }


def _plain_pull(pull: FeaturePull, game: FeatureGame) -> list[object]:
    forgotten = pull.imputed is not None and isnan(pull.imputed)
    imputed = _FORGOTTEN if forgotten else pull.imputed
    row = [] if game.encoder is None else [pull.row.tolist()]
    return [pull.number, pull.arm.name, pull.context.tolist(), imputed, pull.reward, *row]


def plain_decisions(decisions: Decisions) -> list[list[object]]:
    """The named decisions as data: lists of id, arm, number, reward and probability."""
    return [
        [id, each.arm.name, each.number, each.reward, each.probability]
        for id, each in decisions.items()
    ]


def write(path: str | os.PathLike[str], state: Mapping[str, object]) -> None:
    """Write the state to the file; a reader sees the old or the new state, also after a crash."""
    text = json.dumps({"format": FORMAT, "version": VERSION, **state}, indent=1, allow_nan=False)
    write_atomically(path, (text + "\n").encode("ascii"))
    sweep_leftovers(path)


def read(path: str | os.PathLike[str]) -> Reader:
    """The state in the file; raises StateError unless this version of the package can read it."""
    with open(path, "rb") as file:
        content = file.read()
    reader = Reader(path, {})
    try:
        reader.data = json.loads(content.decode("utf-8"), parse_constant=_refuse)
    except UnicodeDecodeError:
        raise reader.error("it is not in UTF-8; save it as UTF-8") from None
    except (ValueError, RecursionError):
        raise reader.error("it is not JSON") from None
    if not isinstance(reader.data, dict) or reader.data.get("format") != FORMAT:
        raise reader.error(f"its 'format' is not {FORMAT!r}")
    version = reader.whole("version", least=1)
    if version > VERSION:
        raise reader.error(f"its version {version} is newer than {VERSION}, the newest known here")
    return reader


def is_decider(path: Path) -> bool:
    """Whether the path may be that of a saved decider: a file that is no study."""
    return path.is_file() and path.suffix != ".toml"


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def resumed(
    saved: Reader, policy: object, family: object, evidence: object
) -> tuple[Settings, LiveGame, Decisions]:
    """The settings, the game and the named decisions of a saved decider.

    policy, family, evidence: used instead of the saved ones. If the policy is the saved one, it
    goes on with its memory.
    """
    try:
        own = from_spec(saved.take("policy"), PLAYERS) if policy is None else policy
        model = from_spec(saved.take("family"), FAMILIES) if family is None else family
        if evidence is None:
            evidence = from_spec(saved.take("evidence"), EVIDENCE)
        seed, horizon, ties = saved.take("seed"), saved.take("horizon"), saved.take("ties")
        later = saved.take("replication"), saved.take("patience"), evidence
        rails = as_guardrails(saved.take("guardrails") if "guardrails" in saved.data else ())
        settings = Settings.checked(own, model, seed, horizon, ties, *later)
        settings = settings._replace(guardrails=rails)
        game = restored(saved, settings)
    except (ParameterError, OverflowError) as problem:
        raise saved.error(str(problem).rstrip(".")) from None
    if policy is None or "policy" not in saved.data:
        game.memory = saved.memory(len(game.memory))
    return settings, game, saved.decisions(game.arms)


def restored(saved: Reader, settings: Settings) -> LiveGame:
    """The game that `plain_game` wrote, without the policy's memory."""
    arms = saved.arms(support(settings.family))
    sums = 1 + len(settings.guardrails)
    wrong = next((each.measured for each in arms if len(each.measured) not in (0, sums)), None)
    if wrong is not None:
        raise saved.bad("measured", f"lists of {sums} numbers", wrong)
    game = game_of(settings, arms, saved.whole("withdrawn"))
    for name, column in game.costs().items():
        column[:] = saved.inside("costs").numbers(name, column.size)
    for each in saved.items("looks") if "looks" in saved.data else []:
        form = isinstance(each, list) and len(each) == 3 and is_number(each[0])
        if not form or type(each[1]) not in (str, int) or type(each[2]) is not int:
            raise saved.bad("looks", "a list of level, arm and decision", each)
        game.looks[float(each[0])] = each[1], each[2]
    if isinstance(game.evidence, Counting):
        return game
    known, n_arms = saved.inside("known"), len(game.arms)
    listed = known.take("statistics")
    if not isinstance(listed, list) or len(listed) != len(game.known):
        raise known.bad("statistics", f"{len(game.known)} lists", listed)
    for mine, given in zip(game.known, listed, strict=True):
        infinite = [each == _INFINITE for each in given] if isinstance(given, list) else []
        finite = [0.0 if each == _INFINITE else each for each in given] if infinite else given
        mine[:] = known.numbers("statistics", n_arms, finite)
        mine[np.array(infinite, dtype=bool)] = inf
    game.remembered[:] = known.numbers("memory", game.remembered.size)
    if not game.evidence.holds(n_arms, game.remembered):
        kind = type(game.evidence).__name__
        raise known.bad("memory", f"what {kind} remembers", game.remembered.tolist())
    if isinstance(game, FeatureGame):
        _restore_pulls(game, known)
    game.show_all()
    return game


def _restore_pulls(game: FeatureGame, known: Reader) -> None:
    """Restore the pulls whose rewards are not learned yet."""
    values, encoder = game.game.features.values, game.encoder
    if encoder is not None:
        scale = known.numbers("scale", encoder.scale.size)
        encoder.scale = scale.reshape(encoder.scale.shape)
    values[:] = known.numbers("features", values.size).reshape(values.shape)
    pulls = [_pull(game, known, "pulls", each) for each in known.items("pulls")]
    game.pulls = {each.number: each for each in pulls if each.number is not None}
    pending = sorted((n, arm.name) for arm in game.arms.values() for n in arm.pending)
    if [(each.number, each.arm.name) for each in pulls] != pending:
        raise known.bad("pulls", "the pending pulls of the arms", [each[0] for each in pending])
    game.came = [_pull(game, known, "came", each) for each in known.items("came")]
    if any(each.reward is None for each in game.came):
        raise known.bad("came", "pulls with a reward", None)


def _pull(game: FeatureGame, known: Reader, key: str, given: object) -> FeaturePull:
    """One pull: its number, arm, features, imputed reward and reward."""
    allowed = "lists of number, arm, context, imputed and reward"
    size = 5 if game.encoder is None else 6
    if not isinstance(given, list) or len(given) != size:
        raise known.bad(key, allowed, given)
    if type(given[0]) not in (int, type(None)) or given[1] not in game.arms:
        raise known.bad(key, allowed, given)
    number, arm, context, *rewards = given[:5]
    rewards = [nan if each == _FORGOTTEN else each for each in rewards]
    if any(each is not None and type(each) not in (int, float) for each in rewards):
        raise known.bad(key, allowed, given)
    vector = known.numbers(key, game.evidence.reads(), context)
    imputed, reward = (None if each is None else float(each) for each in rewards)
    row = vector if game.encoder is None else known.numbers(key, game.width, given[5])
    return FeaturePull(number, game.arms[arm], vector, row, imputed, reward)
