"""The devices that can play a plan: the CPU, and a GPU that speaks CUDA.

Nothing of CUDA is imported before a user asks for it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._io.machine import require_extra
from ..errors import ParameterError, one_of
from ..policies.priced import Priced
from .on_cpu import Progress, compile_for_cpu, play_on_cpu
from .plan import Filled, Plan

DEVICES = ("cpu", "cuda")


def check_device(owner: str, device: str) -> None:
    """Raise an error unless the device is there and what it needs is installed."""
    one_of(owner, "device", device, DEVICES)
    if device == "cuda":
        require_extra(owner, "gpu")
        from .._numba import for_cuda as cuda

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

    threads: for the CPU; 0 plays in the calling thread. stop: if another thread sets stop[0] to
    anything but 0, the function returns soon, and its results are unfinished.
    """
    if device == "cpu":
        return play_on_cpu(plan, threads, progress, stop)
    refuse_costs(owner, plan)
    from .on_cuda import play_on_cuda

    return play_on_cuda(owner, plan, progress, stop)


def refuse_costs(owner: str, plan: Plan) -> None:
    """Raise an error if a policy has costs."""
    for policy, _ in plan.players[0]:
        if isinstance(policy, Priced):
            raise ParameterError(owner, "device", "'cpu' for policies with costs", "cuda")


def compile_plan(plan: Plan, device: str) -> None:
    """Compile what the plan needs on the device."""
    if device == "cpu":
        compile_for_cpu(plan)
        return
    refuse_costs("simulate", plan)
    from .on_cuda import compile_for_cuda

    compile_for_cuda(plan)


def device_name() -> str:
    """What the CUDA device calls itself."""
    from .._numba import for_cuda as cuda

    return cuda.device_name()
