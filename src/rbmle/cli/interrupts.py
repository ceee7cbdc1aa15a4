"""Ctrl-C while a command runs: it ends within two seconds, whatever it is doing.

While compiled code runs, Python hears no signal. So the system wakes a thread of ours, which ends
the process if it has not ended by itself after a moment. What is interrupted once more while it
cleans up would show a traceback: after the first Ctrl-C the others are not heard.
"""

from __future__ import annotations

import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._interrupt import end

_PATIENCE = 1.2  # seconds for ending by itself, out of the two in which Ctrl-C must be obeyed


@contextmanager
def bounded() -> Iterator[None]:
    """Within it Ctrl-C is KeyboardInterrupt, once; if that does not end the process, it is ended.

    Where Ctrl-C is ignored, as in the background of a shell, it stays so.
    """
    before = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if not main or before not in (signal.default_int_handler, end):
        yield
        return
    woken, waking = socket.socketpair()  # on Windows only sockets are woken
    waking.setblocking(False)
    done = threading.Event()
    threading.Thread(target=_watch, args=(woken, done), daemon=True).start()
    shown = sys.unraisablehook
    sys.unraisablehook = _without_interrupts(shown)
    woken_before = signal.set_wakeup_fd(waking.fileno())
    signal.signal(signal.SIGINT, _raise_once)
    try:
        yield
    finally:
        done.set()
        signal.set_wakeup_fd(woken_before)
        waking.close()
        sys.unraisablehook = shown
        signal.signal(signal.SIGINT, before)


def _watch(woken: socket.socket, done: threading.Event) -> None:
    """Wait for the signal, then for the end of what goes on, and then wait no longer."""
    with woken:
        heard = b""
        while heard != bytes([signal.SIGINT]):
            heard = woken.recv(1)
            if not heard:
                return
        if not done.wait(_PATIENCE):
            end()


def _raise_once(*_: object) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _without_interrupts(show: Any) -> Any:
    """Says nothing of a KeyboardInterrupt in a place that cannot raise, such as `__del__`."""

    def hook(what: Any, /) -> None:
        if not issubclass(what.exc_type, KeyboardInterrupt):
            show(what)

    return hook
