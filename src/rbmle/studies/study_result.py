"""The results of a run: a `Result` for each problem, and tidy tables of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..comparison import StudyComparison
from ..errors import ParameterError, RbmleError
from ..result import Result, pandas_for, tidy
from .file import Data
from .study import Study


@dataclass(frozen=True, eq=False)
class StudyResult:
    """The results of a study, by problem.

    results: a `Result` for each problem, with the replications that every policy has finished.
    replications: the numbers of those replications, by problem.
    provenance: which versions made them, on which machines, in what time.
    missing: what is left to play, in words; empty if the run is complete.
    """

    study: Study
    results: Mapping[str, Result]
    provenance: Data
    replications: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every replication was played."""
        return not self.missing

    @property
    def result(self) -> Result:
        """The result of the study's one problem."""
        if len(self.study.problems) != 1:
            names = ", ".join(repr(name) for name in self.study.problems)
            hint = f" This one has {names}: use results[name]."
            allowed = "asked of a study of one problem"
            raise ParameterError("StudyResult", "result", allowed, hint=hint)
        if not self.results:
            raise RbmleError("StudyResult: no replication is finished yet.")
        return next(iter(self.results.values()))

    def frame(self) -> Any:
        """A pandas DataFrame with a row for each problem, policy, replication and checkpoint."""
        return self._frame("StudyResult.frame", Result.over_time)

    def final(self) -> Any:
        """A pandas DataFrame with a row for each problem, policy and replication."""
        return self._frame("StudyResult.final", Result.at_the_end)

    def _frame(self, owner: str, columns: Callable[[Result], dict[str, NDArray[Any]]]) -> Any:
        """The tidy tables of all problems, one below the other."""
        frames = {
            problem: tidy(owner, result.names, self.replications[problem], columns(result))
            for problem, result in self.results.items()
        }
        pandas = pandas_for(owner)
        if not frames:
            return pandas.DataFrame({"problem": [], "policy": [], "replication": []})
        for place, frame in enumerate(frames.values()):
            whose = pandas.Categorical.from_codes(np.full(len(frame), place), list(frames))
            frame.insert(0, "problem", whose)
        return pandas.concat(frames.values(), ignore_index=True)

    def summary(self) -> str:
        """A table of the final regret for each problem, and what is missing."""
        title = self.study.name or f"Study {self.study.digest[:12]}"
        tables = [f"{name}\n{result.summary()}" for name, result in self.results.items()]
        missing = ["\n".join(["Still to play:", *self.missing])] if self.missing else []
        return "\n\n".join([title, *tables, *missing])

    def compare(self, level: float = 0.95) -> StudyComparison:
        """The differences between all pairs of policies on the same rewards, for each problem.

        level: of the confidence intervals, in (0, 1).
        """
        return StudyComparison(
            {name: result.compare(level) for name, result in self.results.items()}
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
