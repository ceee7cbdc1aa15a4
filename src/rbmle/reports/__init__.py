"""Reports: one self-contained HTML page, made of what a run stored."""

from .writing import write_report

__all__ = ["write_report"]
