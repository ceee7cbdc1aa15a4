"""Prepare SVG drawings for an HTML page: distinct ids, and the page's own colours."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from ..errors import ParameterError
from .canvas import POLICY
from .style import FAINT, INK

_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_UNWANTED = {f"{{{_SVG}}}{tag}" for tag in ("metadata", "style", "script", "foreignObject")}


def inline(drawing: str, prefix: str, label: str) -> str:
    """The SVG drawing, prepared to stand in an HTML page beside others.

    prefix: put before every id, and every reference to one, so that no two drawings share an id.
    label: what a screen reader says.
    Parts that belong to a policy get `data-policy` in place of an id. Text, lines and grid take the
    page's colours `--ink` and `--faint`. Scripts, styles and metadata are removed.
    """
    try:
        root = ElementTree.fromstring(drawing)
    except ElementTree.ParseError:
        raise ParameterError("report", "figure", "a figure or SVG text", drawing[:60]) from None
    for parent in root.iter():
        for child in [each for each in parent if each.tag in _UNWANTED]:
            parent.remove(child)
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        for key, value in list(element.attrib.items()):
            del element.attrib[key]
            if key == "id" and value.startswith(POLICY):
                name, _, part = value.removeprefix(POLICY).rpartition("|")
                element.attrib |= {"data-policy": name, "data-part": part}
            elif key == "id":
                element.attrib[key] = prefix + value
            elif key in ("href", f"{{{_XLINK}}}href"):
                element.attrib["href"] = re.sub("^#", f"#{prefix}", value)
            elif not key.startswith(("{", "on")):
                element.attrib[key] = _own(value, prefix) if key != "d" else value
    width, height = (root.attrib.pop(key, "") for key in ("width", "height"))
    if "viewBox" not in root.attrib:
        root.attrib["viewBox"] = f"0 0 {_number(width)} {_number(height)}"
    root.attrib |= {"role": "img", "aria-label": label}
    return ElementTree.tostring(root, encoding="unicode")


def _own(value: str, prefix: str) -> str:
    value = value.replace("url(#", f"url(#{prefix}")
    return value.replace(INK, "var(--ink)").replace(FAINT, "var(--faint)")


def _number(length: str) -> str:
    return re.sub(r"[^0-9.]", "", length) or "100"
