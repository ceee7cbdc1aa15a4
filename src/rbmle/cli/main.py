"""The entry point of the command line: errors become one line, and results an exit code.

0: done. 1: with --check, something differs or misses its target. 2: the user's mistake.
130: interrupted.
"""

from __future__ import annotations

import functools
import logging
import os
import sys
import warnings
from collections.abc import Sequence

import typer

from .._io import interrupt
from .._io.machine import COMMAND_LINE, log
from ..errors import RbmleError
from . import atlas, commands, paper, service, service_data  # noqa: F401  (they add to `app`)
from .options import app
from .process import bounded, flush_or_discard, prepare_streams

# The base class of typer's own errors about the command line; its module varies with the version.
_UsageError: type[typer.BadParameter] = typer.BadParameter.__mro__[1]
_STORING = {"run", "reproduce", "atlas"}  # commands that store what is finished


def main(
    arguments: Sequence[str] | None = None, application: typer.Typer = app, name: str = "rbmle"
) -> None:
    """Run a command line and exit. A mistake of the user's gives one line, never a traceback.

    arguments: those of the process by default. application, name: of the commands, for help.
    """
    prepare_streams()
    try:
        with bounded():
            code = run(arguments, application, name)
    except KeyboardInterrupt:  # between two lines above
        code = _say(interrupt.words, interrupt.CODE)
    flush_or_discard()
    if code == interrupt.CODE:
        os._exit(code)  # nothing is left to do, and the user pressed Ctrl-C
    sys.exit(code)


class _Shown(logging.Handler):
    """Shows the library's messages, such as that something is being compiled."""

    def __init__(self) -> None:
        super().__init__()
        self.name = COMMAND_LINE

    def emit(self, record: logging.LogRecord) -> None:
        _say(record.getMessage())


def run(
    arguments: Sequence[str] | None = None, application: typer.Typer = app, name: str = "rbmle"
) -> int:
    """Run a command line and return its exit code; parameters as in `main`."""
    typed = list(sys.argv[1:] if arguments is None else arguments)
    interrupt.words = interrupt.KEPT if {*typed[:1]} & _STORING else "interrupted"
    handler, level = _Shown(), log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        with warnings.catch_warnings():  # restores `showwarning` too
            warnings.showwarning = _show_warning
            code = _invoke(application, name, typed)
            sys.stdout.flush()
            return code
    except _UsageError as problem:
        message = problem.format_message()
        if message.startswith("Usage: "):  # the help of a group of commands
            print(message, file=sys.stderr)
            return 2
        return _say(_mistyped(problem), 2)
    except KeyboardInterrupt:
        return _say(interrupt.words, interrupt.CODE)
    except BrokenPipeError:  # the reader, such as `head`, has left
        flush_or_discard()
        return 0
    except RbmleError as problem:
        return _say(str(problem), 2)
    except OSError as problem:
        where = f"{problem.filename}: " if problem.filename else ""
        return _say(f"{where}{problem.strerror or problem}", 2)
    except MemoryError:
        return _say("there is not enough memory for this.", 2)
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


_command = functools.cache(typer.main.get_command)


def _invoke(application: typer.Typer, name: str, typed: list[str]) -> int:
    """Parse and run. Typer's own `main` would make something else of Ctrl-C and closed pipes."""
    command = _command(application)
    if f"_{name.upper()}_COMPLETE" in os.environ:  # the shell asks how a line may go on
        command.main(typed, name)
    try:
        with command.make_context(name, typed) as context:
            return command.invoke(context) or 0
    except typer.Exit as end:
        return end.exit_code


def _mistyped(problem: typer.BadParameter) -> str:
    """What typer says of a mistyped line, with the name of the command and where its help is."""
    path = problem.ctx.command_path if problem.ctx else "rbmle"
    owner, message = path.partition(" ")[2], problem.format_message()
    end = "" if message.endswith("?") else "."
    return f"{owner}{': ' * bool(owner)}{message.rstrip('.')}{end} See `{path} --help`."


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Show a warning in one line, without the file and line of code, which do not help a user."""
    _say(f"warning: {' '.join(str(message).split())}")


def _say(what: str, code: int = 0) -> int:
    try:
        print(f"rbmle: {what}", file=sys.stderr)
    except BrokenPipeError:
        flush_or_discard()
    return code
