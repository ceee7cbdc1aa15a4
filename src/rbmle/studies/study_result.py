"""The results of a run: a `Result` for each problem, tidy tables of all of them, decision times."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._io.files import write_atomically
from .._io.machine import log
from ..comparison import StudyComparison, titled_html
from ..errors import ParameterError, RbmleError, Words
from ..evidence import Counting
from ..result import Result, figures_for, finished_figure, pandas_for, tidy
from ..rewards.problems import Problem
from ..timing import Timing, decision_time, live_decision_time
from .file import Data
from .study import Study

TIMES = "times.json"  # apart from the results, because times depend on the machine
_ROUNDS, _REPEATS = 1_000, 3


@dataclass(frozen=True, eq=False)
class StudyResult:
    """The results of a study, by problem.

    results: a `Result` for each problem, with the replications that every policy has finished.
    replications: the numbers of those replications, by problem.
    provenance: which versions made them, on which machines, in what time.
    missing: what is left to play, in words; empty if the run is complete.

        coins = rbmle.Problem("bernoulli", [0.3, 0.5, 0.6])
        study = rbmle.Study({"coins": coins}, ["ts", "ucb"], horizon=1_000, replications=50)
        found = rbmle.run(study, "study-run")
        print(found.results["coins"])
        found.plot(path="regret.svg")
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
            names = ", ".join(map(repr, self.study.problems))
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
        return Words("\n\n".join([title, *tables, *missing]))

    def compare(self, level: float = 0.95) -> StudyComparison:
        """The differences between all pairs of policies on the same rewards, for each problem.

        level: of the confidence intervals, in (0, 1).
        """
        return StudyComparison({name: each.compare(level) for name, each in self.results.items()})

    def plot(self, *, path: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """Regret over time, a panel for each problem; the figure is returned.

        path: a file to write it to: .svg, .pdf or .png. options: those of `Result.plot`.
        """
        if len(self.study.problems) == 1:
            return self.result.plot(path=path, **options)
        if not self.results:
            raise RbmleError("StudyResult: no replication is finished yet.")
        if "ax" in options:
            raise ParameterError("StudyResult.plot", "ax", "left out with several problems")
        with figures_for("StudyResult.plot") as figures:
            with figures.panels(list(self.results)) as (figure, axes):
                for result, each in zip(self.results.values(), axes, strict=True):
                    result.plot(each, **options)
            return finished_figure(figures, figure, None, path)

    def __repr__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        html = titled_html(self.results)
        missing = f"<p>Still to play: {escape('; '.join(self.missing))}</p>"
        return html + missing * bool(self.missing)


def study_times(study: Study, live: bool = True) -> Data:
    """Seconds per decision of every policy of a study on each problem, in the compiled loop.

    live: also time `Decider.pull`.
    """
    timers: dict[str, Callable[..., Timing]] = {"compiled": decision_time}
    timers |= {"live": live_decision_time} if live else {}
    found: Data = {}
    for name, problem in timed_problems(study).items():
        log.info("timing the decisions on %s", name)
        # At least as many rounds after each arm was pulled once as before.
        given = problem, None, max(_ROUNDS, 2 * problem.n_arms), _REPEATS
        found[name] = {
            label: {kind: time(policy, *given)._asdict() for kind, time in timers.items()}
            for label, policy in zip(study.policies, study.policies_on(problem), strict=True)
        }
    return found


def timed_problems(study: Study) -> dict[str, Problem]:
    """The problems on which decisions can be timed: those with means that stay, and none where
    evidence is more than counting or rewards come late."""
    if study.delay is not None or not isinstance(study.evidence, Counting):
        return {}
    return {name: each for name, each in study.problems.items() if isinstance(each, Problem)}


def keep_times(study: Study, folder: str | os.PathLike[str], live: bool = True) -> None:
    """Time the decisions of a run and store the times in its folder, unless they are there."""
    if _read(folder).get("digest") != study.digest:
        data = {"digest": study.digest, "seconds_per_decision": study_times(study, live)}
        write_atomically(Path(folder) / TIMES, json.dumps(data, indent=1).encode())


def kept_times(study: Study, folder: str | os.PathLike[str]) -> Data:
    """The stored times, {problem: {policy: {"compiled": ..., "live": ...}}}; {} without any."""
    data = _read(folder)
    times = data.get("seconds_per_decision") if data.get("digest") == study.digest else None
    return times if isinstance(times, dict) else {}


def _read(folder: str | os.PathLike[str]) -> Data:
    try:
        data = json.loads((Path(folder) / TIMES).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}
