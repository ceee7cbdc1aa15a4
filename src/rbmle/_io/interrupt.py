"""The handler of Ctrl-C while the command line is still being imported: one line, exit code 130.

The imports take about a second, during which no `try` of the command is active yet. So the package
imports this module first, which itself imports next to nothing and sets a handler. It does so only
in a process that was started as the command.
"""

import os
import signal
import sys

CODE = 130  # 128 + SIGINT, the convention of shells
KEPT = "interrupted; what was finished is kept, and the same command continues"
words = "interrupted"  # what is said; a command that stores its results says KEPT


def is_command(first: str, started: list[str]) -> bool:
    """Whether a process with this sys.argv[0] and sys.orig_argv is the command.

    >>> is_command("/usr/bin/rbmle", ["python", "/usr/bin/rbmle"])
    True
    >>> is_command("-m", ["python", "-m", "rbmle", "policies"]), is_command("-m", ["python", "-mx"])
    (True, False)
    """
    if first == "-m":  # Python sets this while it imports the package for `python -m`
        return "-mrbmle" in started or ("rbmle" in started and "-m" in started)
    return os.path.basename(first) in ("rbmle", "rbmle.exe")


def end(*_: object) -> None:
    """Print one line and exit at once. No file is damaged, as files are written atomically."""
    try:
        os.write(2, f"rbmle: {words}\n".encode())
    finally:
        os._exit(CODE)


# Set no handler if Ctrl-C is ignored (as in the background of a shell) or handled by someone else.
_free = signal.getsignal(signal.SIGINT) is signal.default_int_handler
if _free and is_command((sys.argv or [""])[0], sys.orig_argv):
    try:  # noqa: SIM105  (contextlib takes its time)
        signal.signal(signal.SIGINT, end)
    except ValueError:  # not the main thread
        pass
