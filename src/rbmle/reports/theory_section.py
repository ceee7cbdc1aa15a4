"""The theory in reports: regret beside its bounds, and traces of the adaptive schemes."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

import numpy as np

from .._io.text import constant_text, without_defaults
from ..errors import ParameterError
from ..figures import draw_adaptive, draw_regret_and_bounds, regret_and_bounds
from ..paper.demonstration import SCHEMES, Demonstration
from ..policies import RBMLE, Assuming, LogBias
from ..policies.rbmle import BiasFunction
from ..result import Result
from ..rewards.problems import Problem
from ..theory import Bound, Theoretical, regret_bound
from .content import Cells, Plot, ReportTable, Section, TableCell

_EPSILONS = np.arange(1, 20) / 20.0  # tried for the smallest bound; all in (0, 1) are valid


def regret_bounds_of(result: Result, asked: Mapping[str, object] | None = None) -> dict[str, Bound]:
    """The regret bounds of the policies that have one, by name: RBMLE with a C_alpha that is large
    enough.

    asked: the policies as the study states them. A `Theoretical` among them names its proposition
    and epsilon. For other policies it is the smallest bound of all propositions and epsilons.
    """
    found: dict[str, Bound] = {}
    # The theory assumes means that stay, rewards that come at once, and that every pull counts.
    special = result.delay is not None or result.special_evidence is not None
    if special or not isinstance(result.problem, Problem):
        return found
    for name, policy, family in zip(result.names, result.policies, result.families, strict=True):
        if not isinstance(policy, RBMLE) or not isinstance(policy.alpha, LogBias):
            continue
        if not policy.settles() or policy.f != BiasFunction.canonical:
            continue
        given = (asked or {}).get(name)
        request = given.policy if isinstance(given, Assuming) else given
        ways = (
            [(request.proposition, request.epsilon, request.lower)]
            if isinstance(request, Theoretical)
            else [(proposition, e, None) for proposition in (2, 3, 4, 5) for e in _EPSILONS]
        )
        bounds = []
        for way in ways:
            with contextlib.suppress(ParameterError):  # the proposition does not apply
                proposition, epsilon, lower = way
                horizon, c = max(2, result.horizon), policy.alpha.c
                bounds.append(
                    regret_bound(result.problem, horizon, proposition, c, epsilon, lower, family)
                )
        if bounds:
            found[name] = min(bounds, key=lambda each: each.total)
    return found


def bounds_plot(result: Result, bounds: Mapping[str, Bound]) -> Plot:
    """The figure of regret beside its bounds."""
    said = "; ".join(
        f"{name}: at most {constant_text(bound.slope)} log T + {constant_text(bound.constant)} "
        f"(Proposition {bound.proposition}, C_alpha {constant_text(bound.c_alpha)}), "
        f"{constant_text(bound.total)} here"
        + ("" if bound.informative else ", which is more than any policy can lose")
        for name, bound in bounds.items()
    )
    return Plot(
        draw_regret_and_bounds(regret_and_bounds(result, bounds)),
        "Regret beside its upper bound (dash-dotted) and Lai and Robbins' lower bound (dotted, for "
        f"rewards of a family), both scales log. {said}.",
    )


def theory_section(shown: Demonstration) -> Section:
    """The section about theory: Proposition 2's bound on a run, and traces of Algorithms 1 to 3."""
    study, result = shown.bounded.study, shown.bounded.result
    figures = [bounds_plot(result, regret_bounds_of(result, study.policies))]
    rows: list[Cells] = []
    for name, trace in shown.traces.items():
        problem = SCHEMES[name].problem
        law, means = problem.law, " ".join(f"{each:g}" for each in problem.means)
        last = float(np.median(trace.c_alpha[-trace.rounds.size // 10 :]))
        takes_over = trace.takes_over or "never"
        values = [constant_text(each) for each in (trace.target, trace.limit, last)]
        rows.append([TableCell(f"{name}, {type(law).__name__} {means}"), takes_over, *values])
        caption = (
            f"{name}: beta(t) governs first, then the estimate, which tends to its limit and not "
            "to what it would be if the means were known."
        )
        figures.append(
            Plot(draw_adaptive(trace, f"{name}, {without_defaults(law)}, means {means}"), caption)
        )
    columns = ("scheme", "takes over in round", "target", "limit", "last tenth")
    assert isinstance(result.problem, Problem)  # as the demonstration states it
    means = ", ".join(f"{each:g}" for each in result.problem.means)
    return Section(
        title="Theory",
        text="RBMLE with the least C_alpha for which Proposition 2's bound is proved, on Bernoulli "
        f"arms with means {means}; and one run of each adaptive scheme, on problems whose "
        "gap is large enough for its estimate of C_alpha to take over.",
        table=ReportTable(columns, rows, "C_alpha as the adaptive schemes estimate it."),
        figures=figures,
        policies=result.names,
    )
