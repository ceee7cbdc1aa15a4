"""An atlas as two small files: atlas.csv, what is told of each cell, and atlas.npz, the means on
each problem as float32."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .._io.files import write_atomically
from ..errors import RunError
from .runs import DAMAGED
from .verdicts import AtlasCell, AtlasRow, rows_of

TABLE, MEANS = "atlas.csv", "atlas.npz"
_HEAD = (
    "family", "set", "horizon", "policy", "problems", "replications", "mean", "error", "q99",
    "q99.9", "ratio median", "ratio 90 %", "ratio worst", "won",
)  # fmt: skip


def write_atlas(cells: Sequence[AtlasCell], folder: str | os.PathLike[str]) -> list[AtlasRow]:
    """Write the cells into the folder, and return them as rows."""
    rows = rows_of(cells)
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(_HEAD)
    for cell, *beside in rows:
        told = [*cell[6:10], *beside]
        out.writerow([*cell[:6], *(f"{value:.5g}" for value in told)])
    content = io.BytesIO()
    np.savez_compressed(content, *(row.cell.by_problem.astype(np.float32) for row in rows))
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    write_atomically(target / TABLE, text.getvalue().encode())
    write_atomically(target / MEANS, content.getvalue())
    return rows


def read_atlas(folder: str | os.PathLike[str]) -> list[AtlasCell]:
    """The cells that `write_atlas` wrote, to the digits that it kept."""
    target = Path(folder)
    try:
        with open(target / TABLE, encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file))
        with np.load(io.BytesIO((target / MEANS).read_bytes())) as means:
            if len(lines) != len(means.files):
                raise ValueError
            return [
                AtlasCell(
                    line["family"], line["set"], int(line["horizon"]), line["policy"],
                    int(line["problems"]), int(line["replications"]), float(line["mean"]),
                    float(line["error"]), float(line["q99"]), float(line["q99.9"]),
                    means[f"arr_{k}"].astype(float),
                )
                for k, line in enumerate(lines)
            ]  # fmt: skip
    except OSError as problem:
        raise RunError(f"{target}: cannot be read ({problem.strerror or problem}).") from None
    except (TypeError, csv.Error, *DAMAGED):  # TypeError: a line is cut off
        raise RunError(f"{target}: has no atlas in {TABLE} and {MEANS}.") from None
