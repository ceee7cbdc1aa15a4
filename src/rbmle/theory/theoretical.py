"""A stand-in for RBMLE whose C_alpha, that of a proposition, is filled in for each problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from .._records.record import checked
from ..errors import ParameterError, number, one_of
from ..families import Gaussian
from ..policies import RBMLE, Assuming
from ..rewards.problems import Problem
from ..spec import stand_in
from .c_alpha import theoretical_rbmle
from .setting import setting


def _lower(given: object) -> float | None:
    return None if given is None else number("Theoretical", "lower", given, "(-inf, inf)")


@stand_in
@checked
class Theoretical(NamedTuple):
    """RBMLE with alpha(t) = C_alpha log t and the smallest C_alpha that a proposition allows.

    It stands in for a policy in a `Study`, which fills in C_alpha for each of its problems. In a
    study file it is written `alpha = { proposition = 2, epsilon = 0.5, sharp = true }`.
    `Assuming(Theoretical(5), Poisson())` uses the Poisson index.

    proposition: 2, 3, 4 or 5. epsilon, sharp, lower: as in `smallest_c_alpha`.

    >>> from rbmle import Uniform
    >>> Theoretical(2, sharp=True).on(Problem(Gaussian(), [0.0, 1.0]))
    RBMLE(alpha=LogBias(c=16.0), boundary='exact', f='canonical')
    >>> round(Theoretical(4).on(Problem(Uniform(0.4), [0.25, 0.75])).family.sigma, 3)
    0.115
    """

    proposition: Annotated[int, "[2, 5]"]
    epsilon: Annotated[float, "(0, 1)"] = 0.5
    sharp: bool = False
    lower: Annotated[Any, _lower] = None

    def on(self, problem: Problem, family: object = None) -> RBMLE | Assuming:
        """The policy for this problem; refused if the proposition does not apply to it.

        family: the family that the policy is to assume. By default it is the problem's own, but
        Gaussian for Proposition 4 on rewards that are not Gaussian.
        """
        if not isinstance(problem, Problem):
            raise ParameterError(
                "Theoretical", "problem", "a Problem, whose means stay as they are", problem
            )
        policy = theoretical_rbmle(
            problem, self.proposition, self.epsilon, self.lower, family, self.sharp
        )
        if family is None and self.proposition == 4 and not isinstance(problem.law, Gaussian):
            family = Gaussian(setting(problem, 4).sigma)
        return policy if family is None else Assuming(policy, family)

    def described(self) -> tuple[type, dict[str, Any]]:
        """The class and parameters for its label: RBMLE, with this request in place of alpha."""
        return RBMLE, {**RBMLE()._asdict(), "alpha": self}

    def as_spec(self) -> dict[str, Any]:
        """Its table in a study file: RBMLE, with this request in place of alpha."""
        asked = {key: value for key, value in self._asdict().items() if value is not None}
        return {"name": "RBMLE", "alpha": asked}

    @classmethod
    def of_spec(cls, spec: Mapping[str, Any]) -> Theoretical | None:
        """The request in RBMLE's table, as in `alpha = { proposition = 2, epsilon = 0.5 }`; None if
        there is none."""
        alpha = spec.get("alpha")
        if str(spec.get("name")).lower() != "rbmle" or not isinstance(alpha, Mapping):
            return None
        if "name" in alpha or not set(alpha) & set(cls._fields):
            return None
        for key in spec:
            one_of("RBMLE", "parameter", key, ("name", *RBMLE._fields))
        for key, only in (("boundary", "exact"), ("f", "canonical")):
            if spec.get(key, only) != only:
                words = f"'{only}' where alpha is a proposition's"
                raise ParameterError("RBMLE", key, words, spec[key])
        return cls(**alpha)
