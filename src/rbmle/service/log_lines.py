"""What the service writes to its log: lines of text or of JSON, the same event once.

Secrets are never logged, nor are ids and names that callers chose: a request is told by the form of
its address, `/v1/experiments/{name}/decisions`.
"""

from __future__ import annotations

import logging
import time
from typing import Any, NamedTuple

import msgspec

from .._io.machine import COMMAND_LINE
from .._io.machine import log as package

FORMATS = ("text", "json")
log = logging.getLogger("rbmle.service")
access = logging.getLogger("rbmle.access")

SLOW_SECONDS = 1.0  # of a request that is logged; a choice: a hundred times the usual
_REPEAT_SECONDS = 10.0  # before the same sentence is logged again
_MAX_SENTENCES = 1_000  # that are remembered


class Json(logging.Formatter):
    """One JSON object a line: time, level, message, and the fields of a request."""

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = {
            "time": f"{self.formatTime(record, '%Y-%m-%dT%H:%M:%S')}.{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        return msgspec.json.encode(fields).decode()


Json.converter = time.gmtime


def configure(form: str, access_log: bool) -> None:
    """Log to the standard error, in this form; uvicorn's own lines too."""
    handler = logging.StreamHandler()
    handler.setFormatter(Json() if form == "json" else logging.Formatter("rbmle: %(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    for each in [*package.handlers]:
        if each.name == COMMAND_LINE:  # it would tell the same again
            package.removeHandler(each)
    logging.getLogger("psycopg").setLevel(logging.ERROR)  # we report a lost connection ourselves
    access.setLevel(logging.INFO if access_log else logging.CRITICAL)


def failed(where: str, problem: Exception) -> None:
    """Log an error that nobody expected, with its traceback: once, though many callers may wait for
    what has failed."""
    if not getattr(problem, "__notes__", None):
        log.error("%s: %s: %s", where, type(problem).__name__, problem, exc_info=problem)
        problem.add_note(f"It is in the service's log: {where}.")


class Repeats:
    """Sentences that are logged at most once in ten seconds each; the next says how many came."""

    def __init__(self) -> None:
        self._told: dict[str, tuple[float, int]] = {}  # when, and how many were left out since

    def warn(self, to: logging.Logger, sentence: str) -> None:
        """Log the sentence as a warning, if it was not logged just now."""
        now = time.monotonic()
        when, more = self._told.get(sentence, (-_REPEAT_SECONDS, 0))
        if now - when < _REPEAT_SECONDS:
            self._told[sentence] = when, more + 1
            return
        if len(self._told) >= _MAX_SENTENCES:
            self._told.clear()
        self._told[sentence] = now, 0
        to.warning("%s%s", sentence, f" ({more} more like this before.)" if more else "")


class AnsweredRequest(NamedTuple):
    """A request that was answered, as it is logged. ms: until the answer was there. bytes: of its
    body. key: the number of its key. client: the address it came from, perhaps a proxy's."""

    method: str
    path: str
    status: int
    ms: float
    bytes: int
    key: int | None
    client: str

    def __str__(self) -> str:
        key = "no key" if self.key is None else f"key {self.key}"
        did = f"{self.method} {self.path} {self.status} in {self.ms:.1f} ms"
        return f"{did}, {self.bytes} bytes, {key}, {self.client}"


def tell(request: AnsweredRequest, spent: dict[str, float], cause: str, repeats: Repeats) -> None:
    """Log a request, if requests are logged, and what an operator should know of some. spent: the
    seconds of its parts. cause: why it was refused."""
    if access.isEnabledFor(logging.INFO):
        access.info("%s", request, extra={"fields": request._asdict()})
    if cause:
        did = f"{request.status} {request.method} {request.path} from {request.client}"
        repeats.warn(log, f"{did}: {cause}")
    elif request.ms > 1000.0 * SLOW_SECONDS:
        parts = ", ".join(f"{part} {seconds:.2f} s" for part, seconds in spent.items())
        fields = {**request._asdict(), "spent": spent}
        shown = f" ({parts})" if parts else ""
        log.warning("slow: %s%s", request, shown, extra={"fields": fields})
