"""One worker process: an event loop that speaks HTTP, and a thread that works with the database."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import socket
import sys
import threading

import msgspec

from .._records.names import import_modules
from .app import App
from .committer import Committer
from .keys import Keys
from .ledger import Ledger
from .storage import open_storage

# New objects before a garbage collection. A request makes some fifty and leaves no cycle, so with
# Python's default of 700 it would run hundreds of times a second.
_GC_THRESHOLD = 20_000
_KEEP_ALIVE_SECONDS = 75  # of an idle connection; longer than a proxy's, usually 60 s


class WorkerOptions(msgspec.Struct, frozen=True):
    """What a worker is started with. keys: a key is needed even while there is none."""

    database: str
    keys: bool
    modules: tuple[str, ...] = ()


def application(options: WorkerOptions) -> App:
    """The ASGI application of a worker."""
    keys = Keys(options.keys)

    def committer() -> Committer:
        loop = asyncio.get_running_loop()
        return Committer(lambda: Ledger(open_storage(options.database, create=False), keys), loop)

    return App(keys, committer)


def work(options: WorkerOptions, listening: socket.socket) -> None:
    """Serve on the socket until SIGTERM or SIGINT."""
    import uvicorn

    import_modules(options.modules, "serve", "--import")
    gc.set_threshold(_GC_THRESHOLD)
    gc.freeze()
    logging.basicConfig(format="rbmle: %(message)s", level=logging.WARNING)
    logging.getLogger("psycopg").setLevel(logging.ERROR)  # we report a lost connection ourselves
    config = uvicorn.Config(
        application(options),
        access_log=False,
        log_level="warning",
        lifespan="on",
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        server_header=False,
        proxy_headers=False,  # nothing asks who called
        ws="none",
    )
    uvicorn.Server(config).run([listening])


def command(options: WorkerOptions, listening: socket.socket, parent: int) -> list[str]:
    """The command line that starts a worker; it inherits the socket and the pipe `parent`."""
    given = msgspec.json.encode(options).decode()
    return [sys.executable, "-m", __spec__.name, given, str(listening.fileno()), str(parent)]


def _leave_with(parent: int) -> None:
    """Stop when the supervisor is gone, even if it was killed: its end of the pipe is closed.

    It stops as if it were killed too, so that the port is free at once. That loses nothing: what
    was answered is on the disk.
    """

    def wait() -> None:
        while os.read(parent, 1):
            pass
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def main(given: str, listening: str, parent: str) -> None:
    """Start as a process of its own, by the line that `command` made."""
    _leave_with(int(parent))
    work(msgspec.json.decode(given, type=WorkerOptions), socket.socket(fileno=int(listening)))


if __name__ == "__main__":
    main(*sys.argv[1:])
