"""One colour, marker and line for each policy, the same in every figure.

Colours are those of Okabe and Ito, which colour-blind people can tell apart, without black and
yellow (one vanishes on a dark page, the other on a white one), and a grey and a brown. Relatives
share a colour; the line's dashes and the marker tell them apart, also in grey.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from typing import Any, NamedTuple

from ..names import ALIASES

VERMILLION, PURPLE, BLUE, SKY = "#d55e00", "#cc79a7", "#0072b2", "#56b4e9"
GREEN, ORANGE, GREY, BROWN = "#009e73", "#e69f00", "#808080", "#a6761d"

SOLID: tuple[float, ...] = ()
DASHED = (5.0, 1.6)
DOTTED = (1.2, 1.4)
DASH_DOT = (5.0, 1.5, 1.2, 1.5)


class Style(NamedTuple):
    """How a policy is drawn; dashes: on, off, ... in line widths."""

    colour: str
    dashes: tuple[float, ...]
    marker: str
    filled: bool = True
    width: float = 1.5

    def line(self) -> dict[str, Any]:
        """The style as keywords of a line."""
        return {
            "color": self.colour,
            "linewidth": self.width,
            "linestyle": (0.0, self.dashes) if self.dashes else "solid",
            **self.marks(),
        }

    def marks(self) -> dict[str, Any]:
        """The style of the markers as keywords of a line."""
        return {
            "marker": self.marker,
            "markersize": 7.5 if self.marker == "*" else 5.5,
            "markerfacecolor": self.colour if self.filled else "none",
            "markeredgecolor": self.colour,
            "markeredgewidth": 1.2,
        }


STYLES = {
    "RBMLE": Style(VERMILLION, SOLID, "o", width=2.4),
    "IDS": Style(PURPLE, SOLID, "s"),
    "VIDS": Style(PURPLE, DASHED, "s", filled=False),
    "KLUCB": Style(BLUE, SOLID, "^"),
    "MOSS": Style(BLUE, DASHED, "^", filled=False),
    "UCB": Style(SKY, SOLID, "v"),
    "UCBTuned": Style(SKY, DASHED, "v", filled=False),
    "ThompsonSampling": Style(GREEN, SOLID, "D"),
    "BayesUCB": Style(GREEN, DASHED, "D", filled=False),
    "GPUCB": Style(ORANGE, SOLID, "P"),
    "GPUCBTuned": Style(ORANGE, DASHED, "P", filled=False),
    "KG": Style(GREY, SOLID, "*"),
    "KGStar": Style(GREY, DASHED, "*", filled=False),
    "KGMin": Style(BROWN, DOTTED, "X"),
    "KGMN": Style(BROWN, DASH_DOT, "X", filled=False),
}

# For policies that are not in the table: users' own, and the second of two namesakes.
_SPARE = [
    Style(colour, dashes, marker, filled)
    for dashes, filled in ((DASH_DOT, True), (DOTTED, False), (DASHED, True), (SOLID, False))
    for colour, marker in zip(
        (PURPLE, BLUE, ORANGE, GREEN, GREY, SKY, BROWN, VERMILLION), "<>dph8H<", strict=True
    )
]


def styles(names: Iterable[str]) -> dict[str, Style]:
    """A style for each name, none twice as long as there are enough of them.

    A name is looked up without the parameters that follow it, `RBMLE(...)`. What is not in the
    table gets a style picked by its spelling, the same in every figure unless another has it.

    >>> styles(["UCB", "TS"])["TS"] == STYLES["ThompsonSampling"]
    True
    """
    found: dict[str, Style] = {}
    unknown: list[str] = []
    for name in names:
        plain = re.split(r"[(\s]", name, maxsplit=1)[0]
        style = STYLES.get(ALIASES.get(name, ALIASES.get(plain, plain)))
        if style is None or style in found.values():
            unknown.append(name)
        else:
            found[name] = style
    for name in unknown:
        first = zlib.crc32(name.encode())
        order = [_SPARE[(first + step) % len(_SPARE)] for step in range(len(_SPARE))]
        found[name] = next((each for each in order if each not in found.values()), order[0])
    return found


def clean(name: str) -> str:
    """The name on one line, without characters that cannot be shown.

    >>> clean("my\\npolicy")
    'my policy'
    """
    return "".join(each for each in " ".join(name.split()) if each.isprintable())


def short(name: str, most: int = 26) -> str:
    """The name, with its middle left out where it is too long for a label.

    >>> short("RBMLE(LogBias(c=1.0), boundary='exact')", 20)
    "RBMLE(LogB…='exact')"
    """
    name = clean(name)
    if len(name) <= most:
        return name
    tail = (most - 1) // 2
    return f"{name[: most - 1 - tail]}…{name[-tail:]}"
