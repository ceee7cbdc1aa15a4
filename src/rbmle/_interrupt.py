"""Ctrl-C while the command line is being imported: one line and exit code 130.

The imports take a second in which no code of ours runs that could catch anything. So this is the
first import of the package, and itself imports next to nothing: it sets a handler, in a process
that was started as the command and in no other.
"""

import os
import signal
import sys

CODE = 130  # 128 + SIGINT, as shells have it
WORDS = "interrupted; what was finished is kept"


def is_command(first: str, started: list[str]) -> bool:
    """Whether a process with this sys.argv[0] and sys.orig_argv is the command.

    >>> is_command("/usr/bin/rbmle", ["python", "/usr/bin/rbmle"])
    True
    >>> is_command("-m", ["python", "-m", "rbmle", "policies"]), is_command("-m", ["python", "-mx"])
    (True, False)
    """
    if first == "-m":  # so it is called while the package is imported
        return "-mrbmle" in started or ("rbmle" in started and "-m" in started)
    return os.path.basename(first) in ("rbmle", "rbmle.exe")


def end(*_: object) -> None:
    """Say so and end at once; nothing is lost, as every file is written whole or not at all."""
    try:
        os.write(2, f"rbmle: {WORDS}\n".encode())
    finally:
        os._exit(CODE)


# Unless it is ignored, as in the background of a shell, or another's already.
_free = signal.getsignal(signal.SIGINT) is signal.default_int_handler
if _free and is_command((sys.argv or [""])[0], sys.orig_argv):
    try:  # noqa: SIM105  (contextlib takes its time)
        signal.signal(signal.SIGINT, end)
    except ValueError:  # not the main thread
        pass
