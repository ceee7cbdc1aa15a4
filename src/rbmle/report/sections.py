"""Reports: a study's, and that of the recomputed paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..figures import (
    draw_regret_curves,
    draw_time_against_arms,
    draw_time_against_regret,
    regret_curves,
    save,
    time_against_arms,
    time_against_regret,
)
from ..paper.published import published_problem, tables
from ..paper.reproduction import Row, count_verdicts, seconds_per_decision
from ..paper.scaling import Scaling, measure
from ..paper.verdicts import counted
from ..result import STATISTICS, Result
from ..studies.study_result import StudyResult
from ..timing import decision_time
from .page import Plot, Report, ReportTable, Section, TableCell, section_of, write_report
from .theory import bounds_of, bounds_plot, theory_section


def study_report(result: StudyResult, target: Path, command: str, times: Mapping[str, Any]) -> None:
    """One section for each problem; where theory bounds a policy's regret, its bound too."""
    study = result.study
    summary = [
        f"{len(study.policies)} policies on {len(study.problems)} problem(s), "
        f"{study.horizon} rounds, seed {study.seed}.",
        *(f"Not finished: {each}" for each in result.missing),
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
    write_report(target, Report(title, command, summary, sections, result.provenance))


def paper_report(
    target: Path,
    results: Mapping[str, Result],
    rows: Sequence[Row],
    provenance: Mapping[str, Any],
    command: str,
    complete: bool,
) -> None:
    """Tables with verdicts, figures beside; with `complete` also times of decisions and theory."""
    sections = []
    for table, result in results.items():
        mine = [row for row in rows if row.table == table]
        figure = tables()["regret"][table]["figure"]
        section = replace(section_of(result, f"{table} (Figure {figure})"), table=_table(mine))
        if complete:
            section = replace(section, figures=(*section.figures, _scatter(table, result)))
        sections.append(section)
        for log_time in (False, True):
            drawn = draw_regret_curves(regret_curves(result), log_time=log_time)
            name = f"{figure}-{table}{'-log' if log_time else ''}"
            for suffix in ("svg", "png", "pdf"):
                path = target.parent / "figures" / f"{name}.{suffix}"
                path.parent.mkdir(parents=True, exist_ok=True)
                save(drawn, path)
    if complete:
        timed = measure()
        sections += [_scalability(record) for record in timed]
        sections.append(theory_section())
    counts = count_verdicts(rows)
    summary = [
        f"{sum(counts.values()):,} numbers of {len(results)} published tables were recomputed: "
        f"{counted(counts)}.",
        "Rewards, ties and policies are those of the published protocol, except that IDS and VIDS "
        "integrate posteriors accurately where the paper drew 10,000 samples a round.",
    ]
    title = "The experiments of the RBMLE paper, recomputed"
    write_report(target, Report(title, command, summary, sections, provenance))


def _table(rows: Sequence[Row]) -> ReportTable:
    """Ours, with the printed number where it is not the same."""
    shown = []
    for row in rows:
        cells: list[TableCell | str | float] = [TableCell(row.policy)]
        for cell in row.cells:
            text = f"{cell.computed:.1f}"
            if cell.verdict != "equal":
                text += f" ({cell.printed:g})"
            note = f"printed {cell.printed:g}: {cell.note()}"
            cells.append(TableCell(text, cell.computed, cell.verdict, note))
        shown.append(cells)
    caption = "Final regret; in parentheses what is printed, where that is another number."
    return ReportTable(("policy", *STATISTICS), shown, caption)


def _timed(result: Result, times: Mapping[str, Any]) -> Plot:
    """Time per decision against regret, in seconds of the machine that was timed."""
    seconds = [times[label]["compiled"]["median"] for label in result.names]
    record = time_against_regret(result.names, seconds, result.final_regret.mean(axis=1))
    live = ", ".join(
        f"{label} {times[label]['live']['median'] * 1e6:.1f}" for label in result.names
    )
    return Plot(
        draw_time_against_regret(record),
        "Time per decision of the compiled loop, choosing only, against mean final regret. A "
        f"pull of the live Decider took, in microseconds: {live}.",
    )


def _scatter(table: str, result: Result) -> Plot:
    """Time per decision against regret, in units of UCB's time (Figures 2, 5 and 6)."""
    entry = tables()["regret"][table]
    printed = seconds_per_decision(entry["family"])["policies"]
    problem = published_problem(table)
    seconds = [
        decision_time(policy, problem, horizon=2_000, repeats=3).median
        for policy in result.policies
    ]
    known = {
        label: (printed[label]["10_mean"], entry["policies"][label]["mean"])
        for label in result.names
        if label in printed
    }
    unit = next((each for each in ("UCB", "KLUCB&UCB") if each in result.names), None)
    record = time_against_regret(
        result.names, seconds, result.final_regret.mean(axis=1), known, relative_to=unit
    )
    return Plot(
        draw_time_against_regret(record),
        "Time per decision, choosing only, against mean final regret; times in units of UCB's.",
    )


def _scalability(record: Scaling) -> Section:
    """One of the three scalability tables, as ratios to UCB."""
    rows: list[list[TableCell | str | float]] = []
    for policy, times in record.times.items():
        cells: list[TableCell | str | float] = [TableCell(policy)]
        ratios, printed = record.ratios(policy), record.published_ratios(policy)
        for timing, ratio, paper in zip(times, ratios, printed, strict=True):
            text = f"{ratio:.1f}" + ("" if paper is None else f" ({paper:.1f})")
            spread = (timing.largest - timing.least) / 2
            note = f"{timing.median * 1e6:.3f} us a decision, half the spread {spread * 1e6:.3f} us"
            cells.append(TableCell(text, ratio, None, note))
        rows.append(cells)
    printed_seconds = seconds_per_decision(record.family)
    published = {
        policy: {n: values[f"{n}_mean"] for n in printed_seconds["arms"]}
        for policy, values in printed_seconds["policies"].items()
        if policy in record.times
    }
    ours = {policy: [each.median for each in times] for policy, times in record.times.items()}
    drawn = time_against_arms(record.arms, ours, published, relative_to=record.unit)
    return Section(
        title=f"Scalability: {record.family}",
        text="Time per decision as a multiple of UCB's in the same run; the paper's own in "
        "parentheses. Absolute times vary with the machine.",
        table=ReportTable(
            ("policy", *(f"{n} arms" for n in record.arms)), rows, "Multiples of UCB's time."
        ),
        figures=(Plot(draw_time_against_arms(drawn), "Dashed: published."),),
        policies=tuple(record.times),
    )
