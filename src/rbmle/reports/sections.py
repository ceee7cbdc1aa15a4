"""The section of a report about one result: what was played, tables and figures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite, nan

import numpy as np

from .. import figures
from .._io.text import count_text, number_text, without_defaults
from ..result import STATISTICS, Result
from ..rewards.problems import Problem
from .content import Cells, Plot, ReportTable, Section, TableCell, number_cell

_NONE = TableCell("-", nan)
_MOST_ARMS = 12  # columns; of more arms the rest is summed in the last column


def section_of(result: Result, title: str, plots: Sequence[Plot] = ()) -> Section:
    """The section about one result: statistics of the final regret, figures, and more tables.

    plots: more figures.
    """
    curves, bound = figures.regret_curves(result), ""
    if result.problem.replays:
        bound = " It is that of a row that counts, against the best arm of the log."
    elif result.problem.fixed_gaps is None:
        bound = (
            " In each round regret is against the best arm of that round; there is no lower bound"
            " to draw, because it is one for means that stay."
        )
    elif curves.constant is not None:
        bound = (
            " c log t is Lai and Robbins' lower bound (dotted, where the scale allows). It says how"
            " fast regret grows in the long run; at a finite time regret can lie below it."
        )
    over_time, at_end = "Cumulative regret of the one replication.", "Final regret, smallest first."
    share_of = "Share of the pulls up to round t that went to the best arm."
    if curves.band is not None:
        percent = " to ".join(f"{100.0 * each:g}" for each in curves.band)
        over_time = f"Cumulative regret: mean, and band from {percent}\N{NO-BREAK SPACE}%."
        at_end = (
            "Final regret, smallest median first. Box: quartiles and median; whiskers: 10 and"
            " 90\N{NO-BREAK SPACE}%; diamond: mean."
        )
        share_of = "Share of the pulls up to round t that went to the best arm, mean."
    regret = Plot(figures.draw_regret_curves(curves), over_time + bound)
    final = Plot(figures.draw_final_regret(figures.final_regret(result)), at_end)
    share = Plot(
        figures.draw_best_arm_share(figures.best_arm_share(result)),
        share_of,
    )
    return Section(
        title=title,
        text=f"{in_words(result)} {result.note()}".strip(),
        table=_statistics_table(result),
        figures=(regret, final, *(() if result.problem.replays else (share,)), *plots),
        policies=result.names,
        facts=_facts_of(result),
        more=[_policies_table(result), *_differences_table(result), _pulls_table(result)],
    )


def in_words(result: Result) -> str:
    """A sentence or two: which policy had the least mean regret, and how far the next one is
    behind, beside the standard error of the difference.

    All policies meet the same rewards, so the difference is taken in each replication.
    """
    final, names = result.final_regret, result.names
    first, *others = np.argsort(final.mean(axis=1), kind="stable")
    least, rounds = number_text(final[first].mean()), count_text(result.horizon, "round")
    if not others:
        return f"{names[first]} has mean regret {least} after {rounds}."
    words = f"{names[first]} has the least mean regret, {least} after {rounds}; "
    second = names[others[0]]
    apart = final[others[0]] - final[first]
    if not apart.any():
        return f"{words}{second} has the same in every replication."
    words += f"next comes {second}, {number_text(apart.mean())} above"
    if result.replications < 2:
        return f"{words} (one replication, which has no spread)."
    error = apart.std(ddof=1) / np.sqrt(apart.size)
    judged = "more" if apart.mean() > 2.0 * error else "less"
    twice = f"{judged} than twice the standard error of the difference"
    return f"{words}, which is {twice}, {number_text(error)}."


def _facts_of(result: Result) -> dict[str, str]:
    """The problem and the run as pairs of a word and its value."""
    problem = result.problem
    facts = {
        "Rewards": without_defaults(problem.law),
        "Arms": f"{problem.n_arms:,}",
        **problem.described(),
        "Rounds T": f"{result.horizon:,}",
        "Replications": f"{result.replications:,}",
    }
    if result.special_evidence is not None:
        facts["Evidence"] = without_defaults(result.special_evidence)
    if result.delay is not None:
        facts["Rewards come"] = without_defaults(result.delay)
    seed = re.search(r"seed=(\d+)", result.rewards)
    if seed:
        facts["Seed"] = f"{int(seed[1])} ({result.rewards.partition('(')[0]})"
    return facts


def _policies_table(result: Result) -> ReportTable:
    """All policies with their parameters and the families they assume."""
    rows = [
        [name, str(policy), without_defaults(family)]
        for name, policy, family in zip(result.names, result.policies, result.families, strict=True)
    ]
    head = ("policy", "as it was played", "assumes")
    return ReportTable(head, rows, title="Policies and their parameters")


def _statistics_table(result: Result) -> ReportTable:
    """The final regret: mean and its standard error, standard deviation, quantiles."""
    values, alone = result.statistics(), result.replications == 1
    least, rows = values.min(axis=0), list[Cells]()
    for name, row, error in zip(result.names, values, result.standard_errors(), strict=True):
        mean, *others = map(number_cell, row, row == least)
        if alone:
            others[0] = _NONE  # the standard deviation
        rows.append([name, mean, number_cell(error), *others])
    spread = (
        "s.e.: the standard error of the mean, from the standard deviation with ddof 1; std: the "
        "standard deviation with ddof 0."
    )
    if alone:
        spread = "One replication has no spread: neither std nor s.e."
    caption = f"Final regret. Bold: the least of its column. {spread}"
    head = ("policy", STATISTICS[0], "s.e.", *STATISTICS[1:])
    return ReportTable(head, rows, caption, "Final regret")


def _differences_table(result: Result) -> list[ReportTable]:
    """A row for each pair of policies, the better one first; no table if there is one policy."""
    rows: list[Cells] = []
    for each in result.compare(0.95):
        ends = [number_cell(x) if isfinite(x) else _NONE for x in (each.low, each.high)]
        note = f"{each.a} has {number_text(-each.difference)} less regret than {each.b} on average"
        difference = number_cell(each.difference, each.clear, note)
        shares = [TableCell(f"{x:.0%}", x) for x in (each.won, each.tied)]
        rows.append([f"{each.a} \N{MINUS SIGN} {each.b}", difference, *ends, *shares])
    interval = (
        "its 95% interval (the wider of Student's and Hall's at each end), bold where it excludes "
        "0 even with room for a disaster too rare to occur in this many replications"
    )
    if result.replications == 1:
        interval = "without an interval, since one replication has no spread"
    caption = (
        "Final regret of the first minus that of the second, replication by replication on the "
        f"same rewards: the mean, {interval}; won and tied: shares of the replications."
    )
    head = ("pair", "difference", "low", "high", "won", "tied")
    return [ReportTable(head, rows, caption, "Differences on the same rewards")] if rows else []


def _pulls_table(result: Result) -> ReportTable:
    """Mean pulls of each arm up to the horizon; the arms with the largest means come first.

    Where means change, arms are in their order.
    """
    gaps, pulls = result.problem.fixed_gaps, result.pulls.mean(axis=1)
    order = np.arange(pulls.shape[1]) if gaps is None else np.argsort(gaps, kind="stable")
    listed = order if order.size <= _MOST_ARMS else order[: _MOST_ARMS - 1]
    rest = order[listed.size :]
    heads = [f"arm {i + 1}" for i in listed]
    if isinstance(result.problem, Problem):
        means = result.problem.means[listed]
        heads = [f"{head}: {number_text(mean)}" for head, mean in zip(heads, means, strict=True)]
    best = [gaps is not None and gaps[i] == 0.0 for i in listed]
    columns = pulls[:, listed]
    if rest.size:
        heads.append(f"{rest.size:,} others")
        best.append(False)
        columns = np.column_stack([columns, pulls[:, rest].sum(axis=1)])
    each_row = zip(result.names, columns, strict=True)
    rows: list[Cells] = [[name, *map(number_cell, row, best)] for name, row in each_row]
    caption = f"Mean over replications of the pulls up to T = {result.horizon:,}"
    if gaps is not None:
        caption += "; under each arm its mean reward, the best first. Bold: a best arm"
    return ReportTable(("policy", *heads), rows, f"{caption}.", "Pulls of each arm")
