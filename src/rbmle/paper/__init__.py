"""The publication: its tables and protocol, and whatever only its code did."""

from . import legacy_tables, variants  # give families and laws what only the paper's code did
from .published import published, published_problem, tables

__all__ = ["legacy_tables", "published", "published_problem", "tables", "variants"]
