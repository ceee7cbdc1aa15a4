"""The paper's tables and protocol, and the formulas that only the code behind its tables used."""

from . import legacy_tables, variants  # these add methods to families and laws
from .published import published, published_problem, tables

__all__ = ["legacy_tables", "published", "published_problem", "tables", "variants"]
