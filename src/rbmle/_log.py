"""The package's messages, as one logger: `logging.getLogger("rbmle")`.

A library says nothing by itself: an application that wants to hear listens, as the command line
does.
"""

from __future__ import annotations

import logging

log = logging.getLogger("rbmle")
log.addHandler(logging.NullHandler())
