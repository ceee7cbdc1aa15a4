"""Optional packages: a clear error before any work is done, if one is missing."""

from __future__ import annotations

import importlib.util

from ..errors import RbmleError

_EXTRAS = {  # packages as pip knows them, as in pyproject.toml
    "report": ("matplotlib", "jinja2"),
    "data": ("pandas",),
    "service": ("uvicorn", "httptools", "starlette", "msgspec", "httpx", "psycopg"),
    "dask": ("distributed",),
    "gpu": ("numba-cuda",),
}


def require_extra(owner: str, extra: str) -> None:
    """Raise an error with the pip command to type, if a package of the extra is not installed."""
    for package in _EXTRAS[extra]:
        if importlib.util.find_spec(package.replace("-", "_")) is None:
            raise not_installed(owner, package, extra)


def not_installed(owner: str, package: str, extra: str) -> RbmleError:
    """The error to raise when an import of the package failed."""
    return RbmleError(
        f"{owner}: {package} is not installed. Install it with: pip install 'rbmle[{extra}]'"
    )
