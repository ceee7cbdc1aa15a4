"""`serve`: opens the database and the port, and starts the workers.

A worker is an event loop that speaks HTTP, and a thread that works with the database. One alone
works in this process; several are processes that run this file, and `supervisor.py` keeps them.
"""

from __future__ import annotations

import errno
import gc
import ipaddress
import logging
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing

import msgspec

from .._io.machine import require_extra
from .._records.names import import_modules
from ..errors import ParameterError, RbmleError, Words, integer
from . import clock
from .app import App
from .keys import list_keys
from .storage import Key, MissingError, open_storage, without_password
from .supervisor import POLL_SECONDS, Heart, on_signals, supervise

_LISTEN_BACKLOG = 2_048
_MAX_WORKERS = 64
_MAX_PORT_WAIT_SECONDS = 2.0  # the workers of a service that was just killed may still hold it
# New objects before a garbage collection. A request makes some fifty and leaves no cycle, so with
# Python's default of 700 it would run hundreds of times a second.
_GC_THRESHOLD = 20_000
_GRACE_SECONDS = 4  # for what is open when a signal comes
_MAX_STOP_SECONDS = 8.0  # after a signal; then the process ends, whatever its threads do
_KEEP_ALIVE_SECONDS = 75  # of an idle connection; longer than a proxy's, usually 60 s


class _Options(msgspec.Struct, frozen=True):
    """What a worker is started with. keys: a key is needed even while there is none. offset: of
    the service's clock."""

    database: str
    keys: bool
    modules: tuple[str, ...]
    offset: float


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
    options = _Options(database, not here, modules, clock.offset())
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening[0].getsockname()[1]}"
    key = ' -H "Authorization: Bearer $KEY"' if keys else ""
    body = '{"arms": ["a", "b"], "policy": {"name": "RBMLE"}, "family": {"name": "Bernoulli"}}'
    said(f"rbmle serves decisions at {address}, from {public}; Ctrl-C stops it.")
    said(f"Next, type: curl -X PUT{key} {address}/v1/experiments/first -d '{body}'")
    sys.stdout.flush()
    if workers > 1:
        _set_up_logging()
        return supervise(__spec__.name, msgspec.json.encode(options), listening)
    # uvicorn obeys the signals, and then sends them again to whoever had them before: by then there
    # is nothing left to do.
    with on_signals(lambda *_: None):
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
        time.sleep(POLL_SECONDS)


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


def _main(listening: str, pair: str) -> None:
    """Work as a process that the supervisor started."""
    heart = Heart(int(pair))
    options = msgspec.json.decode(sys.stdin.buffer.read(), type=_Options)
    _work(options, socket.socket(fileno=int(listening)), heart.beat)


def _set_up_logging() -> None:
    logging.basicConfig(format="rbmle: %(message)s", level=logging.WARNING)


def _work(
    options: _Options, listening: socket.socket, beat: Callable[[], None] = lambda: None
) -> None:
    """Serve on the socket until SIGTERM or SIGINT. beat: called each second by the event loop."""
    import uvicorn

    class Server(uvicorn.Server):
        async def on_tick(self, counter: int) -> bool:  # each 0.1 s
            if counter % 10 == 0:
                beat()
            return await super().on_tick(counter)

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            ending.start()
            await super().shutdown(sockets)

    import_modules(options.modules, "serve", "--import")
    gc.set_threshold(_GC_THRESHOLD)
    gc.freeze()
    _set_up_logging()
    logging.getLogger("psycopg").setLevel(logging.ERROR)  # we report a lost connection ourselves
    config = uvicorn.Config(
        App(options.database, options.keys, options.offset),
        access_log=False,
        log_level="warning",
        lifespan="on",
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        server_header=False,
        proxy_headers=False,  # nothing asks who called
        ws="none",
    )
    # A compiler's thread, or a database that hangs, must not hold the process: what was answered is
    # on the disk.
    ending = threading.Timer(_MAX_STOP_SECONDS, os._exit, [0])
    ending.daemon = True
    Server(config).run([listening])
    ending.cancel()


if __name__ == "__main__":
    _main(*sys.argv[1:])
