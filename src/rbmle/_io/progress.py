"""Progress on stderr, for a person who waits: what is being compiled, and a bar of the rounds."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator

from .machine import log

_SECONDS_WITHOUT, _SECONDS_BETWEEN = 2.0, 0.1  # of playing before there is a bar; between two bars
_WIDTH = 24  # of the bar, in characters


def watched() -> bool:
    """Whether a person watches stderr: a terminal's or a notebook's, outside tests."""
    stream = sys.stderr  # None in a process without a console
    notebook = type(stream).__module__ == "ipykernel.iostream"
    visible = notebook or (stream is not None and stream.isatty())
    return visible and "PYTEST_CURRENT_TEST" not in os.environ


class Bar(logging.Handler):
    """Writes the library's messages as lines, and below them a bar, which replaces itself.

    silent: whether messages are left to the application, which shows them itself.
    """

    def __init__(self, total: float, done: float, unit: str, silent: bool) -> None:
        super().__init__()
        self.total, self.done, self.unit, self.silent = total, done, unit, silent
        self.before = done  # what is not counted in the time that is left
        self.began = self.drawn = 0.0  # when the first was played, and when the bar was drawn
        self.line, self.writing = "", threading.Lock()

    def add(self, count: float) -> None:
        """Count what was just played, in any thread; times begin with the first call."""
        with self.writing:
            now = time.monotonic()
            self.done += count
            if not self.began:
                self.began, self.before = now, self.done
            spent = now - self.began
            if spent < _SECONDS_WITHOUT or now - self.drawn < _SECONDS_BETWEEN:
                return
            self.drawn, share = now, self.done / self.total
            left = spent * (self.total - self.done) / (self.done - self.before or 1.0)
            bar = f"[{'#' * int(_WIDTH * share):.<{_WIDTH}}]"
            text = f"{bar} {share:.0%} of {self.total:,.0f} {self.unit}, {left:,.0f} s left"
            self._write(text[: shutil.get_terminal_size().columns - 1])

    def emit(self, record: logging.LogRecord) -> None:
        """Write a message; a warning goes to the handlers of the application, if it has any."""
        parent = log.parent
        if self.silent:
            self.clear()
            return
        if record.levelno > logging.INFO and parent is not None and parent.hasHandlers():
            parent.callHandlers(record)
            return
        with self.writing:
            self._write(f"rbmle: {record.getMessage()}", "\n")

    def clear(self) -> None:
        """Remove the bar."""
        with self.writing:
            if self.line:
                self._write("", "\r")

    def _write(self, line: str, end: str = "") -> None:
        with contextlib.suppress(OSError, ValueError):  # it was closed
            print(f"\r{line:{len(self.line)}}", end=end, file=sys.stderr, flush=True)
        self.line = "" if end else line


@contextlib.contextmanager
def shown(
    asked: object, total: float, unit: str, done: float = 0.0
) -> Iterator[Callable[[float], None] | None]:
    """A function to be called with how much more was played, which shows it; or None.

    asked: whether to show it; None: if a person watches. done: how much was played before.
    """
    if not (watched() if asked is None else asked is True):
        yield None
        return
    level, propagate = log.level, log.propagate
    bar = Bar(total, done, unit, log.isEnabledFor(logging.INFO))
    log.handlers.insert(0, bar)  # first, so that it removes the bar before others write a line
    if not bar.silent:
        log.setLevel(logging.INFO)
        log.propagate = False
    try:
        yield bar.add
    finally:
        bar.clear()
        log.removeHandler(bar)
        if not bar.silent:
            log.setLevel(level)
            log.propagate = propagate
