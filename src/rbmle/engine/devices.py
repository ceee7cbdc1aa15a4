"""The devices that can play a plan: the CPU, and a GPU that speaks CUDA.

Nothing of CUDA is imported before a user asks for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._io.extras import require_extra
from ..errors import one_of
from .cpu_kernel import Filled
from .on_cpu import Progress, play_on_cpu
from .plan import Plan

DEVICES = ("cpu", "cuda")


def check_device(owner: str, device: str) -> None:
    """Raise an error unless the device is there and what it needs is installed."""
    one_of(owner, "device", device, DEVICES)
    if device == "cuda":
        require_extra(owner, "gpu")
        from .._numba import cuda

        cuda.check_device(owner)


def play_plan(
    owner: str,
    plan: Plan,
    device: str,
    threads: int | None = None,
    progress: Progress | None = None,
    stop: NDArray[np.int64] | None = None,
) -> list[Filled]:
    """Play the plan on the device, which is there; for each problem, the arrays of its results.

    threads: for the CPU. stop: if another thread sets stop[0] to anything but 0, the function
    returns soon, and its results are unfinished.
    """
    if device == "cpu":
        return play_on_cpu(plan, threads, progress, stop)
    return _cuda_place().play_on_cuda(owner, plan, progress, stop)  # type: ignore[no-any-return]


def compile_plan(plan: Plan) -> None:
    """Compile what the plan needs on a CUDA device."""
    _cuda_place().compile_for_cuda(plan)


def device_name() -> str:
    """What the CUDA device calls itself."""
    from .._numba import cuda

    return cuda.device_name()


def _cuda_place() -> Any:
    from . import on_cuda

    return on_cuda
