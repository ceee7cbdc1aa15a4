"""`help` and `inspect.signature` show readable parameters of policies, families and laws."""

from __future__ import annotations

import inspect
import pydoc
import typing
from typing import Annotated, Any, NamedTuple

import pytest

from rbmle import IDS, POLICIES, RBMLE, UCB, Assuming, Clock, policy
from rbmle._records.record import checked
from rbmle.families import FAMILIES
from rbmle.rewards.laws import LAWS

RECORDS = [
    each
    for each in (*POLICIES.values(), *FAMILIES.values(), *LAWS.values(), Assuming, Clock)
    if each.__module__.startswith("rbmle.")
]


@pytest.mark.parametrize(
    ("kind", "signature"),
    [
        (UCB, "(alpha: float = 2.0)"),
        (
            RBMLE,
            "(alpha: Any = BetaBias(power=0.5, c=1.0), "
            "boundary: Literal['exact', 'corollary', 'published'] = 'exact', "
            "f: Literal['canonical', 'mean', 'stable'] = 'canonical')",
        ),
        (Clock, "(t: int, horizon: int)"),
        (Assuming, "(policy: Any, family: Any)"),
    ],
)
def test_a_signature_says_what_is_given(kind: Any, signature: str) -> None:
    assert str(inspect.signature(kind)) == signature


@pytest.mark.parametrize("kind", RECORDS, ids=lambda each: each.__name__)
def test_help_shows_no_unresolved_annotations(kind: Any) -> None:
    shown = pydoc.plain(pydoc.render_doc(kind))
    assert "ForwardRef" not in shown
    assert "Annotated[" not in shown.split("Data and other attributes defined here")[0]
    assert tuple(inspect.signature(kind).parameters) == kind._fields


def test_help_tells_the_range_of_each_parameter() -> None:
    shown = " ".join(pydoc.plain(pydoc.render_doc(UCB)).replace("|", " ").split())
    assert "UCB(alpha: float = 2.0)" in shown
    assert "alpha A number in (0, inf)." in shown
    assert inspect.getdoc(IDS.samples) == "A whole number in [1, 1e7]."
    assert inspect.getdoc(RBMLE.boundary) == "One of 'exact', 'corollary', 'published'."
    assert "c log t" in str(inspect.getdoc(RBMLE.alpha))


def test_hints_keep_their_intervals() -> None:
    hints = typing.get_type_hints(UCB, include_extras=True)
    assert hints == {"alpha": Annotated[float, "(0, inf)"]}


def test_a_class_of_one_s_own_is_described_too() -> None:
    @policy
    class Described(NamedTuple):
        width: Annotated[float, "(0, 1]"] = 0.5
        whole: bool = False

        def index_of(self, family: Any, arms: Any, i: int, level: float) -> float:
            return self.width

    assert str(inspect.signature(Described)) == "(width: float = 0.5, whole: bool = False)"
    assert inspect.getdoc(Described.width) == "A number in (0, 1]."


def test_other_types_are_shown_as_they_are() -> None:
    @checked
    class Plain(NamedTuple):
        values: tuple[float, ...]
        count: int = 1

    assert str(inspect.signature(Plain)) == "(values: tuple[float, ...], count: int = 1)"
    assert inspect.getdoc(Plain.count) == "A whole number."
