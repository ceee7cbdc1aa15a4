"""The verdicts on a recomputed number beside the printed one: their words and their marks."""

from __future__ import annotations

VERDICTS = {
    "equal": "equal to every printed digit",
    "misprint": "a known misprint, its right value met",
    "agrees": "within sampling error",
    "differs": "different",
}
MARKS = {
    "equal": "=",
    "misprint": "\N{DAGGER}",
    "agrees": "\N{ALMOST EQUAL TO}",
    "differs": "\N{NOT EQUAL TO}",
}
PLAIN_MARKS = {"equal": "=", "misprint": "!", "agrees": "~", "differs": "#"}  # without Unicode


def counted(counts: dict[str, int]) -> str:
    """The number of cells with each verdict, in words.

    >>> counted({"equal": 3, "misprint": 0, "agrees": 1, "differs": 0})
    '3 equal to every printed digit, 1 within sampling error'
    """
    return ", ".join(f"{counts[each]:,} {VERDICTS[each]}" for each in VERDICTS if counts[each])
