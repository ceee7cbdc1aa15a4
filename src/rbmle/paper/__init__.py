"""The publication: its tables and protocol, and whatever only its code did."""

from .published import published, published_problem, tables

__all__ = ["published", "published_problem", "tables"]
