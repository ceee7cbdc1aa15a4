"""Where the tables of `Beliefs` lie in the numbers that a policy is given as work space."""

from __future__ import annotations

from typing import Any

from .._numba.compile import Floats
from .beliefs import Beliefs
from .quadrature_panels import NODES

_PER_ARM = 11  # arrays in `beliefs_in` with one number for each arm
_PER_PANEL = 2 + 5 * NODES  # numbers for each panel, whatever the number of arms


def beliefs_size(n_arms: int, panels: int, samples: int) -> int:
    """How many numbers the arrays of `beliefs_in` have in all."""
    tables = panels * (_PER_PANEL + 2 * NODES * n_arms)
    return 2 + _PER_ARM * n_arms + n_arms * n_arms + n_arms * samples + tables


def beliefs_in(self: Any, space: Floats, n_arms: int) -> Beliefs:
    """A `Beliefs` with arrays in the given space, all 0 at the start. Not `njit`: see there."""
    n, panels, nodes = n_arms, self.panels(), self.panels() * NODES
    # Where the arrays begin that have a number for each panel, for each node, for each arm and
    # node, for two arms, for each sample; and the last one.
    at = _PER_ARM * n
    node = at + 2 * panels
    table = node + 5 * nodes
    pair = table + 2 * n * nodes
    drawn = pair + n * n
    last = drawn + n * self.drawn()
    return Beliefs(
        space[:n], space[n : 2 * n], space[2 * n : 3 * n], space[3 * n : 4 * n],
        space[4 * n : 5 * n], space[5 * n : 6 * n], space[last:], space[6 * n : 7 * n],
        space[at : at + panels], space[at + panels : node],
        space[node : node + nodes], space[node + nodes : node + 2 * nodes],
        space[node + 2 * nodes : node + 3 * nodes], space[table : table + n * nodes],
        space[table + n * nodes : pair], space[node + 3 * nodes : node + 4 * nodes],
        space[node + 4 * nodes : table], space[drawn:last], space[7 * n : 8 * n],
        space[8 * n : 9 * n], space[pair:drawn], space[9 * n : 10 * n], space[10 * n : at],
    )  # fmt: skip
