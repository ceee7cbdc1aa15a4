"""The entry point of the command line: errors become one line, and results an exit code.

0: done. 1: with --check, something differs or misses its target. 2: the user's mistake.
130: interrupted.
"""

from __future__ import annotations

import logging
import os
import sys
import warnings
from typing import Any

import typer

from .._io import interrupt
from .._io.log import log
from ..errors import RbmleError
from . import (  # noqa: F401  (who imports the commands has them in `app`)
    atlas,
    commands,
    service,
    streams,
)
from .app import app
from .interrupts import bounded

# The base class of typer's own errors about the command line; its module varies with the version.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]


def main(arguments: list[str] | None = None, application: typer.Typer = app) -> None:
    """Run a command line. A mistake of the user's gives one line, never a traceback."""
    streams.prepare()
    try:
        with bounded():
            code = run(arguments, application)
    except KeyboardInterrupt:  # between two lines above
        code = _say(interrupt.WORDS, interrupt.CODE)
    streams.abandon()
    if code == interrupt.CODE:
        os._exit(code)  # there is nothing left to do, and who waits has pressed Ctrl-C
    sys.exit(code)


class _Shown(logging.Handler):
    """Shows the library's messages, such as that something is being compiled."""

    def emit(self, record: logging.LogRecord) -> None:
        _say(record.getMessage(), 0)


def run(arguments: list[str] | None = None, application: typer.Typer = app) -> int:
    """Run a command and return its exit code."""
    shown, level = _Shown(), log.level
    log.addHandler(shown)
    log.setLevel(logging.INFO)
    try:
        with warnings.catch_warnings():  # restores `showwarning` too
            warnings.showwarning = _show_warning
            return _run(arguments, application)
    finally:
        log.removeHandler(shown)
        log.setLevel(level)


def _run(arguments: list[str] | None, application: typer.Typer) -> int:
    try:
        code = application(arguments, standalone_mode=False)
        sys.stdout.flush()
        return _ended(code if isinstance(code, int) else 0)
    except typer.Exit as end:
        return _ended(end.exit_code)
    except _UsageError as problem:
        return _say(problem.format_message(), 2)  # type: ignore[attr-defined]
    except (KeyboardInterrupt, typer.Abort):
        return _ended(interrupt.CODE)
    except BrokenPipeError:
        return _unread()
    except SystemExit as end:  # what typer makes of a closed pipe
        if isinstance(end.__context__, BrokenPipeError):
            return _unread()
        raise
    except RbmleError as problem:
        return _say(str(problem), 2)
    except OSError as problem:
        where = f"{problem.filename}: " if problem.filename else ""
        return _say(f"{where}{problem.strerror or problem}", 2)
    except MemoryError:
        return _say("there is not enough memory for this.", 2)


def _unread() -> int:
    """Write nothing more, not even at exit, because the reader, such as `head`, has left."""
    if type(sys.stdout).__module__.startswith("typer"):  # it has wrapped the stream
        sys.stdout = sys.__stdout__ or sys.stdout
    streams.abandon()
    return 0


def _ended(code: int) -> int:
    """The exit code. After Ctrl-C the message is printed here, because some versions of typer only
    return the code."""
    return _say(interrupt.WORDS, code) if code == interrupt.CODE else code


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Show a warning in one line, without the file and line of code, which do not help a user."""
    _say(f"warning: {' '.join(str(message).split())}", 0)


def _say(what: str, code: int) -> int:
    try:
        print(f"rbmle: {what}", file=sys.stderr)
    except BrokenPipeError:
        streams.abandon()
    return code
