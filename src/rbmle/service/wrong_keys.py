"""`WrongKeys`: who sends keys that are not valid is answered ever more slowly; nobody else is."""

from __future__ import annotations

import asyncio
import time

FIRST_DELAY_SECONDS, _MAX_DELAY_SECONDS = 0.05, 2.0  # it doubles with each wrong key; a choice
_FORGET_SECONDS = 300.0  # after the last wrong key of an address
_MAX_ADDRESSES = 1_000  # that are remembered
_MAX_WAITING = 100  # answers that are held back at a time: each holds a connection and a task


class WrongKeys:
    """The addresses that wrong keys came from. A valid key is never delayed: its owner may share an
    address, a proxy's for instance, with one who guesses."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, float]] = {}  # how many, and when the last came
        self._waiting = 0

    @property
    def full(self) -> bool:
        """Whether no more answers may be held back."""
        return self._waiting >= _MAX_WAITING

    async def delay(self, client: str) -> None:
        """Wait as long as a wrong key from this address costs."""
        now = time.monotonic()
        count, last = self._seen.pop(client, (0, 0.0))
        count = count if now - last < _FORGET_SECONDS else 0
        if len(self._seen) >= _MAX_ADDRESSES:
            del self._seen[next(iter(self._seen))]
        self._seen[client] = count + 1, now
        self._waiting += 1
        try:
            doubled = FIRST_DELAY_SECONDS * 2.0 ** min(count, 10)
            await asyncio.sleep(min(doubled, _MAX_DELAY_SECONDS))
        finally:
            self._waiting -= 1
