"""The commands of the service: `rbmle serve`, and `rbmle service ...` for its database."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option, Typer

from .._io.machine import require_extra
from .._io.text import count_text
from ..errors import ParameterError, integer
from .options import Import, Json, app, command
from .screen import say, show_json

if TYPE_CHECKING:
    from ..service.storage import Key, Storage

_DATABASE, _VARIABLE = "sqlite:///rbmle.db", "RBMLE_DATABASE"
_WHERE = f"sqlite:///FILE or postgresql://HOST/NAME; else ${_VARIABLE}, or {_DATABASE}."
Database = Annotated[str | None, Option(help=_WHERE)]
_SECRET = "A file that holds the address: it may have a password, and arguments can be seen by all."
_HOSTS = "A name that callers use for the service, beside 127.0.0.1; may be repeated."
_OPEN = "Need none, also beyond 127.0.0.1: for a container whose port only its machine reaches."
DatabaseFile = Annotated[Path | None, Option(help=_SECRET)]

service_commands = Typer(
    no_args_is_help=True, add_completion=False, help="The service's database, and its keys."
)
_key = Typer(no_args_is_help=True, add_completion=False, help="The keys of the service.")
app.add_typer(service_commands, name="service")
service_commands.add_typer(_key, name="key")


def address_of(owner: str, database: str | None, file: Path | None) -> str:
    """The address of the database: from an option, a file that contains it, or the environment."""
    if file is None:
        return database or os.environ.get(_VARIABLE, "").strip() or _DATABASE
    if database is not None:
        raise ParameterError(owner, "--database-file", "left out where '--database' is given")
    try:
        address = file.read_text().strip()
    except (OSError, UnicodeDecodeError) as problem:
        allowed = f"a file that can be read ({getattr(problem, 'strerror', None) or 'not text'})"
        raise ParameterError(owner, "--database-file", allowed, str(file)) from None
    if not address:
        raise ParameterError(owner, "--database-file", "a file that holds an address", str(file))
    return address


@contextmanager
def opened(
    database: str | None, file: Path | None, create: bool = False, read_only: bool = False
) -> Iterator[Storage]:
    require_extra("service", "service")
    from ..service.storage import open_storage

    address = address_of("service", database, file)
    with closing(open_storage(address, create, read_only)) as storage:
        yield storage


@command()
def serve(
    host: Annotated[str, Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, Option(help="The port; 0 for any that is free.")] = 8000,
    database: Database = None,
    database_file: DatabaseFile = None,
    workers: Annotated[int, Option(help="Processes that answer.")] = 1,
    allowed_host: Annotated[list[str] | None, Option(help=_HOSTS)] = None,
    max_connections: Annotated[int, Option(help="Open at once, for each worker.")] = 1_000,
    access_log: Annotated[bool, Option("--access-log", help="Log each request.")] = False,
    log_format: Annotated[str, Option(help="text or json.")] = "text",
    without_keys: Annotated[bool, Option("--without-keys", help=_OPEN)] = False,
    modules: Import = None,
) -> int:
    """Serve decisions over HTTP: which arm to play, and what it paid.

    Example: rbmle serve --database sqlite:///rbmle.db --workers 2
    """
    require_extra("serve", "service")
    from ..service.callers import Edge
    from ..service.server import serve as run

    edge = Edge(tuple(allowed_host or ()), max_connections, log_format, access_log, without_keys)
    # Printed as it is, not broken into lines of the screen's width: it is there to be copied.
    address = address_of("serve", database, database_file)
    return run(host, port, address, workers, tuple(modules or ()), print, edge)


@command(service_commands)
def verify(
    database: Database = None,
    database_file: DatabaseFile = None,
    modules: Import = None,
    json: Json = False,
) -> int:
    """Recompute every decision of the log; it only reads. Exit code 1 if anything disagrees.

    Example: rbmle service verify --database sqlite:///rbmle.db
    """
    with opened(database, database_file, read_only=True) as storage:
        from ..service.verify import verify as check

        found = check(storage)
    if json:
        show_json([each._asdict() for each in found])
    else:
        for each in found:
            made = count_text(each.decisions, "decision")
            counts = f"{made}, {count_text(each.rewards, 'reward')}, {each.expired} expired"
            say(f"{each.experiment}: {each.wrong or f'all agrees: {counts}.'}")
        if not found:
            say("There are no experiments.")
    return 1 if any(each.wrong for each in found) else 0


@command(service_commands)
def warm(
    database: Database = None,
    database_file: DatabaseFile = None,
    policy: Annotated[str | None, Option(help="Compile this policy, such as 'rbmle'.")] = None,
    family: Annotated[str, Option(help="What it assumes of rewards.")] = "bernoulli",
    evidence: Annotated[str | None, Option(help="What an arm's past is worth.")] = None,
    arms: Annotated[int, Option(help="How many arms: with many, other code is used.")] = 2,
    modules: Import = None,
) -> None:
    """Compile what experiments need into the cache, so that a service need not: what those in the
    database need, or this policy, or else the common ones.

    Example: rbmle service warm --policy rbmle --family bernoulli
    """
    require_extra("service", "service")
    from ..random import MAX_ARMS
    from ..service import warm as warming

    def said(line: str) -> None:
        print(line, flush=True)

    if policy is not None:
        arms = integer("service", "--arms", arms, f"[2, {MAX_ARMS}]")
        wanted = [warming.some_definition(policy, family, evidence, arms)]
    elif database or database_file or os.environ.get(_VARIABLE):
        with opened(database, database_file, read_only=True) as storage:
            wanted = warming.stored_definitions(storage, said)
    else:
        wanted = warming.common_definitions()
    warming.warm(wanted, said)


@command(_key)
def create(
    role: Annotated[str, Option(help="admin, write or read.")],
    experiment: Annotated[str | None, Option(help="Only for this experiment.")] = None,
    name: Annotated[str | None, Option(help="Whose key it is.")] = None,
    expires: Annotated[str | None, Option(help="After 90d, 12h or 30m; else never.")] = None,
    database: Database = None,
    database_file: DatabaseFile = None,
) -> None:
    """Create a key and show it, this once.

    Example: rbmle service key create --role write --name shop-backend --expires 90d
    """
    with opened(database, database_file, create=True) as storage:
        from ..service.keys import create_key

        print(create_key(storage, role, experiment, name, expires))


@command(_key, "list")
def list_(
    database: Database = None, database_file: DatabaseFile = None, json: Json = False
) -> None:
    """List the keys, without their secrets.

    Example: rbmle service key list
    """
    with opened(database, database_file, read_only=True) as storage:
        from ..service.keys import list_keys

        keys = list_keys(storage)
    if json:
        show_json([{k: v for k, v in each._asdict().items() if k != "hash"} for each in keys])
        return
    for each in keys:
        say(_described(each))
    if not keys:
        say("There are no keys.")


def _described(key: Key) -> str:
    """A key in one line."""
    parts = [f"{key.number}: {key.role}"]
    if key.name is not None:
        parts.append(repr(key.name))
    if key.experiment is not None:
        parts.append(f"only {key.experiment!r}")
    if key.expires is not None:
        verb = "expires" if key.expires > time.time() else "expired"
        parts.append(f"{verb} {_date(key.expires)}")
    parts.append("never used" if key.used is None else f"last used {_date(key.used)}")
    return ", ".join([*parts, *(["revoked"] if key.revoked is not None else [])])


def _date(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(at))


@command(_key)
def revoke(
    number: Annotated[int, Argument(help="The number that `key list` shows.")],
    database: Database = None,
    database_file: DatabaseFile = None,
) -> None:
    """Revoke a key; it stops at once.

    Example: rbmle service key revoke 2
    """
    with opened(database, database_file) as storage:
        from ..service.keys import revoke_key

        revoke_key(storage, number)
    say(f"Revoked key {number}.")
