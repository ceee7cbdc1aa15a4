"""Checks of the typed arguments before typer sees them.

Typer takes -1 for an option, silently keeps the last of an option given twice, accepts empty text,
and does not always name the value that it refuses. These are handled here; unknown options, missing
arguments and help are left to typer.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterable, Sequence
from typing import Any

import typer
from typer.core import TyperCommand

from .._io import interrupt
from .._records.names import split
from ..errors import ParameterError
from . import streams

_NUMBERS = {int: "a whole number", float: "a number"}


class Command(TyperCommand):
    """A command that checks its arguments before typer does."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Check and arrange the arguments, then let typer parse them."""
        whole = inspect.unwrap(self.callback) if self.callback else None
        hints = typing.get_type_hints(whole) if whole else {}
        return super().parse_args(ctx, arranged(str(self.name), self.params, hints, args))

    def invoke(self, ctx: Any) -> Any:
        """Run the command. Ctrl-C and a closed pipe are caught here, because typer would print an
        empty line at Ctrl-C and exit with 1 at a closed pipe."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Exit(interrupt.CODE) from None
        except BrokenPipeError:  # the reader, such as `head`, has left
            streams.abandon()
            raise typer.Exit from None


def arranged(
    owner: str, parameters: Sequence[Any], hints: dict[str, Any], typed: Iterable[str]
) -> list[str]:
    """The arguments with options first, then `--`, after which typer takes -1 for a number. Wrong
    ones are refused.

    owner: the command. hints: the types of its parameters, by name.
    """
    options = {name: each for each in parameters for name in (*each.opts, *each.secondary_opts)}
    options = {name: each for name, each in options.items() if name.startswith("-")}
    kept: list[str] = []
    loose: list[str] = []
    seen: set[str] = set()
    left = iter(typed)
    for token in left:
        name, equals, value = token.partition("=")
        if token == "--":
            loose.extend(left)
        elif name not in options:
            (kept if token.startswith("-") and not _is(float, token) else loose).append(token)
        else:
            option = options[name]
            if option.name in seen and not option.multiple:
                raise ParameterError(owner, name, "given once")
            seen.add(option.name)
            if not option.is_flag:
                value = value if equals else next(left, name)
                if not equals and value in options:
                    raise ParameterError(owner, name, "followed by its value")
                _check(owner, name, hints.get(option.name), value)
                token = f"{name}={value}"
            kept.append(token)
    places = [each for each in parameters if not each.opts[0].startswith("-")]
    for number, value in enumerate(loose if places else ()):
        place = places[min(number, len(places) - 1)]
        _check(owner, place.name, hints.get(place.name), value)
    return [*kept, "--", *loose] if loose else kept


def names_given(owner: str, option: str, text: str | None) -> list[str]:
    """The names given to an option as text with commas; none if the option was not given."""
    if text is None:
        return []
    names = split(text)
    if not names:
        raise ParameterError(owner, option, "names, with commas", text)
    return names


def given(**options: Any) -> dict[str, Any]:
    """The options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def _check(owner: str, name: str, hint: Any, value: str) -> None:
    """Refuse an empty value, and text where the hint asks for a number."""
    if not value.strip():
        raise ParameterError(owner, "", f"'{name}' must not be empty", value)
    if "\0" in value:
        raise ParameterError(owner, name, "text without NUL characters", value)
    kinds = [hint, *typing.get_args(hint)]
    for kind, words in _NUMBERS.items():
        if kind in kinds and not _is(kind, value):
            raise ParameterError(owner, name, words, value)


def _is(kind: type, text: str) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True
