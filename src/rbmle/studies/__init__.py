"""Work that survives: studies as data, runs that go on after a kill, and their results."""

from .runner import load, run
from .study import Study
from .study_result import StudyResult

__all__ = ["Study", "StudyResult", "load", "run"]
