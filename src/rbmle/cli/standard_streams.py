"""Make standard output and error safe: closed streams, narrow encodings and readers that leave."""

from __future__ import annotations

import codecs
import os
import sys
from contextlib import suppress

# Plain forms of the characters outside ASCII in our own texts, for encodings that lack them; any
# other such character is written as \xe9.
_PLAIN = {"\N{PLUS-MINUS SIGN}": "+-", "\N{HORIZONTAL ELLIPSIS}": "...", "\N{MINUS SIGN}": "-"}


def prepare() -> None:
    """Open closed streams on the null device, and let no character be an encoding error."""
    codecs.register_error("rbmle", _spelled)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:  # closed by >&-; else the next opened file gets its number
            nowhere = open(os.devnull, "w" if number else "r", encoding="utf-8")  # noqa: SIM115
            setattr(sys, name, nowhere)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="rbmle")


def flush_or_discard() -> None:
    """Flush the streams; where the reader, such as `head`, has left, discard the rest."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)


def _spelled(problem: UnicodeError) -> tuple[str, int]:
    """An error handler that spells characters which cannot be encoded in ASCII."""
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    text: str = problem.object[problem.start : problem.end]
    plain = "".join(_PLAIN.get(c) or c.encode("ascii", "backslashreplace").decode() for c in text)
    return plain, problem.end
