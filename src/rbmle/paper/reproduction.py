"""Recompute the paper's tables and compare them with print, number by number."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from math import isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._io.text import signed_text
from ..errors import one_of
from ..policies import IDS, VIDS
from ..result import QUANTILES, STATISTICS, Result
from ..studies.study import Study
from .published import MISPRINTS, TimesTable, published, published_problem, tables

SEED = 46  # of the published protocol
_RESAMPLES = 400  # gives a standard error to 1 / sqrt(2 * 400) = 3.5 %

# Policies that are fast enough for a first look: seconds for 100 trials of 10^5 rounds.
QUICK = ("RBMLE", "UCBT", "UCB", "MOSS", "KLUCB&UCB", "GPUCB", "GPUCBT", "KG", "KG*", "KGMin",
         "KGMN")  # fmt: skip
QUICK_TABLES = ("Bernoulli_ID=2", "Gaussian_ID=16", "Exponential_ID=21")  # Figure 1

# IDS and VIDS with the tables' commitment and accurate integrals, by the tables' names.
ACCURATE: dict[str, IDS | VIDS] = {"IDS": IDS(commit=0.99), "VIDS": VIDS(commit=0.99)}

# The verdicts on a recomputed number beside the printed one: their words and their marks.
VERDICTS = {
    "equal": "equal to every printed digit",
    "misprint": "a known misprint, its right value met",
    "agrees": "within sampling error",
    "differs": "different",
}
MARKS = dict(zip(VERDICTS, "=\N{DAGGER}\N{ALMOST EQUAL TO}\N{NOT EQUAL TO}", strict=True))
PLAIN_MARKS = dict(zip(VERDICTS, "=!~#", strict=True))  # without Unicode


class Compared(NamedTuple):
    """A printed number of a table and the recomputed one."""

    statistic: str
    printed: float
    computed: float
    verdict: str  # one of VERDICTS
    z: float  # computed - printed, in standard errors of that difference

    def note(self) -> str:
        """The verdict in words, with the difference where there is one."""
        if self.verdict not in ("agrees", "differs"):
            return VERDICTS[self.verdict]
        apart = f"z = {signed_text(self.z)}" if isfinite(self.z) else "without a spread to compare"
        return f"{VERDICTS[self.verdict]}, {apart}"


class ComparedRow(NamedTuple):
    """The statistics of one policy of a table, each compared with print."""

    table: str
    policy: str
    cells: tuple[Compared, ...]


def table_named(name: str) -> str:
    """The name of a table, given by itself (`Bernoulli_ID=2`) or by its figure (`1a`)."""
    by_figure = {entry["figure"]: table for table, entry in tables()["regret"].items()}
    if name in by_figure:
        return by_figure[name]
    return one_of("reproduce", "table", name, [*tables()["regret"], *by_figure])


def table_study(table: str, replications: int | None = None, monte_carlo: bool = False) -> Study:
    """The study behind a table, under the published protocol.

    IDS and VIDS commit at 0.99 as in the tables, but integrate accurately, because the tables'
    10,000 samples a round take hours. monte_carlo: use those samples all the same.
    """
    entry = tables()["regret"][table]
    accurate = {} if monte_carlo else ACCURATE
    return Study(
        name=f"{table}, Figure {entry['figure']}",
        problems={table: published_problem(table)},
        policies={each: accurate.get(each, published(table, each)) for each in entry["policies"]},
        horizon=entry["horizon"],
        replications=entry["trials"] if replications is None else replications,
        seed=SEED,
        rewards="published",
        ties="first",
    )


def compare_with_print(table: str, result: Result) -> list[ComparedRow]:
    """Each statistic of each policy beside the printed one. Policies have the table's names."""
    printed, values = tables()["regret"][table]["policies"], result.statistics()
    # The printed numbers are from a sample of the same size, so their standard errors are ours
    # times the ratio of the standard deviations. Both enter the error of the difference.
    deviations = [printed[label]["std"] for label in result.names]
    ratios = np.array(deviations) / np.maximum(values[:, 1], 1e-300)
    errors = sampling_errors(result.final_regret) * np.hypot(1.0, ratios)[:, None]
    return [
        ComparedRow(
            table,
            label,
            tuple(
                _cell(table, label, name, value, error)
                for name, value, error in zip(STATISTICS, found, spread, strict=True)
            ),
        )
        for label, found, spread in zip(result.names, values, errors, strict=True)
    ]


def _cell(table: str, policy: str, name: str, value: float, error: float) -> Compared:
    printed = tables()["regret"][table]["policies"][policy][name]
    gap = value - printed
    z = gap / error if error > 0.0 else (0.0 if gap == 0.0 else np.inf * gap)
    right, _ = MISPRINTS.get((table, policy, name), ("", ""))
    if equal_in_print(value, str(printed)):
        verdict = "equal"
    elif right and equal_in_print(value, right):
        verdict = "misprint"
    else:
        verdict = "agrees" if abs(z) <= 3.0 else "differs"
    return Compared(name, printed, float(value), verdict, float(z))


def equal_in_print(value: float, printed: str) -> bool:
    """Whether the value, rounded half up as in the tables, equals the shown number to every digit.

    The value is rounded to 1e-7 first, so that 0.05 computed as 0.04999999999 still rounds up.

    >>> equal_in_print(664.4499999999, "664.5"), equal_in_print(664.44, "664.5")
    (True, False)
    """
    target = Decimal(printed)
    return Decimal(repr(round(float(value), 7))).quantize(target, ROUND_HALF_UP) == target


def sampling_errors(final: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standard errors of the eight statistics of each policy, by the bootstrap over replications.

    final: the final regret, (policies, replications). Returns (policies, 8).
    """
    count = final.shape[1]
    picks = np.random.default_rng(0).integers(0, count, (_RESAMPLES, count))
    drawn = final[:, picks]  # policies, resamples, replications
    quantiles = np.quantile(drawn, QUANTILES, axis=2)
    values = np.concatenate([[drawn.mean(axis=2)], [drawn.std(axis=2)], quantiles])
    errors: NDArray[np.float64] = values.std(axis=2).T
    return errors


def count_verdicts(rows: Sequence[ComparedRow]) -> dict[str, int]:
    """The number of cells with each verdict."""
    verdicts = [cell.verdict for row in rows for cell in row.cells]
    return {each: verdicts.count(each) for each in VERDICTS}


def counted(counts: dict[str, int]) -> str:
    """The number of cells with each verdict, in words.

    >>> counted({"equal": 3, "misprint": 0, "agrees": 1, "differs": 0})
    '3 equal to every printed digit, 1 within sampling error'
    """
    return ", ".join(f"{counts[each]:,} {VERDICTS[each]}" for each in VERDICTS if counts[each])


def seconds_per_decision(family: str) -> TimesTable:
    """The paper's scalability table of a family."""
    return tables()["seconds_per_decision"][family]
