"""The cache files of compiled code: Numba's, with a checksum. If they fail, code is compiled."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress

from numba.core.base import BaseContext
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.compiler import CompileResult
from numba.core.typing import Signature

from .._io.log import log
from . import cache as _cache


class SealedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """Numba's cache files with a checksum; without one, damaged machine code would be run."""

    def _dump(self, obj: object) -> bytes:
        return _cache.sealed(super()._dump(obj))

    def _load_index(self) -> object:
        version = pickle.dumps(self._version, protocol=-1)  # the file begins with it, unsealed
        with suppress(FileNotFoundError):
            _cache.check_seal(self._index_path, skip=len(version))
        return super()._load_index()

    def _load_data(self, name: str) -> object:
        _cache.check_seal(self._data_path(name))
        return super()._load_data(name)


class DiskCache(FunctionCache):  # type: ignore[misc]
    """Numba's disk cache of a function, except that unreadable or unwritable files are no error."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)
        base, stamp = self._impl.filename_base, self._impl.locator.get_source_stamp()
        self._cache_file = SealedFiles(self.cache_path, base, stamp)
        self._files = f"{self.cache_path}/{base}.*nb[ic]"

    def load_overload(self, sig: Signature, target_context: BaseContext) -> CompileResult | None:
        """The code for arguments of these types, if it is there.

        Two processes that save at the same time can give their code one name: Numba does not lock
        its index. So code for other types may be found under a name, and is not used.
        """
        try:
            found = super().load_overload(sig, target_context)
        except Exception as problem:
            _cache.discard(self._files, problem)
            return None
        return found if found is None or tuple(found.signature.args) == tuple(sig) else None

    def save_overload(self, sig: Signature, data: CompileResult) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as problem:
            log.warning("compiled code was not kept: %s", problem)
