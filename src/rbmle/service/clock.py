"""The clock of a service: its time is the wall clock's at the start, and what has passed since.

A wall clock jumps: it is set by hand, or by NTP after a long time without. If deadlines followed
it, a jump of a day would end a day's decisions at once. So it is read once, when the service
starts; from then on time passes as on the machine's steady clock, which never jumps, and which also
runs while the machine is suspended. Who starts the service again trusts the wall clock again.
"""

from __future__ import annotations

import logging
import time

log = logging.getLogger("rbmle.service")

_JUMP_SECONDS = 1.0  # a wall clock that is off by more has jumped: NTP slews what is less


def passed() -> float:
    """The seconds since some moment, by a clock that never jumps."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


def offset() -> float:
    """What must be added to `passed` to get the wall clock's time of now."""
    return time.time() - passed()


class SteadyClock:
    """The time in seconds since 1970. offset: as all workers of a service take it at its start."""

    def __init__(self, offset: float) -> None:
        self._offset = self._told = offset

    def __call__(self) -> float:
        """The time; a jump of the wall clock is logged."""
        now, wall = passed(), time.time()
        jump = wall - now - self._told
        if abs(jump) > _JUMP_SECONDS:
            self._told = wall - now
            log.warning(
                "The clock of this machine has jumped by %+.0f s. Deadlines follow the time that "
                "passes; rows are dated by it until the service is started again.", jump,
            )  # fmt: skip
        return now + self._offset
