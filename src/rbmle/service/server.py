"""`serve`: opens the database and the port, starts the workers, and keeps them running.

A worker is an event loop that speaks HTTP, and a thread that works with the database. One alone
works in this process; several are processes that run this file.
"""

from __future__ import annotations

import errno
import gc
import ipaddress
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress

import msgspec

from .._io.machine import require_extra
from .._records.names import import_modules
from ..errors import ParameterError, RbmleError, Words, integer
from .app import App
from .keys import list_keys
from .storage import Key, MissingError, open_storage, without_password

_LISTEN_BACKLOG = 2_048
_MAX_WORKERS = 64
_POLL_SECONDS = 0.2  # at the workers
_MAX_STOP_SECONDS = 15.0
_MAX_PORT_WAIT_SECONDS = 2.0  # the workers of a service that was just killed may still hold it
_MAX_QUICK_DEATHS = 5  # workers that die within a second of their start before we give up
# New objects before a garbage collection. A request makes some fifty and leaves no cycle, so with
# Python's default of 700 it would run hundreds of times a second.
_GC_THRESHOLD = 20_000
_KEEP_ALIVE_SECONDS = 75  # of an idle connection; longer than a proxy's, usually 60 s


class _Options(msgspec.Struct, frozen=True):
    """What a worker is started with. keys: a key is needed even while there is none."""

    database: str
    keys: bool
    modules: tuple[str, ...]


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
    keys, here, public = _keys(database), is_loopback(host), without_password(database)
    if not here and not any(each.revoked is None for each in keys):
        allowed = "127.0.0.1 as long as there is no key"
        hint = " Create one: rbmle service key create --role admin"
        same = f" --database {database}" if public == database else ", with the same database"
        raise ParameterError("serve", "--host", allowed, Words(host), hint + same)
    listening = listen(host, port, workers)
    open_storage(database).close()  # it is created here, when nothing is left to refuse
    options = _Options(database, not here, modules)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening[0].getsockname()[1]}"
    key = ' -H "Authorization: Bearer $KEY"' if keys else ""
    body = '{"arms": ["a", "b"], "policy": {"name": "RBMLE"}, "family": {"name": "Bernoulli"}}'
    said(f"rbmle serves decisions at {address}, from {public}; Ctrl-C stops it.")
    said(f"Next, type: curl -X PUT{key} {address}/v1/experiments/first -d '{body}'")
    sys.stdout.flush()
    if workers > 1:
        return _supervise(options, listening)
    # uvicorn obeys the signals, and then sends them again to whoever had them before: by then there
    # is nothing left to do.
    with _on_signals(lambda *_: None):
        _work(options, listening[0])
    return 0


def _keys(database: str) -> list[Key]:
    """The keys that are stored; none if there is no database yet."""
    try:
        with closing(open_storage(database, read_only=True)) as storage:
            return list_keys(storage)
    except MissingError:
        return []


def is_loopback(host: str) -> bool:
    """Whether only this machine can ask there."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@contextmanager
def _on_signals(handler: Callable[..., None]) -> Iterator[None]:
    """Handle SIGINT and SIGTERM by this function as long as the `with`."""
    before = {each: signal.signal(each, handler) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, old in before.items():
            signal.signal(each, old)


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
    if deals and port:  # fail if it is taken, also by another `rbmle serve`, which would share it
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    with ExitStack() as failed:
        for _ in range(count if deals else 1):
            made.append(failed.enter_context(socket.socket(family, socket.SOCK_STREAM)))
            made[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if deals:
                made[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            made[-1].bind((host, port))
            port = made[-1].getsockname()[1]
            made[-1].listen(_LISTEN_BACKLOG)
        failed.pop_all()
    return made if deals else made * count


def _supervise(options: _Options, listening: list[socket.socket]) -> int:
    """Keep a worker for each socket running until a signal, or until they die when they start."""
    alive, mine = os.pipe()  # workers read the one; it ends when we do
    workers: list[tuple[subprocess.Popen[bytes], float]] = []  # and when they were started
    signals: list[int] = []
    deaths = 0
    with _on_signals(lambda number, _: signals.append(number)):
        try:
            workers += [(_start(options, each, alive), time.monotonic()) for each in listening]
            while not signals:
                time.sleep(_POLL_SECONDS)
                for place, (process, since) in enumerate(workers):
                    if process.poll() is None:
                        continue
                    deaths = deaths + 1 if time.monotonic() - since < 1.0 else 0
                    if deaths >= _MAX_QUICK_DEATHS:
                        return 1
                    workers[place] = _start(options, listening[place], alive), time.monotonic()
            return 0
        finally:
            _end([process for process, _ in workers])
            for each in listening:
                each.close()
            os.close(alive)
            os.close(mine)


def _start(options: _Options, listening: socket.socket, alive: int) -> subprocess.Popen[bytes]:
    """Start a worker; it inherits the socket, and the end of the pipe that shows that we live.

    It reads its options from its input: everyone on the machine can see its arguments.
    """
    handles = (listening.fileno(), alive)
    command = [sys.executable, "-m", __spec__.name, *map(str, handles)]
    worker = subprocess.Popen(
        command, pass_fds=handles, start_new_session=True, stdin=subprocess.PIPE
    )
    assert worker.stdin is not None
    with suppress(BrokenPipeError), worker.stdin:  # it may be dead already
        worker.stdin.write(msgspec.json.encode(options))
    return worker


def _end(workers: list[subprocess.Popen[bytes]]) -> None:
    for each in workers:
        each.terminate()
    deadline = time.monotonic() + _MAX_STOP_SECONDS
    for each in workers:
        try:
            each.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            each.kill()
            each.wait()


def _main(listening: str, alive: str) -> None:
    """Work as a process that `_start` started.

    It stops when the supervisor is gone, even if that was killed: then the pipe ends. It stops as
    if it were killed too, so that the port is free at once. That loses nothing: what was answered
    is on the disk.
    """

    def wait() -> None:
        while os.read(int(alive), 1):
            pass
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
    options = msgspec.json.decode(sys.stdin.buffer.read(), type=_Options)
    _work(options, socket.socket(fileno=int(listening)))


def _work(options: _Options, listening: socket.socket) -> None:
    """Serve on the socket until SIGTERM or SIGINT."""
    import uvicorn

    import_modules(options.modules, "serve", "--import")
    gc.set_threshold(_GC_THRESHOLD)
    gc.freeze()
    logging.basicConfig(format="rbmle: %(message)s", level=logging.WARNING)
    logging.getLogger("psycopg").setLevel(logging.ERROR)  # we report a lost connection ourselves
    config = uvicorn.Config(
        App(options.database, options.keys),
        access_log=False,
        log_level="warning",
        lifespan="on",
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        server_header=False,
        proxy_headers=False,  # nothing asks who called
        ws="none",
    )
    uvicorn.Server(config).run([listening])


if __name__ == "__main__":
    _main(*sys.argv[1:])
