"""What is said over HTTP: the bodies of requests and of answers, and a status with each answer.

msgspec reads and writes them, and describes them for OpenAPI. Unknown fields and wrong types are
refused. Limits are only described here: whoever uses a value refuses it by a sentence of its own.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta, Struct

from ..errors import ParameterError
from ..policies.priced import NET, RATIO

MAX_NAME_LENGTH = 200  # characters of an experiment's, an arm's or a decision's name; a choice
MAX_BATCH_ITEMS = 1_000  # of a batch: more would keep other callers waiting; a choice
# Places of a slate times its candidates: the row of each place names those that are left, so that
# the log grows by at most some 0.6 MB.
MAX_SLATE_CANDIDATES = 100_000
MAX_BATCH_CANDIDATES = 1_000_000  # the same of all slates of a batch but their first places: 0.4 s
_MAX_ERROR_LENGTH = 1_000  # characters; a choice: errors of the package show 500 of a value
COMPONENTS = "#/components/schemas/{name}"  # where OpenAPI has the schema of a body


def described(**schema: object) -> Meta:
    """What OpenAPI says of a type beside its kind."""
    return Meta(extra_json_schema=schema)


Label = Annotated[str, described(minLength=1, maxLength=MAX_NAME_LENGTH)]
Count = Annotated[int, described(minimum=0)]
Positive = Annotated[int, described(minimum=1)]
Seconds = Annotated[float, described(exclusiveMinimum=0)]
Amount = Annotated[float, described(minimum=0)]
Objective = Annotated[str, described(enum=[NET, RATIO])]
Ties = Annotated[str, described(enum=["random", "first"])]
State = Annotated[str, described(enum=["active", "paused", "retired"])]
Consistency = Annotated[str, described(enum=["serial", "snapshot"])]
_Fields = Annotated[
    dict[str, Any], described(properties={"name": {"type": "string"}}, required=["name"])
]
Spec = _Fields | str  # a policy, a family or an evidence, as `rbmle.spec` reads it
Cost = Annotated[
    dict[str, Any],
    Meta(description='The cost of each arm by its name; or {"name": "Seen", "largest": 0.05}.'),
    described(minProperties=1),
]
_Cell = str | float | bool | None
Context = Annotated[
    dict[str, _Cell | list[_Cell] | dict[str, _Cell]] | list[_Cell] | None,
    Meta(
        description="The features of each active arm by its name; or one list for all arms, if "
        "each has a theta of its own. With an Encode, a row: an object or a list of the values of "
        "its columns, for all arms or by the name of each. Only for evidence that reads features."
    ),
]
Among = Annotated[
    list[Label] | None,
    Meta(description="The candidates: some of the active arms; by default all of them."),
]

_IN_BATCH = [
    {"$ref": COMPONENTS.format(name=each)}
    for each in ("Decided", "Slate", "RewardCounted", "Refused")
]
_ItemBody = Annotated[msgspec.Raw, described(anyOf=_IN_BATCH)]


class Body(Struct, forbid_unknown_fields=True):
    """What is sent; unknown fields are refused."""


# Requests


class NewGuardrail(Body):
    """A guardrail of an experiment: `rbmle.Guardrail` explains its fields."""

    metric: Label
    at_most: float | None = None
    at_least: float | None = None
    delta: Annotated[float, described(exclusiveMinimum=0, exclusiveMaximum=1)] = 0.05
    low: float = 0.0
    high: float = 1.0


class NewExperiment(Body):
    """An experiment; docs/reference/service.md explains each field."""

    arms: Annotated[list[Label], described(minItems=2, uniqueItems=True)]
    policy: Spec
    family: Spec
    evidence: Spec | None = None
    seed: Count = 0
    horizon: Positive | None = None
    ties: Ties = "random"
    patience: Positive | None = None
    reward_wait_s: Seconds | None = None
    default_reward: float | None = None
    probabilities: bool | None = None
    consistency: Consistency = "serial"
    cost: Cost | Amount | None = None
    objective: Objective | None = None
    price: Amount | None = None
    budget: Amount | None = None
    guardrails: list[NewGuardrail] = []


class NewDecision(Body):
    """A decision that is asked for. id: the caller's name for it."""

    id: Label | None = None
    context: Context = None
    among: Among = None


class Decide(NewDecision, kw_only=True):
    """A decision in a batch: which experiment shall choose an arm."""

    experiment: Label


class NewSlate(NewDecision, kw_only=True):
    """A slate that is asked for: k distinct arms in order. The decision of each place has the id
    with a point and the place, from 1: visit-7.1."""

    k: Annotated[int, described(minimum=1, maximum=MAX_BATCH_ITEMS)]


