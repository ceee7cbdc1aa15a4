"""Ctrl-C ends a command within two seconds, whatever it is doing.

Python cannot handle a signal while compiled code runs. So the operating system wakes a thread of
ours, which ends the process if it has not ended by itself after a moment. Further Ctrl-Cs are
ignored after the first, because an interrupted cleanup would show a traceback.
"""

from __future__ import annotations

import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .._io.interrupt import end

_Hook = Callable[["sys.UnraisableHookArgs"], object]
_PATIENCE = 1.2  # seconds that the process has to end by itself, of the two that are allowed


@contextmanager
def bounded() -> Iterator[None]:
    """Inside this block the first Ctrl-C raises KeyboardInterrupt; if the process goes on for
    another 1.2 seconds, it is ended.

    Where Ctrl-C is ignored, as for a job in the background of a shell, it stays ignored.
    """
    before = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if not main or before not in (signal.default_int_handler, end):
        yield
        return
    woken, waking = socket.socketpair()  # on Windows set_wakeup_fd takes only sockets
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
    """Wait for the signal, then give the process its time to end, then end it."""
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


def _without_interrupts(show: _Hook) -> _Hook:
    """A hook that shows nothing for a KeyboardInterrupt raised where it cannot be passed on, such
    as in `__del__`."""

    def hook(what: sys.UnraisableHookArgs, /) -> None:
        if not issubclass(what.exc_type, KeyboardInterrupt):
            show(what)

    return hook
