"""A decider's state on disk, in a pickle and in a copy."""

from __future__ import annotations

import os
import threading
from typing import Any, TypeVar

from ..errors import ParameterError
from ..evidence import EVIDENCE
from ..families import FAMILIES
from ..policies.base import POLICIES
from ..spec import from_spec, to_spec
from .decisions import Decisions
from .evidence_state import plain_evidence, restore
from .input_checks import support
from .live_arm import LiveArm
from .settings import Settings
from .state import VERSION, Reader, plain, plain_decisions, read, write

D = TypeVar("D", bound="Kept")


class Kept:
    """The part of `Decider` that saves it and brings it back."""

    _settings: Settings
    _live: Any  # the engine: `LiveArms`, or one of its kinds
    _decisions: Decisions
    _lock: threading.Lock
    _saving: threading.Lock

    def _start(self, settings: Settings, arms: list[LiveArm], withdrawn: int = 0) -> None:
        raise NotImplementedError

    def _state(self) -> dict[str, Any]:
        """All that is known except policy, family and evidence, as data that JSON can hold."""
        with self._lock:
            return {
                **self._settings.plain(),
                "withdrawn": self._live.withdrawn,
                "memory": self._live.memory,
                "arms": [plain(arm) for arm in self._live.arms.values()],
                "decisions": plain_decisions(self._decisions),
                **plain_evidence(self._live),
            }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the whole state to a file; a kill at any moment leaves the old or the new file."""
        # Saves are written one after the other, in the order of their calls. They have a lock of
        # their own so that no pull waits for the disk.
        with self._saving:
            policy, family, evidence = (
                self._settings.policy, self._settings.family, self._settings.evidence
            )  # fmt: skip
            known = {"policy": policy, "family": family, "evidence": evidence}
            specs = {name: to_spec(each) for name, each in known.items()}
            write(path, {**specs, **self._state()})

    @classmethod
    def load(
        cls: type[D],
        path: str | os.PathLike[str],
        policy: Any = None,
        family: Any = None,
        evidence: Any = None,
    ) -> D:
        """The decider that was saved to a file; it goes on as if it had never stopped.

        policy, family, evidence: used instead of the saved ones, for instance if their classes are
        not imported here. Raises FileNotFoundError if there is no such file, and StateError if it
        does not hold a decider.
        """
        saved = read(path)
        decider = cls.__new__(cls)
        try:
            rule = from_spec(saved.take("policy"), POLICIES) if policy is None else policy
            model = from_spec(saved.take("family"), FAMILIES) if family is None else family
            if evidence is None:
                evidence = from_spec(saved.take("evidence"), EVIDENCE)
            decider._resume(saved, rule, model, evidence, as_it_was=policy is None)
        except (ParameterError, OverflowError) as problem:
            raise saved.error(str(problem).rstrip(".")) from None
        return decider

    def _resume(
        self, saved: Reader, policy: Any, family: Any, evidence: Any, as_it_was: bool
    ) -> None:
        """Start from a saved state; `as_it_was`: the policy is the saved one, memory included."""
        settings = Settings.saved(saved, policy, family, evidence)
        self._start(settings, saved.arms(support(settings.family)), saved.whole("withdrawn"))
        self._decisions = saved.decisions(self._live.arms)
        restore(self._live, saved)
        if as_it_was:
            self._live.memory = saved.memory(len(self._live.memory))

    def __getstate__(self) -> dict[str, Any]:
        policy, family, evidence = (
            self._settings.policy, self._settings.family, self._settings.evidence
        )  # fmt: skip
        return {"policy": policy, "family": family, "evidence": evidence, "state": self._state()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Restore a pickled or copied decider; it gets its own locks."""
        saved = Reader("a pickled Decider", {"version": VERSION, **kept["state"]})
        self._resume(saved, kept["policy"], kept["family"], kept["evidence"], as_it_was=True)
