"""Addresses of databases, as they may be shown."""

from __future__ import annotations

import re

_PLACE = re.compile(r"(\[[\da-fA-F:.]*\]|[^\[\]:/]*)(:\d*)?(/[^:/]*)?")  # host:port/name


def without_password(url: str) -> str:
    """The address as it may be shown: without a user, a password, or parameters.

    >>> without_password("postgresql://user:secret@host:5432/name?sslmode=require")
    'postgresql://...@host:5432/name'
    """
    kind, found, rest = url.partition("://")
    if not found:
        return "..." if "@" in url or "password" in url.lower() else url
    if kind == "sqlite":
        return url
    address, _, parameters = rest.partition("?")
    place = address.rpartition("@")[2]
    if not _PLACE.fullmatch(place) or "@" in parameters:
        return f"{kind}://..."
    return f"{kind}://{'...@' if '@' in address else ''}{place}"
