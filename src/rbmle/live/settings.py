"""The settings of a decider: everything about it except what it has learned."""

from __future__ import annotations

from dataclasses import asdict
from typing import NamedTuple

import numpy as np

from ..choosers import chooser_for
from ..engine.floors import rules_of
from ..engine.game import Rules
from ..engine.imputation import Imputed
from ..engine.late_rewards import Late
from ..engine.priced import priced_rules
from ..errors import ParameterError, integer, one_of
from ..evidence import Counting, Evidence, as_evidence, can_impute, without_features
from ..families import FAMILIES, Family
from ..policies.base import Policy, bare
from ..policies.fit import as_family, as_policy, check_fit, on_family
from ..policies.floor import floors_of
from ..policies.ledger import Ledger
from ..random import MAX_REPLICATIONS, MAX_ROUNDS, MAX_SEED
from ..rewards.delays import PATIENCE as PATIENCE
from .guardrails import Guardrail
from .live_arm import LiveArm


class Settings(NamedTuple):
    """What a `Decider` was made with; its docstring explains each field."""

    policy: Policy
    family: Family
    seed: int
    horizon: int | None
    ties: str
    replication: int
    patience: int
    evidence: Evidence
    guardrails: tuple[Guardrail, ...] = ()

    @classmethod
    def checked(
        cls, policy: object, family: object, seed: object, horizon: object, ties: object,
        replication: object, patience: object, evidence: object = None,
    ) -> Settings:  # fmt: skip
        """The settings, or an error that names the first one that is not allowed."""
        model = as_family(family, "Decider")
        if type(model) not in FAMILIES.values():
            raise ParameterError(
                "Decider", "family", "an instance of a family class, as in Bernoulli()", model
            )
        player = on_family(as_policy(policy, "Decider"), model, "Decider")
        worth = as_evidence(Counting() if evidence is None else evidence, "Decider")
        check_fit(player, model, worth)
        worth.check_family(model)
        seed = integer("Decider", "seed", seed, f"[0, {MAX_SEED}]")
        replication = integer("Decider", "replication", replication, f"[0, {MAX_REPLICATIONS - 1}]")
        ties = one_of("Decider", "ties", ties, ("random", "first"))
        patience = integer("Decider", "patience", patience, f"[1, {MAX_ROUNDS}]")
        if horizon is not None:
            horizon = integer("Decider", "horizon", horizon, f"[1, {MAX_ROUNDS}]")
        elif player.needs_horizon():
            raise ParameterError(
                "Decider", "horizon", f"given for {type(player).__name__}, which needs it", None
            )
        return cls(player, model, seed, horizon, ties, replication, patience, worth)

    def plain(self) -> dict[str, object]:
        """All settings but the policy, the family and the evidence, as data for JSON."""
        names = ("seed", "replication", "horizon", "ties", "patience")
        rails = {"guardrails": [asdict(each) for each in self.guardrails]}
        return {name: getattr(self, name) for name in names} | (rails if self.guardrails else {})


def live_rules(
    settings: Settings, arms: list[LiveArm], ledger: Ledger | None
) -> tuple[Rules, Late | Imputed]:
    """The rules of a live game, and its pulls without a reward, none yet. Arms that are disabled
    have no floor. ledger: the costs of the arms, if they have some.
    """
    policy, family = settings.policy, settings.family
    evidence = without_features(settings.evidence)
    enabled = [arm.enabled for arm in arms]
    places = np.flatnonzero(enabled).tolist()
    pending: Late | Imputed
    if evidence.reads():
        pending = Imputed.of(len(arms), policy, can_impute(evidence), places)
    else:
        pending = Late.of(len(arms), policy, places)
    if ledger is not None:
        return priced_rules(bare(policy), family, evidence, ledger, pending), pending
    chooser = chooser_for(policy, family, sum(enabled), evidence)
    shares = floors_of(policy, [arm.name for arm in arms], strict=False)
    if shares is not None:
        shares *= enabled
    return rules_of(bare(policy), family, evidence, chooser, shares), pending
