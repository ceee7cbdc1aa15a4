"""Text for people: names of policies, numbers, and tables as plain text and as HTML."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._records.record import Record, is_record


def labels(policies: Sequence[Record], families: Sequence[object]) -> tuple[str, ...]:
    """A distinct name for each policy: its class, and the parameters that are not the defaults.

    families: named only where policies of one class assume different ones.

    >>> from rbmle.policies import RBMLE, UCB
    >>> labels([RBMLE(), RBMLE(2.0), UCB()], [None] * 3)
    ('RBMLE', 'RBMLE(alpha=LogBias(c=2.0))', 'UCB')
    """
    pairs = list(zip(policies, families, strict=True))
    described = []
    for each, own in pairs:
        alike = all(repr(own) == repr(other) for x, other in pairs if type(x) is type(each))
        kind, parts = described_record(each)
        described.append((kind, {**parts, **({} if alike else {"family": own})}))
    return distinct_names(described)


def described_record(policy: Any) -> tuple[type, dict[str, object]]:
    """The class and the parameters for the label of a policy; it may have its own way."""
    own = hasattr(policy, "described")
    return policy.described() if own else (type(policy), policy._asdict())


def distinct_names(described: Sequence[tuple[type, Mapping[str, object]]]) -> tuple[str, ...]:
    """Distinct names as in `labels`, for (class, {parameter or "family": value}) each."""
    names = [_without(kind, parts).removesuffix("()") for kind, parts in described]
    counts = [names[: place + 1].count(name) for place, name in enumerate(names)]
    pairs = zip(names, counts, strict=True)
    return tuple(name if count == 1 else f"{name} #{count}" for name, count in pairs)


def without_defaults(value: object) -> str:
    """A record as one would write it: parameters that have their default value are left out.

    >>> from rbmle.families import Gaussian
    >>> without_defaults(Gaussian(2.0))
    'Gaussian(sigma=2.0)'
    """
    if not is_record(value):
        return repr(value)
    return _without(type(value), value._asdict())


def _without(kind: Any, parts: Mapping[str, object]) -> str:
    """The class and its parameters, without those that have their default value."""
    defaults = kind._field_defaults
    given = [
        f"{field}={without_defaults(own)}"
        for field, own in parts.items()
        if field not in defaults or repr(defaults[field]) != repr(own)
    ]
    return f"{kind.__name__}({', '.join(given)})"


def number_text(value: float) -> str:
    """A number as every table shows it: one decimal, and more digits for small numbers.

    Below 1 it has three significant digits, from 100,000 on no decimals, from 10^9 on four
    significant digits and a power of ten. Only 0 itself is shown as 0; NaN (not known) is "-".

    >>> [number_text(x) for x in (0.0, -0.0, 1e-4, -0.04567, 25.44, 1234.56, 123456.7, 9e9)]
    ['0', '0', '0.0001', '-0.0457', '25.4', '1,234.6', '123,457', '9e9']
    >>> [number_text(x) for x in (3.14e-7, 1e16, float("inf"), float("nan"))]
    ['3.14e-7', '1e16', 'inf', '-']
    """
    value, size = float(value), abs(value)
    if math.isnan(value):
        return "-"
    if value == 0.0:
        return "0"
    if size < 0.9995:
        return power_text(f"{value:.3g}")
    if size < 99_999.95:
        return f"{value:,.1f}"
    return f"{value:,.0f}" if size < 999_999_999.5 else power_text(f"{value:.4g}")


def signed_text(value: float) -> str:
    """A difference as tables show it: like `number_text`, with a plus sign if it is positive.

    >>> signed_text(0.71), signed_text(-0.04), signed_text(0.0)
    ('+0.71', '-0.04', '0')
    """
    return f"+{number_text(value)}" if value > 0.0 else number_text(value)


def constant_text(value: float) -> str:
    """A constant or a bound of the theory: four significant digits.

    From 10,000 on all digits before the point, from 10^9 on three digits and a power of ten.

    >>> [constant_text(x) for x in (2.46612, 12345.6, 1.5e12)]
    ['2.466', '12,346', '1.5e12']
    """
    if value < 1e4:
        return power_text(f"{value:,.4g}")
    return f"{value:,.0f}" if value < 1e9 else power_text(f"{value:.3g}")


def with_error(mean: float, error: float) -> tuple[str, str]:
    """A mean and its standard error: the error has two digits, the mean as many decimals as it.

    >>> with_error(10.583, 0.5349), with_error(1234.5, 29.1), with_error(3.0, 0.0)
    (('10.58', '0.53'), ('1,234', '29'), ('3.0', '0'))
    >>> with_error(-0.004, 2.6)
    ('0.0', '2.6')
    """
    if not 1e-4 <= error < 1e6:
        return number_text(mean), number_text(error)
    decimals = max(0, 1 - math.floor(math.log10(error)))
    rounded = round(mean, decimals) + 0.0  # adding 0 makes -0 the 0 that it equals
    return f"{rounded:,.{decimals}f}", f"{error:,.{decimals}f}"


def print_text(value: float) -> str:
    """A number to the digits of the paper's tables, one decimal, or more where that would be 0.

    >>> print_text(1234.56), print_text(0.04), print_text(0.0)
    ('1234.6', '0.04', '0')
    """
    text = f"{value:.1f}"
    return text if float(text) != 0.0 else number_text(value)


def power_text(text: str) -> str:
    """Shorten Python's powers of ten: 1e-05 becomes 1e-5, and 9e+09 becomes 9e9."""
    return re.sub(r"e([+-])0*", lambda sign: "e-" if sign[1] == "-" else "e", text)


def count_text(count: int, one: str, many: str = "") -> str:
    """A count and its noun, in the singular or the plural.

    >>> count_text(1, "replication"), count_text(20000, "round"), count_text(2, "study", "studies")
    ('1 replication', '20,000 rounds', '2 studies')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def text_table(head: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]) -> str:
    """A table as aligned plain text. Each row is a name and its cells; `head` names the columns."""
    lines = [("", head), *rows]
    first = max([6, *(len(name) for name, _ in lines)])
    columns = zip(*(cells for _, cells in lines), strict=True)
    widths = [max(10, *(2 + len(each) for each in column)) for column in columns]
    return "\n".join(
        f"{name:{first}}"
        + "".join(f"{each:>{width}}" for each, width in zip(cells, widths, strict=True))
        for name, cells in lines
    )


def html_table(caption: str, head: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]) -> str:
    """A table as HTML; rows and head as in `text_table`."""
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