class FillSlate(NewSlate, kw_only=True):
    """Which experiment shall fill the slate."""

    experiment: Label

    def ids(self) -> list[str | None]:
        """The ids of its decisions."""
        return [None if self.id is None else f"{self.id}.{place + 1}" for place in range(self.k)]


class NewReward(Body):
    """A reward. cost: of the decision, where costs are seen. metrics: those of guardrails."""

    value: float
    cost: Amount | None = None
    metrics: dict[Label, float] | None = None

    def more(self) -> dict[str, Any]:
        """What came beside the value."""
        extras = {"cost": self.cost, "metrics": self.metrics}
        return {name: each for name, each in extras.items() if each is not None}


class Reward(NewReward, kw_only=True):
    """A reward in a batch; `experiment` is needed only if two experiments use the same id."""

    id: Label
    experiment: Label | None = None


Asked = Decide | FillSlate | Reward


class BatchItem(Body):
    """A decision, a slate or a reward."""

    decision: Decide | None = None
    slate: FillSlate | None = None
    reward: Reward | None = None


class BatchRequest(Body):
    """Decisions, slates and rewards that are carried out in one transaction. Each place of a slate
    counts as one item."""

    items: Annotated[list[BatchItem], described(minItems=1, maxItems=MAX_BATCH_ITEMS)]


class NewArm(Body):
    name: Label


class NewState(Body):
    state: State


# Answers


class Compiling(Body):
    """What is being compiled, and for how many seconds so far."""

    kind: str
    seconds: float


class Created(NewExperiment, kw_only=True):
    """An experiment as it was created. compiling: what its first decision waits for, if it does."""

    name: Label
    compiling: Compiling | msgspec.UnsetType = msgspec.UNSET


class Decided(Body):
    """A decision: its id, the arm to play, the round, and the probability of the arm, if it is
    known."""

    id: Label
    arm: Label
    t: Positive
    probability: Annotated[float, Meta(ge=0, le=1)] | None


class Slate(Body):
    """The decisions of a slate, in the order of its places."""

    places: list[Decided]


class RewardCounted(Body):
    """Whether the reward was counted now; false if it had been before."""

    counted: bool


class ArmState(Body):
    name: Label
    state: State


class Ended(Body):
    """An experiment that has ended, and the time of its last row."""

    name: Label
    at: float


class BatchAnswer(Body):
    status: int
    body: _ItemBody


class BatchAnswers(Body):
    answers: list[BatchAnswer]


class Health(Body):
    status: str


class Ready(Health, omit_defaults=True):
    """Whether the database can be written; how many experiments cannot be used, and, for those who
    may see them, which."""

    quarantined: Count = 0
    names: list[Label] = []


class Refused(Body):
    """Why nothing was done, in one sentence."""

    error: str


_encode = msgspec.json.Encoder().encode


class Answer(NamedTuple):
    """The status and the body, as JSON, of an answer."""

    status: int
    body: bytes


def answer(status: int, body: Struct) -> Answer:
    """An answer with this body."""
    return Answer(status, _encode(body))


def refusal(status: int, sentence: str) -> Answer:
    """An answer that refuses, with one sentence that says why.

    What the caller sent may be part of it, so it is made one line, and cut if it is long.
    """
    cut = sentence[:_MAX_ERROR_LENGTH]
    line = "".join(each if each.isprintable() else " " for each in cut)
    return answer(status, Refused(line + "..." if len(cut) < len(sentence) else line))


COUNTED, NOT_COUNTED = answer(200, RewardCounted(True)), answer(200, RewardCounted(False))
NO_KEY = refusal(401, "The key is missing, unknown or revoked.")
EXPIRED_KEY = refusal(401, "The key has expired.")
WRONG_KEYS = refusal(429, "Too many wrong keys come; try again later.")


class RefusedError(Exception):
    """A request that is refused before it reaches the ledger; it holds the answer. cause: what an
    operator should read of it, if anything."""

    def __init__(self, refused: Answer, cause: str = "") -> None:
        self.answer, self.cause = refused, cause


def no_experiment(name: str) -> Answer:
    """The answer for an experiment that is not there, or not for this key."""
    return refusal(404, f"There is no experiment {name!r}.")


def a_label(parameter: str, given: str) -> str:
    """A name of an experiment, an arm or a decision: 1 to 200 characters that can be printed."""
    if not 1 <= len(given) <= MAX_NAME_LENGTH or not given.isprintable():
        raise ParameterError(
            "service", parameter, f"1 to {MAX_NAME_LENGTH} characters that can be printed", given
        )
    return given
