"""`serve`: opens the database and the port, and starts the workers.

A worker is an event loop that speaks HTTP, and a thread that works with the database. One alone
works in this process; several are processes that run this file, and `supervisor.py` keeps them.
"""

from __future__ import annotations

import errno
import gc
import os
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import msgspec

from .._io.machine import require_extra
from .._records.names import import_modules
from ..errors import ParameterError, RbmleError, Words, integer, one_of
from . import clock, log_lines
from .addresses import without_password
from .app import App
from .callers import Edge
from .gate import SECURITY_HEADERS, is_loopback
from .keys import is_valid, list_keys
from .meters import Meters
from .storage import Key, MissingError, open_storage
from .supervisor import POLL_SECONDS, Heart, on_signals, supervise

if sys.platform != "win32":
    import resource

if TYPE_CHECKING:
    import uvicorn

_LISTEN_BACKLOG = 2_048
_MAX_WORKERS = 64
_MAX_PORT_WAIT_SECONDS = 2.0  # the workers of a service that was just killed may still hold it
# New objects before a garbage collection. A request makes some fifty and leaves no cycle, so with
# Python's default of 700 it would run hundreds of times a second.
_GC_THRESHOLD = 20_000
_OTHER_FILES = 100  # that a worker opens beside connections: some 30, and room
_GRACE_SECONDS = 4  # for what is open when a signal comes
_MAX_STOP_SECONDS = 8.0  # after a signal; then the process ends, whatever its threads do
_KEEP_ALIVE_SECONDS = 75  # of an idle connection; longer than a proxy's, usually 60 s


class Options(msgspec.Struct, frozen=True):
    """What a worker is started with. keys: a key is needed even while there is none. offset: of
    the service's clock. meters: the folder where workers tell each other what they count."""

    database: str
    keys: bool
    modules: tuple[str, ...]
    offset: float
    edge: Edge
    meters: str | None = None


def serve(
    host: str = "127.0.0.1",
    port: int = 8000,
    database: str = "sqlite:///rbmle.db",
    workers: int = 1,
    modules: tuple[str, ...] = (),
    said: Callable[[str], object] = print,
    edge: Edge | None = None,
) -> int:
    """Serve decisions over HTTP until SIGTERM or Ctrl-C; returns the exit code.

    port: 0 for any that is free. said: a function that is called with what a user should read.
    edge: how it meets its callers and its operator; by default `Edge()`.
    """
    require_extra("serve", "service")
    port = integer("serve", "--port", port, "[0, 65535]")
    workers = integer("serve", "--workers", workers, f"[1, {_MAX_WORKERS}]")
    edge = edge or Edge()
    integer("serve", "--max-connections", edge.max_connections, "[1, 100000]")
    one_of("serve", "--log-format", edge.log_format, log_lines.FORMATS)
    keys, here, public = _keys(database), is_loopback(host), without_password(database)
    here = here or edge.without_keys
    if not here and not any(map(is_valid, keys)):
        allowed = "127.0.0.1 as long as there is no key"
        hint = " Create one: rbmle service key create --role admin"
        same = f" --database {database}" if public == database else ", with the same database"
        raise ParameterError("serve", "--host", allowed, Words(host), hint + same)
    listening = listen(host, port, workers)
    open_storage(database).close()  # it is created here, when nothing is left to refuse
    options = Options(database, not here, modules, clock.offset(), edge)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening[0].getsockname()[1]}"
    key = ' -H "Authorization: Bearer $KEY"' if keys else ""
    body = '{"arms": ["a", "b"], "policy": "recommended", "family": "bernoulli"}'
    said(f"rbmle serves decisions at {address}, from {public}; Ctrl-C stops it.")
    said(f"Next, type: curl -X PUT{key} {address}/v1/experiments/first -d '{body}'")
    sys.stdout.flush()
    if workers > 1:
        log_lines.configure(edge.log_format, edge.access_log)
        with tempfile.TemporaryDirectory(prefix="rbmle-") as folder:
            config = msgspec.json.encode(msgspec.structs.replace(options, meters=folder))
            return supervise(__spec__.name, config, listening)
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
    options = msgspec.json.decode(sys.stdin.buffer.read(), type=Options)
    _work(options, socket.socket(fileno=int(listening)), heart.beat)


def _connections(wanted: int) -> int:
    """How many connections a worker can have: each is an open file, and some files are others."""
    if sys.platform == "win32":
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return max(1, soft - _OTHER_FILES)
    return wanted


def configuration(options: Options) -> uvicorn.Config:
    """uvicorn's configuration of a worker."""
    import uvicorn

    from .connections import at_most

    meters = Meters(os.getpid(), options.meters)
    return uvicorn.Config(
        App(options.database, options.keys, options.offset, options.edge, meters),
        http=at_most(_connections(options.edge.max_connections), meters),
        headers=SECURITY_HEADERS,
        access_log=False,  # ours tells more
        log_config=None,
        log_level="warning",
        lifespan="on",
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        server_header=False,
        proxy_headers=False,  # a caller could say anything
        ws="none",
    )


def _work(
    options: Options, listening: socket.socket, beat: Callable[[], None] = lambda: None
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
    log_lines.configure(options.edge.log_format, options.edge.access_log)
    # A compiler's thread, or a database that hangs, must not hold the process: what was answered is
    # on the disk.
    ending = threading.Timer(_MAX_STOP_SECONDS, os._exit, [0])
    ending.daemon = True
    Server(configuration(options)).run([listening])
    ending.cancel()


if __name__ == "__main__":
    _main(*sys.argv[1:])
