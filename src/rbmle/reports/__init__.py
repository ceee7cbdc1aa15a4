"""Reports: one self-contained HTML page, made of what a run stored."""

from .writing import write_report

report = write_report  # as people call it: `rbmle.report(folder)`

__all__ = ["report", "write_report"]
