"""The commands for the service's data: backups, repairs, and the end of experiments."""

from __future__ import annotations

import time
from typing import Annotated

from typer import Argument, Option

from .._io.machine import require_extra
from ..errors import ParameterError, number
from .options import Import, command
from .screen import say
from .service import Database, DatabaseFile, address_of, opened, service_commands

Experiment = Annotated[str, Argument(help="The name of the experiment.")]
NewFile = Annotated[str, Argument(help="The file to write; it must not exist yet.")]


@command(service_commands)
def backup(file: NewFile, database: Database = None, database_file: DatabaseFile = None) -> None:
    """Write the whole database to a file, also while the service runs.

    Example: rbmle service backup monday.db
    """
    with opened(database, database_file, read_only=True) as storage:
        from ..service import backup as backups

        rows = backups.backup(storage, file)
    say(f"Wrote {rows:,} rows to {file}.")


@command(service_commands)
def restore(
    file: Annotated[str, Argument(help="A file that `backup` wrote.")],
    database: Database = None,
    database_file: DatabaseFile = None,
    modules: Import = None,
) -> None:
    """Verify a backup and copy it into an empty database, of the same kind or the other.

    Example: rbmle service restore monday.db --database sqlite:///rbmle.db
    """
    require_extra("service", "service")
    from ..service import backup as backups

    rows = backups.restore(file, address_of("service", database, database_file))
    say(f"Restored {rows:,} rows; all agree.")


@command(service_commands)
def repair(
    experiment: Annotated[str | None, Argument(help="Only this experiment.")] = None,
    drop_snapshot: Annotated[
        bool, Option("--drop-snapshot", help="Remove the snapshot; it is computed again.")
    ] = False,
    truncate: Annotated[
        int | None, Option(help="Remove this row, the first wrong one, and all after it.")
    ] = None,
    database: Database = None,
    database_file: DatabaseFile = None,
    modules: Import = None,
) -> int:
    """Say what is wrong with experiments, and what can be done; it does only what is asked for.
    Exit code 1 if something is wrong.

    Example: rbmle service repair shop --drop-snapshot
    """
    acts = drop_snapshot or truncate is not None
    if acts and experiment is None:
        option = "--drop-snapshot" if drop_snapshot else "--truncate"
        raise ParameterError("repair", option, "given with the name of an experiment")
    with opened(database, database_file, read_only=not acts) as storage:
        from ..service import repair as repairs

        if experiment is not None and drop_snapshot:
            repairs.drop_snapshot(storage, experiment)
            say(f"Removed the snapshot of {experiment}.")
        if experiment is not None and truncate is not None:
            removed = repairs.truncate(storage, experiment, truncate)
            say(f"Removed {removed} rows of {experiment}.")
        found = repairs.advise(storage, experiment)
    for each in found:
        say(f"{each.wrong} {each.advice}")
    if not found:
        say("Nothing is wrong.")
    return 1 if found else 0


@command(service_commands)
def end(
    experiment: Experiment, database: Database = None, database_file: DatabaseFile = None
) -> None:
    """End an experiment: no more decisions; rewards of those that were made still count.

    Example: rbmle service end shop
    """
    with opened(database, database_file) as storage:
        from ..service import archive as archives

        archives.end(storage, experiment)
    say(f"Ended {experiment}.")


@command(service_commands)
def archive(
    experiment: Experiment,
    file: NewFile,
    database: Database = None,
    database_file: DatabaseFile = None,
) -> None:
    """Write an experiment and its log to a file, one JSON object a line.

    Example: rbmle service archive shop shop.jsonl
    """
    with opened(database, database_file, read_only=True) as storage:
        from ..service import archive as archives

        rows = archives.archive(storage, experiment, file)
    say(f"Wrote {rows:,} rows to {file}.")


@command(service_commands)
def delete(
    experiment: Experiment, database: Database = None, database_file: DatabaseFile = None
) -> None:
    """Remove an experiment that has ended, with its whole log, for good.

    Example: rbmle service delete shop
    """
    with opened(database, database_file) as storage:
        from ..service import archive as archives

        rows = archives.delete(storage, experiment)
    say(f"Removed {experiment}, with {rows:,} rows.")


@command(service_commands)
def erase(
    experiment: Annotated[str, Option(help="The name of the experiment.")],
    id: Annotated[str | None, Option(help="The id of one decision.")] = None,
    older_than: Annotated[
        float | None, Option(help="The ids of all decisions older than so many days.")
    ] = None,
    database: Database = None,
    database_file: DatabaseFile = None,
) -> None:
    """Erase ids that callers gave, which may name persons; decisions and rewards stay.

    Example: rbmle service erase --experiment shop --id visit-7
    """
    if (id is None) == (older_than is None):
        raise ParameterError("erase", "--id", "given, or '--older-than', and not both")
    before = None
    if older_than is not None:
        days = number("erase", "--older-than", older_than, "[0, inf)")
        before = time.time() - days * 86_400.0
    with opened(database, database_file) as storage:
        from ..service import archive as archives

        erased = archives.erase(storage, experiment, id, before)
    say(f"Erased {erased} id{'' if erased == 1 else 's'}.")
