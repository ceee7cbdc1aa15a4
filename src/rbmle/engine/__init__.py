"""Playing: the loop over rounds, the plan of a simulation, and the places where it is played."""

from .cpu_kernel import arguments, play
from .on_cpu import DECISIONS_A_TASK
from .plan import Filled, rounds_kept
from .simulation import simulate, simulate_many

__all__ = [
    "DECISIONS_A_TASK",
    "Filled",
    "arguments",
    "play",
    "rounds_kept",
    "simulate",
    "simulate_many",
]
