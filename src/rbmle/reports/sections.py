"""The section of a report about one result: statistics, figures, further tables."""

from __future__ import annotations

import numpy as np

from .._io.text import count_text, number_text
from ..figures import (
    best_arm_share,
    draw_best_arm_share,
    draw_final_regret,
    draw_regret_curves,
    final_regret,
    regret_curves,
)
from ..result import Result
from .content import Plot, Section
from .problem_rows import facts_of, policies_table
from .result_tables import differences_table, pulls_table, statistics_table


def section_of(result: Result, title: str, text: str = "") -> Section:
    """The section about one result: statistics of the final regret, figures, and more tables.

    text: by default `in_words(result)`.
    """
    curves, differences = regret_curves(result), differences_table(result)
    percent = " to ".join(f"{100.0 * each:g}" for each in curves.band)
    bound = (
        " c log t is Lai and Robbins' lower bound (dotted, where the scale allows). It says how"
        " fast regret grows in the long run; at a finite time regret can lie below it."
        if curves.constant is not None
        else ""
    )
    if result.problem.fixed_gaps is None:
        bound = (
            " In each round regret is against the best arm of that round; there is no lower bound"
            " to draw, because it is one for means that stay."
        )
    return Section(
        title=title,
        text=text or in_words(result),
        table=statistics_table(result),
        figures=(
            Plot(
                draw_regret_curves(curves),
                f"Cumulative regret: mean, and band from {percent}\N{NO-BREAK SPACE}%.{bound}",
            ),
            Plot(
                draw_final_regret(final_regret(result)),
                "Final regret, smallest median first. Box: quartiles and median; whiskers: 10 and"
                " 90\N{NO-BREAK SPACE}%; diamond: mean.",
            ),
            Plot(
                draw_best_arm_share(best_arm_share(result)),
                "Share of the pulls up to round t that went to the best arm, mean.",
            ),
        ),
        policies=result.names,
        facts=facts_of(result),
        more=[policies_table(result), *([differences] if differences else []), pulls_table(result)],
    )


def in_words(result: Result) -> str:
    """A sentence or two: which policy had the least mean regret, and how far the next one is
    behind, beside the standard error of the difference.

    All policies meet the same rewards in a replication, so the difference is taken in each
    replication.
    """
    final, names = result.final_regret, result.names
    order = np.argsort(final.mean(axis=1), kind="stable")
    first = order[0]
    rounds = count_text(result.horizon, "round")
    if len(names) == 1:
        return f"{names[first]} has mean regret {number_text(final[first].mean())} after {rounds}."
    said = f"{names[first]} has the least mean regret, {number_text(final[first].mean())}"
    second = order[1]
    apart = final[second] - final[first]
    if not apart.any():
        return f"{said} after {rounds}; {names[second]} has the same in every replication."
    above = number_text(apart.mean())
    said += f" after {rounds}; next comes {names[second]}, {above} above"
    if result.replications < 2:
        return f"{said} (one replication, which has no spread)."
    error = apart.std(ddof=1) / np.sqrt(apart.size)
    clear = apart.mean() > 2.0 * error
    judged = "more" if clear else "less"
    return (
        f"{said}, which is {judged} than twice the standard error of the difference, "
        f"{number_text(error)}."
    )
