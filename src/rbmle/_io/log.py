"""The package's logger, `logging.getLogger("rbmle")`.

A library prints nothing by itself: it logs, and the application decides what is shown. The command
line shows these messages on stderr.
"""

from __future__ import annotations

import logging

log = logging.getLogger("rbmle")
log.addHandler(logging.NullHandler())
