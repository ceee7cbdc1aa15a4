"""Around a compilation: log a message for the person who waits, and pause garbage collection."""

from __future__ import annotations

import gc
import threading

from numba.core import event

from .._io.machine import log
from .cache import explain
from .operators import find_once

_said: set[tuple[type, ...]] = set()  # classes whose compilation was announced already


class Announcement(event.Listener):  # type: ignore[misc]
    """Logs once for each pair of classes that they are being compiled, to explain the wait.

    Python's garbage collector pauses meanwhile: a compiler makes many objects and little garbage,
    and looking at them again and again takes a tenth of the time. Types of operators are cached
    (`operators.py`). Numba compiles in one thread at a time, so other threads notice neither.
    """

    def __init__(self, args: tuple[object, ...], compiler: str) -> None:
        self.compiler = compiler
        self.kinds, self.thread = compiled_for(args), threading.get_ident()
        self.depth, self.collects = 0, False

    def on_start(self, event: event.Event) -> None:
        if self.thread != threading.get_ident():
            return
        if self.depth == 0:
            self.collects = gc.isenabled()
            gc.disable()
            find_once(True)
        self.depth += 1
        if self.kinds and self.kinds not in _said:
            _said.add(self.kinds)
            explain(self.compiler)
            log.info("compiling %s, once", " for ".join(each.__name__ for each in self.kinds))

    def on_end(self, event: event.Event) -> None:
        if self.thread == threading.get_ident():
            self.depth -= 1
            if self.depth == 0:
                find_once(False)
                if self.collects:
                    gc.enable()


def compiled_for(args: tuple[object, ...]) -> tuple[type, ...]:
    """The policy's class and the family's, or whichever records come first in a kernel's arguments.

    They are the first two arguments, or the first two fields of the rules that are the first.
    """
    records = [each for each in args if isinstance(each, tuple) and hasattr(each, "_fields")]
    if records and records[0]._fields[:2] == ("policy", "family"):
        records = list(records[0])
    return tuple(type(each) for each in records[:2])
