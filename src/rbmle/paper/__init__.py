"""The paper's tables and protocol."""

from .published import published, published_problem, tables

__all__ = ["published", "published_problem", "tables"]
