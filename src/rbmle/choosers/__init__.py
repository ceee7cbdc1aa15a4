"""How the largest index is found. A chooser is about speed only: it never changes a choice."""

from .scan import Scan, chooser_for
from .tournament import Tournament

__all__ = ["Scan", "Tournament", "chooser_for"]
