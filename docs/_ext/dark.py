"""Gives every figure a dark version: light pages show one, dark pages the other.

The package's figures name their ink, grid and paper by fixed colours, so that the dark version of
an SVG is the same drawing with these replaced. The other colours are those of Okabe and Ito, which
the colour-blind tell apart on both papers. Of a PNG every pixel keeps its hue and gets the opposite
lightness.
"""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from PIL import Image, ImageChops
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

# Ink, grid and paper of `rbmle.figures` and of matplotlib; on the right those of furo's dark page.
DARK = {"#222223": "#e4e4e6", "#d9d9d8": "#3a3b3f", "#ffffff": "#131416", "#000000": "#e4e4e6"}


def darken(light: Path, dark: Path) -> None:
    """Write the dark version of a picture."""
    if light.suffix == ".svg":
        drawing = light.read_text("utf-8")
        drawing = re.sub("|".join(DARK), lambda found: DARK[found[0]], drawing)
        # What has no colour of its own is black unless the drawing says otherwise.
        dark.write_text(drawing.replace("<svg ", f'<svg fill="{DARK["#000000"]}" ', 1), "utf-8")
    else:
        inverted = ImageChops.invert(Image.open(light).convert("RGB")).convert("HSV")
        hue, saturation, value = inverted.split()
        turned = Image.merge("HSV", (hue.point(lambda h: (h + 128) % 256), saturation, value))
        turned.convert("RGB").point(lambda v: 19 + v * 209 // 255).save(dark)


class TwoVersions(SphinxTransform):
    """Puts a dark version beside each picture, before Sphinx collects the pictures."""

    default_priority = 870  # `doctree-read`, where they are collected, comes at 880

    def apply(self) -> None:
        for image in list(self.document.findall(nodes.image)):
            light = Path(self.env.relfn2path(image["uri"])[1])
            if light.suffix == ".png" and light.parent.name == "jupyter_execute":
                continue  # a page shows the SVG of the same figure
            name = f"{light.stem}-dark{light.suffix}"
            darken(light, light.with_name(name))
            dark = image.deepcopy()
            dark["uri"] = str(Path(image["uri"]).with_name(name))
            image["classes"].append("only-light")
            dark["classes"].append("only-dark")
            image.parent.insert(image.parent.index(image) + 1, dark)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_transform(TwoVersions)
    return {"parallel_read_safe": True}
