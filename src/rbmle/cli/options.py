"""The typer application of the command line, and options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from .arguments import Command

F = TypeVar("F", bound=Callable[..., Any])

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Stochastic multi-armed bandits: the RBMLE paper recomputed, and studies of your own.",
)


def _version(asked: bool) -> None:
    if asked:
        from .. import __version__

        print(f"rbmle {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_version, help="Show the version.")
    ] = False,
) -> None:
    """Stochastic multi-armed bandits: the RBMLE paper recomputed, and studies of your own."""


def command() -> Callable[[F], F]:
    """A decorator that makes a function a command."""
    return app.command(cls=Command)


Json = Annotated[bool, typer.Option("--json", help="Print data for scripts.")]
Threads = Annotated[int | None, typer.Option(help="Threads; results do not depend on it.")]
Cluster = Annotated[
    str | None,
    typer.Option(help="A Dask scheduler, tcp://host:8786; or local: one on this machine."),
]
Device = Annotated[str, typer.Option(help="cpu, or cuda for a GPU.")]
Run = Annotated[Path, typer.Argument(help="A run folder.")]
Import = Annotated[
    list[str] | None,
    typer.Option("--import", help="A module with policies or families of your own."),
]
Evidence = Annotated[
    str | None, typer.Option(help="What the past is worth: discounted(gamma=0.998), window(500)")
]
Delay = Annotated[
    str | None, typer.Option(help="When rewards come: fixeddelay(100), geometricdelay(mean=10)")
]
Then = Annotated[list[str] | None, typer.Option(help="The means of the next phase: 0.3,0.2,0.1")]
At = Annotated[str | None, typer.Option(help="The last round of each phase: 5000,8000")]
Drift = Annotated[str | None, typer.Option(help="Means that wander: step=0.01,every=10,seed=1")]
Policies = Annotated[str, typer.Option(help="Names, with commas: rbmle,ucb(alpha=1),ts")]


def bring(owner: str, modules: list[str] | None) -> None:
    """Import what `--import` names."""
    from .._records.names import import_modules

    import_modules(modules or (), owner, "--import")
