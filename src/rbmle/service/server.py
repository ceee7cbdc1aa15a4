"""`serve`: opens the database and the port, starts the workers, and keeps them running."""

from __future__ import annotations

import errno
import ipaddress
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing

from .._io.machine import require_extra
from ..errors import ParameterError, RbmleError, Words, integer
from .keys import list_keys
from .storage import open_storage
from .worker import WorkerOptions, command, work

_LISTEN_BACKLOG = 2_048
_MAX_WORKERS = 64
_POLL_SECONDS = 0.2  # at the workers
_MAX_STOP_SECONDS = 15.0
_MAX_PORT_WAIT_SECONDS = 2.0  # the workers of a service that was just killed may still hold it
_MAX_QUICK_DEATHS = 5  # workers that die within a second of their start before we give up


def serve(
    host: str = "127.0.0.1",
    port: int = 8000,
    database: str = "sqlite:///rbmle.db",
    workers: int = 1,
    modules: tuple[str, ...] = (),
    said: Callable[[str], object] = print,
) -> int:
    """Serve decisions over HTTP until SIGTERM or Ctrl-C; returns the exit code.

    port: 0 for any that is free. said: a function that is called with what a user should read.
    """
    require_extra("serve", "service")
    port = integer("serve", "--port", port, "[0, 65535]")
    workers = integer("serve", "--workers", workers, f"[1, {_MAX_WORKERS}]")
    with closing(open_storage(database)) as storage:
        keys = list_keys(storage)
    here = is_loopback(host)
    if not here and not any(each.revoked is None for each in keys):
        raise ParameterError(
            "serve",
            "--host",
            "127.0.0.1 as long as there is no key",
            Words(host),
            f" Create one: rbmle service key create --role admin --database {database}",
        )
    listening = listen(host, port, workers)
    options = WorkerOptions(database, keys=not here, modules=modules)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening[0].getsockname()[1]}"
    said(f"rbmle serves decisions at {address}, from {database}; Ctrl-C stops it.")
    said(_next_command(address, bool(keys)))
    sys.stdout.flush()
    if workers == 1:
        return _alone(options, listening[0])
    return _Supervisor(options, listening).run()


def _alone(options: WorkerOptions, listening: socket.socket) -> int:
    """Work in this process. uvicorn obeys the signals, and then sends them again to whoever had
    them before: by then there is nothing left to do."""
    signals = (signal.SIGINT, signal.SIGTERM)
    before = {each: signal.signal(each, lambda *_: None) for each in signals}
    try:
        work(options, listening)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    return 0


def is_loopback(host: str) -> bool:
    """Whether only this machine can ask there."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _next_command(address: str, keys: bool) -> str:
    key = ' -H "Authorization: Bearer $KEY"' if keys else ""
    body = '{"arms": ["a", "b"], "policy": {"name": "RBMLE"}, "family": {"name": "Bernoulli"}}'
    return f"Next, type: curl -X PUT{key} {address}/v1/experiments/first -d '{body}'"


def listen(host: str, port: int, count: int) -> list[socket.socket]:
    """`count` sockets that listen on the same port: the system deals connections out to them.

    With one shared socket the worker that is awake takes nearly all connections. Where the system
    cannot deal them out, all workers share one socket.
    """
    deadline = time.monotonic() + _MAX_PORT_WAIT_SECONDS
    while True:
        try:
            return _listen(host, port, count)
        except OSError as problem:
            if time.monotonic() > deadline or problem.errno != errno.EADDRINUSE:
                why = problem.strerror or problem
                raise RbmleError(f"serve: cannot listen on {host}:{port}: {why}.") from None
        time.sleep(_POLL_SECONDS)


def _listen(host: str, port: int, count: int) -> list[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    deals = sys.platform == "linux" and count > 1
    made: list[socket.socket] = []
    try:
        for _ in range(count if deals else 1):
            made.append(socket.socket(family, socket.SOCK_STREAM))
            made[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if deals and len(made) == 1 and port:
                _refuse_taken(family, host, port)
            if deals:
                made[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            made[-1].bind((host, port))
            port = made[-1].getsockname()[1]
            made[-1].listen(_LISTEN_BACKLOG)
    except OSError:
        for each in made:
            each.close()
        raise
    return made if deals else made * count


def _refuse_taken(family: int, host: str, port: int) -> None:
    """Fail if the port is taken, also by another `rbmle serve`, with which it could be shared."""
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, port))


class _Supervisor:
    """Keeps one process for each socket running until it is told to stop."""

    def __init__(self, options: WorkerOptions, listening: list[socket.socket]) -> None:
        self._options, self._listening = options, listening
        self._alive, self._mine = os.pipe()  # workers read the one; it ends when we do
        self._workers: list[tuple[subprocess.Popen[bytes], float]] = []
        self._stopping, self._deaths = False, 0

    def run(self) -> int:
        """Run until a signal; returns the exit code."""
        before = {each: signal.signal(each, self._stop) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            self._workers = [self._start(each) for each in self._listening]
            while not self._stopping:
                time.sleep(_POLL_SECONDS)
                if not self._look():
                    return 1
            return 0
        finally:
            self._end()
            for each, handler in before.items():
                signal.signal(each, handler)

    def _stop(self, *_: object) -> None:
        self._stopping = True

    def _start(self, listening: socket.socket) -> tuple[subprocess.Popen[bytes], float]:
        handles = (listening.fileno(), self._alive)
        process = subprocess.Popen(
            command(self._options, listening, self._alive),
            pass_fds=handles,
            start_new_session=True,
        )
        return process, time.monotonic()

    def _look(self) -> bool:
        """Start workers again that have died; False if they die as soon as they start."""
        for place, (process, since) in enumerate(self._workers):
            if process.poll() is None:
                continue
            self._deaths = self._deaths + 1 if time.monotonic() - since < 1.0 else 0
            if self._deaths >= _MAX_QUICK_DEATHS:
                return False
            self._workers[place] = self._start(self._listening[place])
        return True

    def _end(self) -> None:
        for process, _ in self._workers:
            if process.poll() is None:
                process.terminate()
        deadline = time.monotonic() + _MAX_STOP_SECONDS
        for process, _ in self._workers:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for each in {id(each): each for each in self._listening}.values():
            each.close()
        os.close(self._alive)
        os.close(self._mine)
