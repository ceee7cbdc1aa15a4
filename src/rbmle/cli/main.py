"""From the shell to the commands and back: errors are one line, and exit codes mean something.

0: done. 1: something differs, under --check. 2: the user's error. 130: interrupted.
"""

from __future__ import annotations

import logging
import os
import sys

import typer

from .._log import log
from ..errors import RbmleError
from .commands import app

# The base of typer's own complaints about the command line; which module has it varies.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]

_INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; never a traceback for what the user can mend."""
    sys.exit(run(arguments))


class _Shown(logging.Handler):
    """Shows the library's messages, such as that something is being compiled."""

    def emit(self, record: logging.LogRecord) -> None:
        _say(record.getMessage(), 0)


def run(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit code."""
    shown, level = _Shown(), log.level
    log.addHandler(shown)
    log.setLevel(logging.INFO)
    try:
        return _run(arguments)
    finally:
        log.removeHandler(shown)
        log.setLevel(level)


def _run(arguments: list[str] | None) -> int:
    try:
        code = app(arguments, standalone_mode=False)
        sys.stdout.flush()
        return _ended(code if isinstance(code, int) else 0)
    except typer.Exit as end:
        return _ended(end.exit_code)
    except _UsageError as problem:
        return _say(problem.format_message(), 2)  # type: ignore[attr-defined]
    except (KeyboardInterrupt, typer.Abort):
        return _ended(_INTERRUPTED)
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


def _unread() -> int:
    """The reader, such as `head`, has seen enough: nothing more is written, not at exit either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())  # type: ignore[union-attr]
    sys.stdout = sys.__stdout__
    return 0


def _ended(code: int) -> int:
    """The exit code. Some versions of typer turn Ctrl-C into a code, without a word."""
    return _say("interrupted; what was finished is kept", code) if code == _INTERRUPTED else code


def _say(what: str, code: int) -> int:
    print(f"rbmle: {what}", file=sys.stderr)
    return code
