"""A report: one self-contained HTML page made of what a run stored."""

from .page import Plot, Report, ReportTable, Section, TableCell, section_of, write_report

__all__ = ["Plot", "Report", "ReportTable", "Section", "TableCell", "section_of", "write_report"]
