"""The process of a command: Ctrl-C ends it within two seconds, whatever it is doing, and closed
streams, narrow encodings and broken pipes are no errors.

Python cannot handle a signal while compiled code runs. So the operating system wakes a thread of
ours, which ends the process if it has not ended by itself after a moment. Further Ctrl-Cs are
ignored after the first, because an interrupted cleanup would show a traceback.
"""

from __future__ import annotations

import codecs
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from .._io.interrupt import end

_PATIENCE = 1.2  # seconds that the process has to end by itself, of the two that are allowed

# Plain forms of the characters outside ASCII in our own texts, for encodings that lack them; any
# other such character is written as \xe9.
_PLAIN = {"\N{PLUS-MINUS SIGN}": "+-", "\N{HORIZONTAL ELLIPSIS}": "...", "\N{MINUS SIGN}": "-"}


@contextmanager
def bounded() -> Iterator[None]:
    """Inside this block the first Ctrl-C raises KeyboardInterrupt; if the process goes on for
    another 1.2 seconds, it is ended.

    Where Ctrl-C is ignored, as for a job in the background of a shell, it stays ignored.
    """
    before, show = signal.getsignal(signal.SIGINT), sys.unraisablehook
    main = threading.current_thread() is threading.main_thread()
    if not main or before not in (signal.default_int_handler, end):
        yield
        return

    def without_interrupts(what: sys.UnraisableHookArgs, /) -> None:
        """Show nothing for an interrupt raised where it cannot be passed on, as in `__del__`."""
        if not issubclass(what.exc_type, KeyboardInterrupt):
            show(what)

    woken, waking = socket.socketpair()  # on Windows set_wakeup_fd takes only sockets
    waking.setblocking(False)
    done = threading.Event()
    threading.Thread(target=_watch, args=(woken, done), daemon=True).start()
    sys.unraisablehook = without_interrupts
    woken_before = signal.set_wakeup_fd(waking.fileno())
    signal.signal(signal.SIGINT, _raise_once)
    try:
        yield
    finally:
        done.set()
        signal.set_wakeup_fd(woken_before)
        waking.close()
        sys.unraisablehook = show
        signal.signal(signal.SIGINT, before)


def _watch(woken: socket.socket, done: threading.Event) -> None:
    """Wait for the signal, then give the process its time to end, then end it."""
    with woken:
        while heard := woken.recv(1):
            if heard == bytes([signal.SIGINT]):
                if not done.wait(_PATIENCE):
                    end()
                return


def _raise_once(*_: object) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def prepare_streams() -> None:
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
