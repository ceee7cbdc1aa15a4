"""What a run gives back: a `Result` for each problem, and all of them as tidy tables."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError, RbmleError
from ..result import Result
from .study import Study


@dataclass(frozen=True, eq=False)
class StudyResult:
    """The results of a study, by problem.

    results: a `Result` for each problem, with the replications that every policy has finished.
    replications: the numbers of those replications, by problem.
    provenance: which versions of what made them, where, and in what time.
    missing: what is left to play, in words; nothing if the run is complete.
    """

    study: Study
    results: Mapping[str, Result]
    provenance: dict[str, Any]
    replications: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        return not self.missing

    @property
    def result(self) -> Result:
        """The result of the study's one problem."""
        if len(self.study.problems) != 1:
            names = ", ".join(repr(name) for name in self.study.problems)
            raise ParameterError(
                f"StudyResult: 'result' must be asked of a study of one problem. This one has "
                f"{names}: use results[name]."
            )
        if not self.results:
            raise RbmleError("StudyResult: no replication is finished yet.")
        return next(iter(self.results.values()))

    def frame(self) -> Any:
        """A pandas DataFrame with a row for each problem, policy, replication and checkpoint."""
        return self._frame(
            lambda result: {
                "round": np.broadcast_to(result.checkpoints, result.regret.shape),
                "regret": result.regret,
                "best_share": result.best_share,
            }
        )

    def final(self) -> Any:
        """A pandas DataFrame with a row for each problem, policy and replication."""
        return self._frame(
            lambda result: {
                "final_regret": result.final_regret,
                "best_pulls": result.best_pulls[:, :, -1],
                "best_share": result.best_share[:, :, -1],
            }
        )

    def _frame(self, columns: Any) -> Any:
        """The columns that are made of each result, with what their rows belong to."""
        try:
            pandas: Any = importlib.import_module("pandas")
        except ModuleNotFoundError:
            raise RbmleError(
                "StudyResult: pandas is not installed; the extra rbmle[data] has it."
            ) from None
        problems = list(self.results)
        frames = []
        for problem, result in self.results.items():
            made = columns(result)
            shape = next(iter(made.values())).shape
            places = np.indices(shape).reshape(len(shape), -1)
            count = places.shape[1]
            place = np.full(count, problems.index(problem))
            frames.append(
                pandas.DataFrame(
                    {
                        "problem": pandas.Categorical.from_codes(place, problems),
                        "policy": pandas.Categorical.from_codes(places[0], list(result.names)),
                        "replication": self.replications[problem][places[1]],
                        **{name: values.reshape(count) for name, values in made.items()},
                    }
                )
            )
        if not frames:
            return pandas.DataFrame({"problem": [], "policy": [], "replication": []})
        return pandas.concat(frames, ignore_index=True)

    def summary(self) -> str:
        """A table of the final regret for each problem, and what is missing."""
        title = self.study.name or f"Study {self.study.digest[:12]}"
        tables = [f"{name}\n{result.summary()}" for name, result in self.results.items()]
        missing = ["\n".join(["Still to play:", *self.missing])] if self.missing else []
        return "\n\n".join([title, *tables, *missing])

    def compare(self, level: float = 0.95) -> str:
        """All pairs of policies on the same rewards, for each problem."""
        return "\n\n".join(
            f"{name}\n{result.compare(level)}" for name, result in self.results.items()
        )

    def __repr__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        tables = [
            f"<h4>{escape(name)}</h4>{result._repr_html_()}"
            for name, result in self.results.items()
        ]
        missing = [f"<p>Still to play: {escape('; '.join(self.missing))}</p>"]
        return "".join(tables + missing * bool(self.missing))
