"""The addresses of the service."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto
from urllib.parse import unquote_to_bytes


class Route(Enum):
    """What an address is for."""

    EXPERIMENTS = auto()
    EXPERIMENT = auto()
    DECISIONS = auto()
    ARMS = auto()
    ARM = auto()
    EVENTS = auto()
    REWARD = auto()
    BATCH = auto()
    HEALTH = auto()
    READY = auto()
    METRICS = auto()
    OPENAPI = auto()
    PAGE = auto()
    PAGE_FILE = auto()


_FIXED = {
    b"/": Route.PAGE,
    b"/v1/experiments": Route.EXPERIMENTS,
    b"/v1/batch": Route.BATCH,
    b"/healthz": Route.HEALTH,
    b"/readyz": Route.READY,
    b"/metrics": Route.METRICS,
    b"/openapi.json": Route.OPENAPI,
}
_OF_EXPERIMENT = {b"decisions": Route.DECISIONS, b"arms": Route.ARMS, b"events": Route.EVENTS}
Found = tuple[Route | None, tuple[str, ...]]


def found(path: bytes) -> Found:
    """The route of a path as it came, and the names in it; None if there is nothing there.

    A name may hold any character, also a slash, if it is written with percent signs.
    """
    fixed = _FIXED.get(path)
    if fixed is not None:
        return fixed, ()
    parts = path.split(b"/")
    size = len(parts)
    route: Route | None = None
    names: list[bytes] = []
    if size >= 4 and parts[1] == b"v1":
        if parts[2] == b"decisions":
            if size == 5 and parts[4] == b"reward":
                route, names = Route.REWARD, [parts[3]]
        elif parts[2] == b"experiments":
            names = [parts[3]]
            if size == 4:
                route = Route.EXPERIMENT
            elif size == 5:
                route = _OF_EXPERIMENT.get(parts[4])
            elif size == 6 and parts[4] == b"arms":
                route, names = Route.ARM, [parts[3], parts[5]]
    elif size == 3 and parts[1] == b"page":
        route, names = Route.PAGE_FILE, [parts[2]]
    try:
        given = tuple(_text(each) for each in names)
    except UnicodeDecodeError:
        return None, ()
    return (route, given) if all(given) else (None, ())


def _text(part: bytes) -> str:
    return (unquote_to_bytes(part) if b"%" in part else part).decode()


def methods_of(route: Route, routes: Iterable[tuple[Route, str]]) -> list[str]:
    """The methods that the address has."""
    return [method for each, method in routes if each is route]
