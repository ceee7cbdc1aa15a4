"""The command line: `rbmle --help`."""

from .main import main

__all__ = ["main"]
