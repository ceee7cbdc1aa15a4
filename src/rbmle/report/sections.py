"""The report of a study, made of what its run stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from .._text import count_text, number_text
from ..figures import draw_time_against_regret, time_against_regret
from ..result import Result
from ..studies.study_result import StudyResult
from .page import Plot, Report, section_of, write_report
from .theory import bounds_of, bounds_plot


def study_report(
    result: StudyResult, target: Path, command: str, times: Mapping[str, Any], file: str = ""
) -> None:
    """One section for each problem; where theory bounds a policy's regret, its bound too.

    file: where the run is stored.
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
        bounds = bounds_of(each, study.policies)
        if bounds:
            section = replace(section, figures=(*section.figures, bounds_plot(each, bounds)))
        if set(times.get(name, ())) >= set(each.names):
            drawn = _timed(each, times[name])
            section = replace(section, figures=(*section.figures, drawn))
        sections.append(section)
    title = study.name or "A study of bandit policies"
    provenance, text = result.provenance, study.to_toml()
    write_report(target, Report(title, command, summary, sections, provenance, file, text))


def result_report(result: Result, target: Path, command: str) -> None:
    """The one section of a simulation that was not stored."""
    section, bounds = section_of(result, "Regret"), bounds_of(result)
    if bounds:
        section = replace(section, figures=(*section.figures, bounds_plot(result, bounds)))
    write_report(target, Report("A simulation of bandit policies", command, (), [section]))


def _timed(result: Result, times: Mapping[str, Any]) -> Plot:
    """Time per decision against regret, in seconds of the machine that was timed."""
    seconds = [times[label]["compiled"]["median"] for label in result.names]
    record = time_against_regret(result.names, seconds, result.final_regret.mean(axis=1))
    said = "Time per decision of the compiled loop, choosing only, against mean final regret."
    if all("live" in times[label] for label in result.names):
        live = [
            f"{label} {number_text(times[label]['live']['median'] * 1e6)}" for label in result.names
        ]
        said += f" A pull of the live Decider took, in microseconds: {', '.join(live)}."
    return Plot(draw_time_against_regret(record), said)
