"""The function `write_report`, which writes a stored run as one page."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

from .._io.machine import require_extra
from ..errors import ParameterError
from ..live.decider import Decider
from ..live.state import is_decider
from ..paper.folder import is_paper, load_paper
from ..result import Result
from ..studies.runner import load
from ..studies.study_result import StudyResult, kept_times


def write_report(
    run: StudyResult | Result | Decider[Any] | str | os.PathLike[str],
    path: str | os.PathLike[str] | None = None,
    command: str | None = None,
) -> Path:
    """Write a run as one self-contained page with tables and figures; returns the page's path.

    run: the folder of a run or of the recomputed paper; the result of `run` or `simulate`; or, for
    what may be concluded from its rewards, a `Decider` or the file that it saved.
    path: the file to write; by default report.html in the folder, or beside a decider's file one of
    its name that ends in .html.
    command: the command that the page names as its origin.

    Nothing is played or timed: the page shows what the run stored.

        rbmle.write_report("study-run", "report.html")  # a run, or a decider
    """
    require_extra("report", "report")
    # Imported only now, because they need the packages that `require_extra` has just looked for.
    from .decider_report import decider_report
    from .paper_report import paper_report
    from .study_report import result_report, study_report

    if isinstance(run, (str, os.PathLike)):
        folder = Path(run)
        alone = is_decider(folder)
        usual = folder.with_suffix(".html") if alone else folder / "report.html"
        target = usual if path is None else Path(path)
        origin = command or shlex.join(["rbmle", "report", str(folder)])
        if alone:
            decider_report(Decider.load(folder), target, origin, str(folder))
        elif is_paper(folder):
            paper_report(load_paper(folder), target, origin, str(folder))
        else:
            result = load(folder)
            study_report(result, target, origin, kept_times(result.study, folder), str(folder))
        return target
    if not isinstance(run, (StudyResult, Result, Decider)):
        allowed = "a run folder, a StudyResult, a Result, or a Decider or its file"
        raise ParameterError("report", "run", allowed, run)
    if path is None:
        raise ParameterError("report", "path", "given where the run is no folder", path)
    target, origin = Path(path), command or "rbmle.report(...)"
    if isinstance(run, StudyResult):
        study_report(run, target, origin, {})
    elif isinstance(run, Decider):
        decider_report(run, target, origin)
    else:
        result_report(run, target, origin)
    return target
