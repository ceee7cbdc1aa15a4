"""The files of the page, which are part of the package: no build step, no address outside."""

from __future__ import annotations

import functools
from importlib import resources

from .answers import refusal

_KINDS = {
    "page.html": b"text/html; charset=utf-8",
    "page.css": b"text/css; charset=utf-8",
    "page.js": b"text/javascript; charset=utf-8",
    "chart.js": b"text/javascript; charset=utf-8",
}


@functools.cache
def page_file(name: str) -> tuple[int, bytes, bytes]:
    """The status, the content of a file of the page, and its type."""
    if name not in _KINDS:
        return *refusal(404, "There is nothing at this address."), b"application/json"
    return 200, resources.files(__package__).joinpath("web", name).read_bytes(), _KINDS[name]
