"""Names of policies, and tables of numbers as text and as HTML."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any


def labels(policies: Sequence[Any], families: Sequence[Any]) -> tuple[str, ...]:
    """A distinct name for each policy: its class, and what tells it from others of that class.

    >>> from rbmle.policies import RBMLE, UCB
    >>> labels([RBMLE(), RBMLE(2.0), UCB()], [None] * 3)
    ('RBMLE(alpha=BetaBias())', 'RBMLE(alpha=LogBias(c=2.0))', 'UCB')
    """
    kinds = [type(policy) for policy in policies]
    parts = [
        {**policy._asdict(), "family": family}
        for policy, family in zip(policies, families, strict=True)
    ]
    named = []
    for kind, own in zip(kinds, parts, strict=True):
        namesakes = [each for other, each in zip(kinds, parts, strict=True) if other is kind]
        telling = [
            f"{key}={without_defaults(value)}"
            for key, value in own.items()
            if value is not None
            and any(without_defaults(each[key]) != without_defaults(value) for each in namesakes)
        ]
        named.append(f"{kind.__name__}({', '.join(telling)})" if telling else kind.__name__)
    seen: Counter[str] = Counter()
    for place, name in enumerate(named):
        seen[name] += 1
        if seen[name] > 1:
            named[place] = f"{name} #{seen[name]}"
    return tuple(named)


def without_defaults(value: Any) -> str:
    """A record as it would be written: without the parameters that have their default value.

    >>> from rbmle.families import Gaussian
    >>> without_defaults(Gaussian(2.0))
    'Gaussian(sigma=2.0)'
    """
    if not hasattr(value, "_fields"):
        return repr(value)
    defaults = value._field_defaults
    given = [
        f"{field}={without_defaults(getattr(value, field))}"
        for field in value._fields
        if field not in defaults or repr(defaults[field]) != repr(getattr(value, field))
    ]
    return f"{type(value).__name__}({', '.join(given)})"


def text_table(head: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Rows of a name and cells, aligned, under their heads."""
    listed = list(rows)
    width = max([6, *(len(name) for name, _ in listed)])
    lines = [f"{'':{width}}" + "".join(f"{each:>10}" for each in head)]
    lines += [
        f"{name:{width}}" + "".join(f"{each:>10}" for each in cells) for name, cells in listed
    ]
    return "\n".join(lines)


def html_table(caption: str, head: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]) -> str:
    """The same as an HTML table."""
    heads = "".join(f"<th>{html.escape(each)}</th>" for each in ("", *head))
    body = "".join(
        f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
        + "".join(f"<td>{html.escape(each)}</td>" for each in cells)
        + "</tr>"
        for name, cells in rows
    )
    return (
        f"<table><caption>{html.escape(caption)}</caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
    )
