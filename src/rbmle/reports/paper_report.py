"""The report of the recomputed paper, made of its folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from .._io.text import count_text, number_text, print_text
from ..figures import (
    draw_regret_curves,
    draw_time_against_arms,
    draw_time_against_regret,
    regret_curves,
    save,
    time_against_arms,
    time_against_regret,
)
from ..paper.folder import Recomputed
from ..paper.published import tables
from ..paper.reproduction import ComparedRow, count_verdicts, seconds_per_decision
from ..paper.scaling import Scaling, ucb_among
from ..paper.verdicts import counted
from ..result import STATISTICS, Result
from .content import Cells, Plot, Report, ReportTable, Section, TableCell, Times
from .report_page import write_page
from .result_tables import statistics_table
from .sections import section_of
from .theory_section import theory_section


def paper_report(found: Recomputed, target: Path, command: str, file: str = "") -> None:
    """Write the page: tables with verdicts, figures, and times and theory if they are stored.

    target: the page's file. command, file: the command and the folder that the page names.
    The figures of regret are also written to files in the folder `figures` beside the page.
    """
    sections = []
    for table, result in found.results.items():
        mine = [row for row in found.rows if row.table == table]
        figure = tables()["regret"][table]["figure"]
        section = section_of(result, f"{table} (Figure {figure})")
        section = replace(
            section, table=_table(mine), more=(statistics_table(result), *section.more)
        )
        if set(found.times[table]) >= set(result.names):
            drawn = _scatter(table, result, found.times[table])
            section = replace(section, figures=(*section.figures, drawn))
        sections.append(section)
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
        drawn = draw_regret_curves(regret_curves(result), log_time=log_time)
        for suffix in ("svg", "png", "pdf"):
            save(drawn, folder / f"{name}{'-log' if log_time else ''}.{suffix}")


def _table(rows: Sequence[ComparedRow]) -> ReportTable:
    """The table of recomputed numbers, with the printed number beside where it differs."""
    shown = []
    for row in rows:
        cells: list[TableCell] = [TableCell(row.policy)]
        for cell in row.cells:
            text = print_text(cell.computed)  # as many digits as are printed
            if cell.verdict != "equal":
                text += f" ({cell.printed:g})"
            note = f"printed {cell.printed:g}: {cell.note()}"
            cells.append(TableCell(text, cell.computed, cell.verdict, note))
        shown.append(cells)
    caption = "Final regret; in parentheses what is printed, where that is another number."
    return ReportTable(("policy", *STATISTICS), shown, caption)


def _scatter(table: str, result: Result, times: Times) -> Plot:
    """The figure of time per decision, divided by UCB's, against regret (Figures 2, 5 and 6)."""
    entry = tables()["regret"][table]
    printed = seconds_per_decision(entry["family"])["policies"]
    seconds = [times[label]["compiled"]["median"] for label in result.names]
    known = {
        label: (printed[label]["10_mean"], entry["policies"][label]["mean"])
        for label in result.names
        if label in printed
    }
    unit = ucb_among(result.names) or None
    record = time_against_regret(
        result.names, seconds, result.final_regret.mean(axis=1), known, relative_to=unit
    )
    return Plot(
        draw_time_against_regret(record),
        "Time per decision, choosing only, against mean final regret; times in units of UCB's.",
    )


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
