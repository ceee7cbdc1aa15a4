"""The choice of the quickest chooser for a policy; all of them choose the same arms."""

from __future__ import annotations

from typing import Any, Protocol

from .._numba.compile import Floats
from ..evidence import Counting
from ..policies.arms import Arms, Clock
from ..policies.base import Policy, ranks_only
from ..random import Draws
from . import biased_curves as _biased_curves  # noqa: F401  the promises about our policies
from . import draw_bounds as _draw_bounds  # noqa: F401
from . import index_bounds as _index_bounds  # noqa: F401
from . import index_curves as _index_curves  # noqa: F401
from . import index_lines as _index_lines  # noqa: F401
from . import knowledge_bounds as _knowledge_bounds  # noqa: F401
from . import rising_bounds as _rising_bounds  # noqa: F401
from . import rising_indices as _rising_indices  # noqa: F401
from . import rising_knowledge as _rising_knowledge  # noqa: F401
from .ceilings import Ceilings
from .champion import Champion
from .chords import Chords
from .contenders import Contenders
from .forgetful import ForgetfulChampion
from .line_tournament import MOST_ARMS, LineTournament
from .lines import Lines
from .promises import bounds_for, curve_for, draw_for, line_for, rising_for
from .scan import Scan
from .tournament import Tournament


class Chooser(Protocol):
    """The interface of a chooser, which finds the arm to play.

    restart: a new replication begins.
    pick: the arm to play.
    changed: the statistics of arm i have changed.
    skips_absent: whether the chooser passes over absent arms, which have a negative number of
    pulls. If it does, `withdraw` and `bring_back` tell it that an arm is absent or back. If not, it
    is given only the arms that are present.
    """

    _fields: Any

    def restart(self) -> None: ...
    def pick(
        self, policy: Any, state: Floats, family: Any, arms: Arms, clock: Clock, rng: Draws
    ) -> int: ...
    def changed(self, i: int) -> None: ...
    def skips_absent(self) -> bool: ...
    def withdraw(self, i: int) -> None: ...
    def bring_back(self, i: int) -> None: ...


_COUNTING = Counting()

# From this many arms on a tournament of lines is used: then a tournament takes 0.5 MB or more, and
# no longer fits into the nearest caches. With 1,000 arms both take the same time, within a quarter.
MANY = 4096

# From this many arms on lines are used also where a scan of fewer arms is quicker (`helps_few`).
# Measured for RBMLE on Gaussian rewards, in ns a round: with 10 arms 55 by a scan and 61 by lines,
# with 16 arms 72 and 61, with 32 arms 127 and 76, with 128 arms 459 and 165.
DOZEN = 12

# From this many arms on chords are used. Measured for RBMLE: with 3 arms they take 0.6 (Bernoulli)
# to 0.85 times (Exponential) the time of a scan, with 10 arms 0.3 to 0.6 times. With fewer arms
# than this that is not worth the longer compilation.
SOME = 6


def chooser_for(policy: Policy, family: Any, n_arms: int, evidence: Any = _COUNTING) -> Chooser:
    """The quickest chooser for the policy and this number of arms.

    evidence: if it changes the statistics of more than the pulled arm, every arm is looked at; but
    by cheap bounds, if the policy has them.
    """
    if evidence.changes_all():
        bounds = bounds_for(policy, family) if ranks_only(policy) else None
        return Scan(n_arms) if bounds is None else ForgetfulChampion(Champion.of(bounds))
    curve = curve_for(policy, family) if ranks_only(policy) else None
    line = line_for(policy, family) if ranks_only(policy) else None
    if line is not None and line.helps_many() and MANY <= n_arms <= MOST_ARMS:
        return LineTournament.of(line, n_arms)  # type: ignore[return-value]
    if curve is not None and n_arms >= curve.pays_from(family):
        return Tournament.of(curve, n_arms)  # type: ignore[return-value]
    if line is not None and n_arms < DOZEN and not line.helps_few():
        return Scan(n_arms)
    rising, bounds = rising_for(policy, family), bounds_for(policy, family)
    return chooser_of_few(policy, family, n_arms, rising, bounds)


def chooser_on_device(
    policy: Policy, family: Any, n_arms: int, evidence: Any = _COUNTING
) -> Chooser:
    """The quickest chooser on a GPU."""
    if evidence.changes_all():
        return Scan(n_arms)
    draw = draw_for(policy, family)
    if draw is not None:
        return Contenders.of(draw, n_arms)  # type: ignore[return-value]
    rising, bounds = rising_for(policy, family), bounds_for(policy, family)
    rising = rising if rising is not None and rising.helps_devices(family) else None
    bounds = bounds if bounds is not None and bounds.helps_devices(family) else None
    return chooser_of_few(policy, family, n_arms, rising, bounds)


def chooser_of_few(policy: Policy, family: Any, n_arms: int, rising: Any, bounds: Any) -> Chooser:
    """The quickest chooser for few arms, for which a tournament does not pay.

    rising, bounds: the promises of these kinds that may be used, or None.
    """
    made: Any = Scan(n_arms)
    if not ranks_only(policy):
        return made  # type: ignore[no-any-return]
    line, curve = line_for(policy, family), curve_for(policy, family)
    if line is not None:
        made = Lines.of(line, n_arms)
    elif rising is not None:
        made = Ceilings.of(rising, n_arms)
    elif bounds is not None:
        made = Champion.of(bounds)
    elif curve is not None and curve.bends() != 0 and n_arms >= SOME:
        made = Chords.of(curve, n_arms)
    return made  # type: ignore[no-any-return]
