"""The reports of a study and of a single simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from .._io.text import count_text, number_text
from ..figures import draw_time_against_regret, time_against_regret
from ..result import Result
from ..studies.study_result import StudyResult
from .content import Plot, Report, Times
from .report_page import write_page
from .sections import section_of
from .theory_section import bounds_plot, regret_bounds_of


def study_report(
    result: StudyResult, target: Path, command: str, times: Mapping[str, Times], file: str = ""
) -> None:
    """Write the page, with a section for each problem, and bounds on the regret where theory has
    them.

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
        section = section_of(each, name)
        bounds = regret_bounds_of(each, study.policies)
        if bounds:
            section = replace(section, figures=(*section.figures, bounds_plot(each, bounds)))
        if set(times.get(name, ())) >= set(each.names):
            drawn = _timed(each, times[name])
            section = replace(section, figures=(*section.figures, drawn))
        sections.append(section)
    title = study.name or "A study of bandit policies"
    provenance, text = result.provenance, study.to_toml()
    write_page(target, Report(title, command, summary, sections, provenance, file, text))


def result_report(result: Result, target: Path, command: str) -> None:
    """Write the page of a simulation that was not stored; it has one section."""
    section, bounds = section_of(result, "Regret"), regret_bounds_of(result)
    if bounds:
        section = replace(section, figures=(*section.figures, bounds_plot(result, bounds)))
    write_page(target, Report("A simulation of bandit policies", command, (), [section]))


def _timed(result: Result, times: Times) -> Plot:
    """The figure of time per decision against regret, in seconds on the machine that played."""
    seconds = [times[label]["compiled"]["median"] for label in result.names]
    record = time_against_regret(result.names, seconds, result.final_regret.mean(axis=1))
    said = "Time per decision of the compiled loop, choosing only, against mean final regret."
    if all("live" in times[label] for label in result.names):
        live = [
            f"{label} {number_text(times[label]['live']['median'] * 1e6)}" for label in result.names
        ]
        said += f" A pull of the live Decider took, in microseconds: {', '.join(live)}."
    return Plot(draw_time_against_regret(record), said)
