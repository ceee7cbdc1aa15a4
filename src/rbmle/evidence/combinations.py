"""Names that the literature has for a policy with some evidence; there is no class for them."""

from __future__ import annotations

from typing import NamedTuple


class Combination(NamedTuple):
    """A name from the literature: the policy and the evidence that it is, and its source."""

    name: str
    policy: str
    evidence: str
    source: str


COMBINATIONS = (
    Combination("LinRBMLE", "rbmle(alpha=rootbias())", "linear(dimension=d)", "Hung et al. 2021"),
    Combination("LinUCB", "ucb", "linear(dimension=d)", "Abbasi-Yadkori et al. 2011"),
    Combination("LinUCB, disjoint", "ucb", "linear(dimension=d, shared=False)", "Li et al. 2010"),
    Combination("DUCB", "ucb", "discounted(gamma=0.999)", "Garivier and Moulines 2011"),
    Combination("SWUCB", "ucb", "window(size=1000)", "Garivier and Moulines 2011"),
    Combination("DiscountedThompson", "ts", "discounted(gamma=0.999)", "Raj and Kalyani 2017"),
)
