"""Tables with words in them, as people have them: rows become features."""

from .data import DataTable
from .encode import ENCODERS, Encode
from .encoder import Encoder, Encoding, expanded
from .rows import as_row, as_rows, by_arm
from .transformed import Transformed, as_features

__all__ = [
    "ENCODERS",
    "DataTable",
    "Encode",
    "Encoder",
    "Encoding",
    "Transformed",
    "as_features",
    "as_row",
    "as_rows",
    "by_arm",
    "expanded",
]
