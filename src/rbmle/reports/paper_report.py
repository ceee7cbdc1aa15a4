"""The report of the recomputed paper, made of its folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from .. import figures
from .._io.text import constant_text, count_text, number_text, print_text, without_defaults
from ..paper.demonstration import SCHEMES, Demonstration
from ..paper.folder import Recomputed
from ..paper.published import tables
from ..paper.reproduction import ComparedRow, count_verdicts, counted, seconds_per_decision
from ..paper.scaling import Scaling, ucb_among
from ..result import STATISTICS, Result
from ..rewards.problems import Problem
from .content import Cells, Plot, Report, ReportTable, Section, TableCell, Times
from .report_page import write_page
from .sections import section_of
from .study_report import bounds_plots, times_plot


def paper_report(found: Recomputed, target: Path, command: str, file: str = "") -> None:
    """Write the page: tables with verdicts, figures, and times and theory if they are stored.

    target: the page's file. command, file: the command and the folder that the page names.
    The figures of regret are also written to files in the folder `figures` beside the page.
    """
    sections = []
    for table, result in found.results.items():
        figure, times = tables()["regret"][table]["figure"], found.times[table]
        drawn = [_scatter(table, result, times)] if set(times) >= set(result.names) else []
        section = section_of(result, f"{table} (Figure {figure})", plots=drawn)
        compared = _table([row for row in found.rows if row.table == table])
        more = [each for each in (section.table, *section.more) if each is not None]
        sections.append(replace(section, table=compared, more=more))
        _save_figures(target.parent / "figures", f"{figure}-{table}", result)
    sections += [_scalability(record) for record in found.scaling]
    if found.demonstration is not None:
        sections.append(theory_section(found.demonstration))
    counts = count_verdicts(found.rows)
    summary = [
        f"{sum(counts.values()):,} numbers of {count_text(len(found.results), 'published table')} "
        f"were recomputed: {counted(counts)}.",
        "Rewards, ties and policies are those of the published protocol, except that IDS and VIDS "
        "integrate posteriors accurately where the paper drew 10,000 samples a round.",
    ]
    title = "The experiments of the RBMLE paper, recomputed"
    write_page(target, Report(title, command, summary, sections, found.provenance, file))


def _save_figures(folder: Path, name: str, result: Result) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for log_time in (False, True):
        drawn = figures.draw_regret_curves(figures.regret_curves(result), log_time=log_time)
        for suffix in ("svg", "png", "pdf"):
            figures.save(drawn, folder / f"{name}{'-log' if log_time else ''}.{suffix}")


def _table(rows: Sequence[ComparedRow]) -> ReportTable:
    """The table of recomputed numbers, with the printed number beside where it differs."""
    lines = []
    for row in rows:
        cells: list[TableCell] = [TableCell(row.policy)]
        for cell in row.cells:
            text = print_text(cell.computed)  # as many digits as are printed
            if cell.verdict != "equal":
                text += f" ({cell.printed:g})"
            note = f"printed {cell.printed:g}: {cell.note()}"
            cells.append(TableCell(text, cell.computed, cell.verdict, note))
        lines.append(cells)
    caption = "Final regret; in parentheses what is printed, where that is another number."
    return ReportTable(("policy", *STATISTICS), lines, caption)


def _scatter(table: str, result: Result, times: Times) -> Plot:
    """The figure of time per decision, divided by UCB's, against regret (Figures 2, 5 and 6)."""
    entry = tables()["regret"][table]
    printed = seconds_per_decision(entry["family"])["policies"]
    known = {
        label: (printed[label]["10_mean"], entry["policies"][label]["mean"])
        for label in result.names
        if label in printed
    }
    note = "Time per decision, choosing only, against mean final regret; times in units of UCB's."
    return times_plot(result, times, note, known, ucb_among(result.names) or None)


def _scalability(record: Scaling) -> Section:
    """The section about the scalability table of one family, as ratios to UCB's times."""
    rows: list[Cells] = []
    for policy, times in record.times.items():
        cells: list[TableCell] = [TableCell(policy)]
        ratios, printed = record.ratios(policy), record.published_ratios(policy)
        for timing, ratio, paper in zip(times, ratios, printed, strict=True):
            text = number_text(ratio) + ("" if paper is None else f" ({number_text(paper)})")
            spread = (timing.largest - timing.least) / 2
            note = f"{timing.median * 1e6:.3f} us a decision, half the spread {spread * 1e6:.3f} us"
            cells.append(TableCell(text, ratio, None, note))
        rows.append(cells)
    seconds = seconds_per_decision(record.family)
    published = {
        policy: {n: values[f"{n}_mean"] for n in seconds["arms"]}
        for policy, values in seconds["policies"].items()
        if policy in record.times
    }
    ours = {policy: [each.median for each in times] for policy, times in record.times.items()}
    drawn = figures.time_against_arms(record.arms, ours, published, relative_to=record.unit)
    head = ("policy", *(f"{n} arms" for n in record.arms))
    return Section(
        title=f"Scalability: {record.family}",
        text="Time per decision as a multiple of UCB's in the same run; the paper's own in "
        "parentheses. Absolute times vary with the machine.",
        table=ReportTable(head, rows, "Multiples of UCB's time."),
        figures=(Plot(figures.draw_time_against_arms(drawn), "Dashed: published."),),
        policies=tuple(record.times),
    )


def theory_section(demonstration: Demonstration) -> Section:
    """The section about theory: Proposition 2's bound on a run, and traces of Algorithms 1 to 3."""
    study, result = demonstration.bounded.study, demonstration.bounded.result
    plots, rows = bounds_plots(result, study.policies), []
    for name, trace in demonstration.traces.items():
        problem = SCHEMES[name].problem
        law, means = problem.law, " ".join(f"{each:g}" for each in problem.means)
        last = float(np.median(trace.c_alpha[-trace.rounds.size // 10 :]))
        values = [constant_text(each) for each in (trace.target, trace.limit, last)]
        scheme = f"{name}, {type(law).__name__} {means}"
        rows.append([scheme, trace.takes_over or "never", *values])
        caption = (
            f"{name}: beta(t) governs first, then the estimate, which tends to its limit and not "
            "to what it would be if the means were known."
        )
        drawn = figures.draw_adaptive(trace, f"{name}, {without_defaults(law)}, means {means}")
        plots.append(Plot(drawn, caption))
    columns = ("scheme", "takes over in round", "target", "limit", "last tenth")
    assert isinstance(result.problem, Problem)  # as the demonstration states it
    means = ", ".join(f"{each:g}" for each in result.problem.means)
    return Section(
        title="Theory",
        text="RBMLE with the least C_alpha for which Proposition 2's bound is proved, on Bernoulli "
        f"arms with means {means}; and one run of each adaptive scheme, on problems whose "
        "gap is large enough for its estimate of C_alpha to take over.",
        table=ReportTable(columns, rows, "C_alpha as the adaptive schemes estimate it."),
        figures=plots,
        policies=result.names,
    )
