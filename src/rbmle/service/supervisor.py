"""The supervisor: keeps a worker process for each socket, and replaces those that die or hang.

A worker and the supervisor hold the two ends of a socket pair. The worker's event loop sends a byte
each second, its heartbeat; and when the supervisor is gone, even if it was killed, the worker reads
the end of the stream and ends too.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

log = logging.getLogger("rbmle.service")

POLL_SECONDS = 0.2  # at the workers
# Heartbeats that stay away so long mean that a worker hangs. Compiling, which happens in a thread,
# delayed them by 0.3 s at most (IDS, on two busy processors), so this leaves room for a machine
# thirty times as busy.
MAX_SILENT_SECONDS = 10.0
# The same before the first heartbeat: importing everything takes 2 s, on a busy machine 20.
_MAX_START_SECONDS = 60.0
_MAX_STOP_SECONDS = 9.0  # so that all has ended 10 s after a signal, whatever hangs
_MAX_QUICK_DEATHS = 5  # workers that die within a second of their start before we give up


@contextmanager
def on_signals(handler: Callable[..., None]) -> Iterator[None]:
    """Handle SIGINT and SIGTERM by this function as long as the `with`."""
    before = {each: signal.signal(each, handler) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, old in before.items():
            signal.signal(each, old)


class Worker:
    """A worker process and our end of its socket pair. It is started at once.

    module: what it runs. config: its input; everyone on the machine could see its arguments.
    """

    def __init__(self, module: str, config: bytes, listening: socket.socket) -> None:
        self.started = time.monotonic()
        self._silent, self._limit = 0.0, _MAX_START_SECONDS
        self._ours, theirs = socket.socketpair()
        self._ours.setblocking(False)
        handles = (listening.fileno(), theirs.fileno())
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", module, *map(str, handles)],
                pass_fds=handles, start_new_session=True, stdin=subprocess.PIPE,
            )  # fmt: skip
        assert self.process.stdin is not None
        with suppress(BrokenPipeError), self.process.stdin as its_input:  # it may be dead already
            its_input.write(config)

    def death(self) -> str | None:
        """Why the worker is dead, if it is. Called at each poll: it listens to the heartbeat.

        Silence is counted in polls, not by the clock: if the whole machine was stopped for a while,
        all workers live on. A worker that was silent for too long is killed.
        """
        self._silent += POLL_SECONDS
        with suppress(BlockingIOError, ConnectionError):
            if self._ours.recv(4_096):
                self._silent, self._limit = 0.0, MAX_SILENT_SECONDS
        code = self.process.poll()
        if code is None and self._silent > self._limit:
            self.process.kill()
            self.process.wait()
            return f"killed, because it had not answered for {self._silent:.0f} s"
        if code is None:
            return None
        return f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"

    def close(self) -> None:
        """Close our end of the pair: the worker ends if it still lives."""
        self._ours.close()


def supervise(module: str, config: bytes, listening: list[socket.socket]) -> int:
    """Keep a worker for each socket running until a signal, or until they die when they start."""
    workers: list[Worker] = []
    signals: list[int] = []
    deaths = 0
    with on_signals(lambda number, _: signals.append(number)):
        try:
            workers += [Worker(module, config, each) for each in listening]
            while not signals:
                time.sleep(POLL_SECONDS)
                for place, worker in enumerate(workers):
                    why = worker.death()
                    if why is None:
                        continue
                    deaths = deaths + 1 if time.monotonic() - worker.started < 1.0 else 0
                    log.error("worker %d was %s; another is started.", worker.process.pid, why)
                    worker.close()
                    if deaths >= _MAX_QUICK_DEATHS:
                        log.error("%d workers died when they started: giving up.", deaths)
                        return 1
                    workers[place] = Worker(module, config, listening[place])
            return 0
        finally:
            _end(workers)
            for each in listening:
                each.close()


def _end(workers: list[Worker]) -> None:
    for each in workers:
        each.process.terminate()
    deadline = time.monotonic() + _MAX_STOP_SECONDS
    for each in workers:
        try:
            each.process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            log.error("worker %d is killed: it does not stop.", each.process.pid)
            each.process.kill()
            each.process.wait()
        each.close()


class Heart:
    """The worker's end of the pair. handle: that of the socket, which the worker inherited.

    When the supervisor is gone the worker stops as if it were killed too, so that the port is free
    at once. That loses nothing: what was answered is on the disk.
    """

    def __init__(self, handle: int) -> None:
        self._pair = socket.socket(fileno=handle)
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        with suppress(ConnectionError):
            while self._pair.recv(1):
                pass
        os._exit(1)

    def beat(self) -> None:
        """Tell the supervisor that the event loop runs; if it does not listen, that is no harm."""
        with suppress(BlockingIOError, ConnectionError):
            self._pair.send(b".", socket.MSG_DONTWAIT)
