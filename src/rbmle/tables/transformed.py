"""Fitted transformers, such as scikit-learn's, in the place of an `Encode`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._numba.compile import Floats
from ..errors import ParameterError, Words
from .encode import Encode
from .rows import as_row, missing


class Transformed:
    """A fitted transformer: an object with `transform`, which turns a table into numbers.

    It is given one row: a DataFrame, if it was fitted on one and knows the names of its columns,
    else a list of one list. It cannot be saved as JSON: `Decider.load` must be given it again.
    """

    def __init__(self, transformer: Any) -> None:
        self.transformer = transformer
        names = getattr(transformer, "get_feature_names_out", None)
        try:
            self.names = tuple(map(str, names())) if names is not None else ()
        except Exception as problem:  # whatever a transformer raises that is not fitted
            words = "an Encode, or a fitted object with `transform`"
            raise ParameterError("features", "features", words, Words(str(problem))) from None
        self.dimension = len(self.names)
        self.columns = tuple(map(str, getattr(transformer, "feature_names_in_", ())))

    def __repr__(self) -> str:
        return " ".join(repr(self.transformer).split())

    def as_spec(self) -> dict[str, str]:
        """What a file says of it."""
        return {"transformer": repr(self)}

    def vector(self, owner: str, context: object) -> Floats:
        """The features of a context; raises ParameterError if the transformer refuses it."""
        row = as_row(context)
        if row is None:
            raise ParameterError(owner, "context", "a row of a table", context)
        if not self.columns:
            table: Any = [list(row.values()) if isinstance(row, Mapping) else list(row)]
        else:
            import pandas as pd  # the transformer was fitted on its tables

            named = row if isinstance(row, Mapping) else dict(zip(self.columns, row, strict=False))
            absent = next((each for each in self.columns if each not in named), None)
            if absent is not None:
                raise missing(owner, "context", absent, named)
            table = pd.DataFrame([{name: named[name] for name in self.columns}])
        try:
            made = self.transformer.transform(table)
        except Exception as problem:  # whatever it raises about this row
            reason = str(problem).strip().split("\n")[0].rstrip(".")
            words = "a row that the transformer takes"
            raise ParameterError(owner, "context", words, context, f" It said: {reason}.") from None
        dense = made.toarray() if hasattr(made, "toarray") else made
        return np.asarray(dense, dtype=float).reshape(-1)


def as_features(given: Any, owner: str = "Linear") -> Any:
    """How contexts become features: an `Encode`, or a fitted transformer; False: they are."""
    if given is False or given is None:
        return False
    if isinstance(given, (Encode, Transformed)):
        return given
    if isinstance(given, Mapping) and "transformer" in given:
        words = "given again, as in Decider.load(path, evidence=...): files hold no transformers"
        raise ParameterError(owner, "features", words, Words(given["transformer"]))
    if callable(getattr(given, "transform", None)):
        return Transformed(given)
    words = "an Encode, or a fitted object with `transform`"
    raise ParameterError(owner, "features", words, given)
