"""Standard output and error as commands need them: there, whatever their encoding, or nowhere."""

from __future__ import annotations

import codecs
import os
import sys
from contextlib import suppress

# What our own texts have beside ASCII; anything else is written as \xe9 where it cannot be shown.
_PLAIN = {"\N{PLUS-MINUS SIGN}": "+-", "\N{HORIZONTAL ELLIPSIS}": "...", "\N{MINUS SIGN}": "-"}


def prepare() -> None:
    """Open closed streams on nothing, and let no character be an error."""
    codecs.register_error("rbmle", _spelled)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:  # closed, as by >&-: or the next file would get its number
            nowhere = open(os.devnull, "w" if number else "r", encoding="utf-8")  # noqa: SIM115
            setattr(sys, name, nowhere)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="rbmle")


def abandon() -> None:
    """Send what is still to be written to a reader who left, such as `head`, nowhere."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)


def _spelled(problem: UnicodeError) -> tuple[str, int]:
    """The characters that cannot be encoded, in those that can."""
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    text: str = problem.object[problem.start : problem.end]
    plain = "".join(_PLAIN.get(c) or c.encode("ascii", "backslashreplace").decode() for c in text)
    return plain, problem.end
