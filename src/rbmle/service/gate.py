"""`Gate`: which requests are answered at all, whatever their key: not those that a web page of
another site makes a browser send.

A browser lets any page send simple requests anywhere, also to 127.0.0.1, and a page can point its
own name at 127.0.0.1 (DNS rebinding). It says where a request comes from, in `Sec-Fetch-Site` and
`Origin`, and for which name, in `Host`. Programs such as curl send neither of the first two.
"""

from __future__ import annotations

import functools
import ipaddress
from collections.abc import Iterable

from starlette.types import Scope

# What every answer says to a browser: run and load nothing but our own files, show them in no
# frame, guess no types, store nothing.
SECURITY_HEADERS = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("cache-control", "no-store"),
]
Headers = dict[bytes, bytes]
_ELSEWHERE = (b"cross-site", b"same-site")
_PROXY_HEADERS = (b"forwarded", b"via", b"x-real-ip", b"x-forwarded")  # how their names begin
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}

OTHER_SITE = "A web page of another site asked for this; only the service's own page may."
OTHER_HOST = (
    "The request's Host is not the service's: while there is no key that is 127.0.0.1 or localhost,"
    " and always what 'rbmle serve --allowed-host' names."
)
PROXY = (
    "The request came through a proxy and there is no key, so that anyone could write: nothing is "
    "written. Create a key: rbmle service key create --role admin."
)


def is_loopback(host: str) -> bool:
    """Whether only this machine can ask there."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _name(host: str) -> str:
    """The name in a `Host`, without its port; "" if it is none."""
    if host.startswith("["):
        name, closed, _ = host[1:].partition("]")
        return name if closed else ""
    name, _, port = host.partition(":")
    return name if not port or port.isdecimal() else ""


def _host(origin: str) -> str:
    """The `Host` that a request to this origin has; "" if it is none, "null" for instance."""
    scheme, _, host = origin.partition("://")
    return host.removesuffix(_DEFAULT_PORTS.get(scheme, ":"))


class Gate:
    """Which requests are answered. allowed: hosts beside this machine's own names, whatever
    their port; if there are some, no other host is answered, key or no key."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self._allowed = frozenset(_name(each.lower()) or each.lower() for each in allowed)
        self._accepts = functools.lru_cache(maxsize=256)(self._is_ours)

    def _is_ours(self, host: bytes) -> bool:
        name = _name(_text(host))
        return is_loopback(name) or name in self._allowed

    def refuses(self, scope: Scope, headers: Headers, keyless: bool, writes: bool) -> str:
        """Why the request is refused, in one sentence; "" if it is not.

        keyless: whether there is no key. writes: whether it may write. A link to the page may be
        followed from anywhere.
        """
        host, origin = headers.get(b"host", b""), headers.get(b"origin")
        if headers.get(b"sec-fetch-site") in _ELSEWHERE:
            followed = headers.get(b"sec-fetch-mode") == b"navigate" and scope["method"] == "GET"
            if not (followed and scope["path"] == "/"):
                return OTHER_SITE
        if origin is not None:
            name, asked = _text(host), _host(_text(origin))
            if not asked or asked not in (name, _host(f"http://{name}"), _host(f"https://{name}")):
                return OTHER_SITE
        if (keyless or self._allowed) and not self._accepts(host):
            return OTHER_HOST
        if keyless and writes and any(each.startswith(_PROXY_HEADERS) for each in headers):
            return PROXY
        return ""


def _text(header: bytes) -> str:
    return header.decode("latin-1").lower()
