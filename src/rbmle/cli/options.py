"""The typer application, the options that several commands share, and checks of what is typed.

Typer takes -1 for an option, silently keeps the last of an option given twice, accepts empty text,
and does not always name the value that it refuses. `Command` handles these before typer parses;
unknown options, missing arguments and help are left to typer.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from typer import Argument, Context, Exit, Option, Typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

import rbmle

from .._records.names import import_modules, parsed, split
from ..errors import ParameterError, one_of

if TYPE_CHECKING:
    from ..rewards.problems import World

F = TypeVar("F", bound=Callable[..., Any])
N = TypeVar("N", int, float)
_NUMBERS = {int: "a whole number", float: "a number"}
_FIRST = ("compare", "init", "run", "show", "report", "export", "policies", "serve", "service")
_DRIFT = ("step", "every", "seed", "low", "high")


class Command(TyperCommand):
    """A command that checks its arguments before typer does."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Check and arrange the arguments, then let typer parse them."""
        return super().parse_args(ctx, self.arranged(args))

    def arranged(self, typed: Iterable[str]) -> list[str]:
        """The arguments with options first, then `--`, after which typer takes -1 for a number.
        Wrong ones are refused."""
        options = {
            name: each
            for each in self.params
            if isinstance(each, TyperOption)
            for name in (*each.opts, *each.secondary_opts)
        }
        places = [str(each.name) for each in self.params if isinstance(each, TyperArgument)]
        front: list[str] = []
        loose: list[str] = []
        given: set[str | None] = set()
        left = iter(typed)
        for token in left:
            name, equals, value = token.partition("=")
            option = options.get(name)
            if token == "--":
                loose.extend(left)
            elif option is None:
                (front if token.startswith("-") and not _is(float, token) else loose).append(token)
            elif option.name in given and not option.multiple:
                raise ParameterError(str(self.name), name, "given once")
            else:
                given.add(option.name)
                if not option.is_flag:
                    value = value if equals else next(left, name)
                    if not equals and value in options:
                        raise ParameterError(str(self.name), name, "followed by its value")
                    token = f"{name}={self._checked(name, option.name, value)}"
                front.append(token)
        unknown = any(each.partition("=")[0] not in options for each in front)  # typer refuses them
        for number, value in enumerate(loose if places and not unknown else ()):
            place = places[min(number, len(places) - 1)]
            self._checked(place, place, value)
        return [*front, "--", *loose] if loose else front

    def get_short_help_str(self, limit: int = 45) -> str:
        """The first sentence of the help, whole."""
        return super().get_short_help_str(1_000)

    def _checked(self, name: str, parameter: str | None, value: str) -> str:
        """The value, a whole number without a power of ten. An empty one is refused, and so is text
        where the parameter is a number."""
        owner = str(self.name)
        if not value.strip():
            raise ParameterError(owner, "", f"'{name}' must not be empty", value)
        if "\0" in value:
            raise ParameterError(owner, name, "text without NUL characters", value)
        hints = typing.get_type_hints(inspect.unwrap(self.callback)) if self.callback else {}
        hint = hints.get(str(parameter))
        for kind, words in _NUMBERS.items():
            if kind in (hint, *typing.get_args(hint)):
                value = whole(value) if kind is int else value
                if not _is(kind, value):
                    raise ParameterError(owner, name, words, value)
        return value


def whole(text: str) -> str:
    """A whole number as plain digits, however it is written; other text as it is.

    >>> whole("1e3"), whole("2.5e4"), whole("1.5")
    ('1000', '25000', '1.5')
    """
    with suppress(ArithmeticError):
        number = Decimal(text)
        if number.is_finite() and abs(number.adjusted()) < 100 and number == int(number):
            return str(int(number))
    return text


def _is(kind: type, text: str) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True


class Commands(TyperGroup):
    """The list of commands: first those that people need first."""

    def list_commands(self, ctx: Any) -> list[str]:
        known = super().list_commands(ctx)
        return sorted(known, key=lambda each: _FIRST.index(each) if each in _FIRST else len(_FIRST))


app = Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def command(of: Typer = app, name: str | None = None) -> Callable[[F], F]:
    """A decorator that makes a function a command."""
    return of.command(name, cls=Command)


def _version(asked: bool) -> None:
    if asked:
        print(f"rbmle {rbmle.__version__}")
        raise Exit


@app.callback()
def _options(
    version: Annotated[
        bool, Option("--version", is_eager=True, callback=_version, help="Show the version.")
    ] = False,
) -> None:
    """Compare policies for stochastic multi-armed bandits, decide with them over HTTP, and
    recompute the tables of the RBMLE paper.

    Example: rbmle compare bernoulli 0.1 0.2 0.3
    """


def _import(context: Context, modules: list[str] | None) -> list[str]:
    owner = context.command_path.split()[1]  # of "rbmle service verify" it is "service"
    import_modules(modules or (), owner, "--import")
    return modules or []


Json = Annotated[bool, Option("--json", help="Print data for scripts.")]
Threads = Annotated[int | None, Option(help="Threads; results do not depend on it.")]
Device = Annotated[str, Option(help="cpu, or cuda for a GPU.")]
Run = Annotated[Path, Argument(help="A run folder.")]
RunOrDecider = Annotated[Path, Argument(help="A run folder, or a decider's file.")]
Means = Annotated[list[float], Argument(help="The mean of each arm.")]
_MODULE = "A module with policies or families of your own."
Import = Annotated[list[str] | None, Option("--import", help=_MODULE, callback=_import)]
Evidence = Annotated[
    str | None, Option(help="What the past is worth: discounted(gamma=0.998), window(500)")
]
Delay = Annotated[
    str | None, Option(help="When rewards come: fixeddelay(100), geometricdelay(mean=10)")
]


def names_given(owner: str, option: str, text: str | None) -> list[str]:
    """The names given to an option as text with commas; none if the option was not given."""
    names = split(text or "")
    if text is not None and not names:
        raise ParameterError(owner, option, "names, with commas", text)
    return names


def numbers_given(owner: str, option: str, text: str, kind: Callable[[str], N]) -> list[N]:
    """The numbers given to an option as text with commas or spaces between them."""
    parts = text.replace(",", " ").split()
    try:
        if numbers := [kind(whole(each) if kind is int else each) for each in parts]:
            return numbers
    except ValueError:
        pass
    words = "whole numbers" if kind is int else "numbers"
    raise ParameterError(owner, option, f"{words}, with commas", text)


def world_given(
    owner: str,
    first: rbmle.Problem,
    horizon: int,
    then: list[str] | None,
    at: str | None,
    drift: str | None,
) -> World:
    """The first problem; with --then and --at followed by others, with --drift wandering."""
    if (then is None) != (at is None):
        raise ParameterError(owner, "--then", "given together with '--at'")
    if then is not None and drift is not None:
        raise ParameterError(owner, "--drift", "left out where '--then' is given", drift)
    if drift is not None:
        values = parsed(f"drift({drift})", owner, "--drift", lambda _: _DRIFT)
        del values["name"]
        for key in values:
            one_of(owner, "--drift", key, _DRIFT)
        if "step" not in values:
            raise ParameterError(owner, "--drift", "a step at least: step=0.01", drift)
        return rbmle.Drift(first, **values)
    if then is None or at is None:
        return first
    others = [
        rbmle.Problem(first.law, numbers_given(owner, "--then", each, float)) for each in then
    ]
    try:
        world = rbmle.Phases([first, *others], numbers_given(owner, "--at", at, int))
        if horizon > 0:  # else `simulate` refuses it
            world.check_horizon(horizon)
    except ParameterError as mistake:
        option = "--at" if mistake.name == "at" else "--then"
        raise mistake.of(owner, option, instead_of="Phases") from None
    return world
