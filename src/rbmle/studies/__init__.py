"""Studies as data, runs that can be killed and continued, and their results."""

from .runner import load, run
from .study import Study
from .study_result import StudyResult

__all__ = ["Study", "StudyResult", "load", "run"]
