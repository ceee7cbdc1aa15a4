"""Checks of the typed arguments before typer sees them.

Typer takes -1 for an option, silently keeps the last of an option given twice, accepts empty text,
and does not always name the value that it refuses. These are handled here; unknown options, missing
arguments and help are left to typer.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from typer.core import TyperArgument, TyperCommand, TyperOption

from .._records.names import split
from ..errors import ParameterError

N = TypeVar("N", int, float)
_NUMBERS = {int: "a whole number", float: "a number"}


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
        kept: list[str] = []
        loose: list[str] = []
        seen: set[str | None] = set()
        left = iter(typed)
        for token in left:
            name, equals, value = token.partition("=")
            option = options.get(name)
            if token == "--":
                loose.extend(left)
            elif option is None:
                (kept if token.startswith("-") and not _is(float, token) else loose).append(token)
            elif option.name in seen and not option.multiple:
                raise ParameterError(str(self.name), name, "given once")
            else:
                seen.add(option.name)
                if not option.is_flag:
                    value = value if equals else next(left, name)
                    if not equals and value in options:
                        raise ParameterError(str(self.name), name, "followed by its value")
                    self._check(name, option.name, value)
                    token = f"{name}={value}"
                kept.append(token)
        places = [each.name for each in self.params if isinstance(each, TyperArgument)]
        for number, value in enumerate(loose if places else ()):
            place = places[min(number, len(places) - 1)]
            self._check(str(place), place, value)
        return [*kept, "--", *loose] if loose else kept

    def _check(self, name: str, parameter: str | None, value: str) -> None:
        """Refuse an empty value, and text where the parameter is a number."""
        owner = str(self.name)
        if not value.strip():
            raise ParameterError(owner, "", f"'{name}' must not be empty", value)
        if "\0" in value:
            raise ParameterError(owner, name, "text without NUL characters", value)
        hints = typing.get_type_hints(inspect.unwrap(self.callback)) if self.callback else {}
        hint = hints.get(str(parameter))
        for kind, words in _NUMBERS.items():
            if kind in (hint, *typing.get_args(hint)) and not _is(kind, value):
                raise ParameterError(owner, name, words, value)


def names_given(owner: str, option: str, text: str | None) -> list[str]:
    """The names given to an option as text with commas; none if the option was not given."""
    names = split(text or "")
    if text is not None and not names:
        raise ParameterError(owner, option, "names, with commas", text)
    return names


def numbers_given(owner: str, option: str, text: str, kind: Callable[[str], N]) -> list[N]:
    """The numbers given to an option as text with commas or spaces between them."""
    try:
        if numbers := [kind(each) for each in text.replace(",", " ").split()]:
            return numbers
    except ValueError:
        pass
    words = "whole numbers" if kind is int else "numbers"
    raise ParameterError(owner, option, f"{words}, with commas", text)


def _is(kind: type, text: str) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True
