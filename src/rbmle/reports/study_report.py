"""The reports of a study and of a single simulation."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from .. import figures
from .._io.text import constant_text, count_text, number_text
from ..errors import ParameterError
from ..policies import RBMLE, Assuming, LogBias
from ..policies.rbmle import BiasFunction
from ..result import Result
from ..rewards.problems import Problem
from ..studies.study_result import StudyResult
from ..theory import Bound, Theoretical, regret_bound
from .content import Plot, Report, Times
from .report_page import write_page
from .sections import section_of

_EPSILONS = np.arange(1, 20) / 20.0  # tried for the smallest bound; all in (0, 1) are valid


def study_report(
    result: StudyResult, target: Path, command: str, times: Mapping[str, Times], file: str = ""
) -> None:
    """Write the page, with a section for each problem, and bounds on regret if theory has them.

    target: the page's file. command, file: the command and the run folder that the page names.
    times: the stored times of decisions, {} if there are none.
    """
    study = result.study
    summary = [
        f"{count_text(len(study.policies), 'policy', 'policies')} on "
        f"{count_text(len(study.problems), 'problem')}, {count_text(study.horizon, 'round')}, "
        f"{count_text(study.replications, 'replication')}, seed {study.seed}.",
        *(f"Still to play: {each}." for each in result.missing),
    ]
    sections = []
    for name, each in result.results.items():
        drawn = bounds_plots(each, study.policies)
        if set(times.get(name, ())) >= set(each.names):
            drawn.append(times_plot(each, times[name], _times_caption(times[name], each.names)))
        sections.append(section_of(each, name, plots=drawn))
    title = study.name or "A study of bandit policies"
    provenance, text = result.provenance, study.to_toml()
    write_page(target, Report(title, command, summary, sections, provenance, file, text))


def result_report(result: Result, target: Path, command: str) -> None:
    """Write the page of a simulation that was not stored; it has one section."""
    section = section_of(result, "Regret", plots=bounds_plots(result))
    write_page(target, Report("A simulation of bandit policies", command, (), [section]))


def times_plot(
    result: Result,
    times: Times,
    caption: str,
    published: Mapping[str, tuple[float, float]] | None = None,
    unit: str | None = None,
) -> Plot:
    """The figure of time per decision of the compiled loop against mean final regret.

    published, unit: as `time_against_regret` takes them; without a unit times are in seconds.
    """
    seconds = [times[label]["compiled"]["median"] for label in result.names]
    mean = result.final_regret.mean(axis=1)
    record = figures.time_against_regret(result.names, seconds, mean, published, unit)
    return Plot(figures.draw_time_against_regret(record), caption)


def _times_caption(times: Times, names: Sequence[str]) -> str:
    caption = "Time per decision of the compiled loop, choosing only, against mean final regret."
    if all("live" in times[name] for name in names):
        live = [f"{name} {number_text(times[name]['live']['median'] * 1e6)}" for name in names]
        caption += f" A pull of the live Decider took, in microseconds: {', '.join(live)}."
    return caption


def regret_bounds_of(result: Result, asked: Mapping[str, object] | None = None) -> dict[str, Bound]:
    """The regret bounds by policy; only RBMLE with a C_alpha that is large enough has one.

    asked: the policies as the study states them. A `Theoretical` among them names its proposition
    and epsilon. For other policies it is the smallest bound of all propositions and epsilons.
    """
    found: dict[str, Bound] = {}
    problem, horizon = result.problem, max(2, result.horizon)
    # The theory assumes means that stay, rewards that come at once, and that every pull counts.
    special = result.delay is not None or result.special_evidence is not None
    if special or not isinstance(problem, Problem):
        return found
    for name, policy, family in zip(result.names, result.policies, result.families, strict=True):
        if not isinstance(policy, RBMLE) or not isinstance(policy.alpha, LogBias):
            continue
        if not policy.settles() or policy.f != BiasFunction.canonical:
            continue
        given, c = (asked or {}).get(name), policy.alpha.c
        request = given.policy if isinstance(given, Assuming) else given
        ways = [(proposition, e, None) for proposition in (2, 3, 4, 5) for e in _EPSILONS]
        if isinstance(request, Theoretical):
            ways = [(request.proposition, request.epsilon, request.lower)]
        bounds = []
        for proposition, epsilon, lower in ways:
            with contextlib.suppress(ParameterError):  # the proposition does not apply
                way = (proposition, c, epsilon, lower, family)
                bounds.append(regret_bound(problem, horizon, *way))
        if bounds:
            found[name] = min(bounds, key=lambda each: each.total)
    return found


def bounds_plots(result: Result, asked: Mapping[str, object] | None = None) -> list[Plot]:
    """The figure of regret beside its bounds; none where no policy has a bound.

    asked: as in `regret_bounds_of`.
    """
    bounds = regret_bounds_of(result, asked)
    if not bounds:
        return []
    facts = "; ".join(
        f"{name}: at most {constant_text(bound.slope)} log T + {constant_text(bound.constant)} "
        f"(Proposition {bound.proposition}, C_alpha {constant_text(bound.c_alpha)}), "
        f"{constant_text(bound.total)} here"
        + ("" if bound.informative else ", which is more than any policy can lose")
        for name, bound in bounds.items()
    )
    caption = (
        "Regret beside its upper bound (dash-dotted) and Lai and Robbins' lower bound (dotted, for "
        f"rewards of a family), both scales log. {facts}."
    )
    record = figures.regret_and_bounds(result, bounds)
    return [Plot(figures.draw_regret_and_bounds(record), caption)]
