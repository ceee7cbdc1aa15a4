"""The colour, marker and line of each policy, the same in every figure.

The colours are those of Okabe and Ito, which colour-blind people can tell apart, and a grey and a
brown. Black and yellow are left out: one vanishes on a dark page, the other on a white one. Related
policies share a colour; dashes and markers tell them apart, also in print without colours.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from .._records.names import ALIASES

VERMILLION, PURPLE, BLUE, SKY = "#d55e00", "#cc79a7", "#0072b2", "#56b4e9"
GREEN, ORANGE, GREY, BROWN = "#009e73", "#e69f00", "#808080", "#a6761d"

INK, FAINT = "#222223", "#d9d9d8"  # of text and lines, of the grid; a page replaces them by its own

SOLID: tuple[float, ...] = ()
DASHED, DOTTED, LONG = (5.0, 1.6), (1.2, 1.4), (10.0, 2.5)
DASH_DOT = (5.0, 1.5, 1.2, 1.5)
DASH_DOT_DOT = (5.0, 1.5, 1.2, 1.5, 1.2, 1.5)


class Style(NamedTuple):
    """How a policy is drawn. dashes: lengths of line and gap in turn, in line widths."""

    colour: str
    dashes: tuple[float, ...]
    marker: str
    filled: bool = True
    width: float = 1.5

    def line(self) -> dict[str, Any]:
        """The style as keywords of a line."""
        dashes = (0.0, self.dashes) if self.dashes else "solid"
        pen = {"color": self.colour, "linewidth": self.width, "linestyle": dashes}
        return {**pen, **self.marks()}

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
    "IMED": Style(BLUE, LONG, ">"),
    "LinTS": Style(GREEN, LONG, "<"),
    "MaillardSampling": Style(ORANGE, LONG, "d"),
    "TrackAndStop": Style(VERMILLION, LONG, "h"),
    "TopTwo": Style(PURPLE, LONG, "p"),
    "SuccessiveRejects": Style(GREY, LONG, "H"),
}

# For policies that are not in the table: users' own, and further policies of the same class.
_SPARE = [
    Style(colour, dashes, marker, filled)
    for dashes in (DASH_DOT, DOTTED, LONG, DASH_DOT_DOT, DASHED, SOLID)
    for colour in (PURPLE, BLUE, ORANGE, GREEN, GREY, SKY, BROWN, VERMILLION)
    for marker in "<>dpos^vDPX"
    for filled in (True, False)
]


def styles(names: Iterable[str]) -> dict[str, Style]:
    """A distinct style for each name of a run; it does not depend on their order.

    names: all policies of the run, also where a figure shows only some of them, so that a policy
    looks the same in every figure.
    A name is looked up in `STYLES` without the parameters that follow it, as in `RBMLE(...)`. If
    several names share one style, the name without parameters gets it, else the first by the
    alphabet. Every other name gets a spare style: preferably with an unused pair of colour and
    dashes, then with the colour used least, then with the marker used least. Among equally good
    ones a checksum of the name decides.

    >>> styles(["UCB", "TS"])["TS"] == STYLES["ThompsonSampling"]
    True
    >>> styles(["UCB(alpha=1)", "UCB"]) == styles(["UCB", "UCB(alpha=1)"])
    True
    """
    listed = list(names)
    found: dict[str, Style] = {}
    unknown: list[str] = []
    for name in sorted(listed, key=lambda each: (_plain(each) != each, each)):
        plain = _plain(name)
        style = STYLES.get(ALIASES.get(name, ALIASES.get(plain, plain)))
        if style is None or style in found.values():
            unknown.append(name)
        else:
            found[name] = style
    for name in unknown:
        found[name] = _unlike(list(found.values()), zlib.crc32(name.encode()))
    return {name: found[name] for name in listed}


def _plain(name: str) -> str:
    """The name without the parameters that follow it."""
    return re.split(r"[(\s]", name, maxsplit=1)[0]


def _unlike(taken: list[Style], checksum: int) -> Style:
    """The spare style that is least like the taken ones."""
    used = Counter(trait for each in taken for trait in _traits(each))

    def likeness(place: int) -> tuple[int, ...]:
        traits = _traits(_SPARE[place])
        return (*(used[each] for each in traits), (place - checksum) % len(_SPARE))

    return _SPARE[min(range(len(_SPARE)), key=likeness)]


def _traits(style: Style) -> tuple[object, ...]:
    return (style.colour, style.dashes), style.colour, (style.marker, style.filled)


def clean(name: str) -> str:
    """The name on one line, without characters that cannot be shown.

    >>> clean("my\\npolicy")
    'my policy'
    """
    return "".join(each for each in " ".join(name.split()) if each.isprintable())


def short(name: str, among: Iterable[str] = (), most: int = 26) -> str:
    """The name, with its middle left out where it is too long for a label.

    among: names that it must differ from. It is cut to where they differ, if need be.

    >>> names = [f"RBMLE(alpha=LogBias(c={c}), boundary='published')" for c in (2.0, 3.0)]
    >>> short(names[0]), [short(each, names) for each in names]
    ("RBMLE(alpha=L…'published')", ['RBMLE…(c=2.0), boundar…', 'RBMLE…(c=3.0), boundar…'])
    """
    name, tail, room = clean(name), (most - 1) // 2, most // 2

    def cut(text: str) -> str:
        return text if len(text) <= most else f"{text[: most - 1 - tail]}…{text[-tail:]}"

    alike = {each for each in map(clean, among) if cut(each) == cut(name)} - {name}
    if not alike:
        return cut(name)
    while alike:
        start = next(
            k for k in range(len(name) + 1) if {x[k : k + 1] for x in alike} != {name[k : k + 1]}
        )
        alike = {x for x in alike if x[start : start + room] == name[start : start + room]}
    end = start + room
    head = name.partition("(")[0][: most // 3]
    return f"{head}…{name[start - 3 : end]}{'…' * (len(name) > end)}"
