"""The history of our own speed, for asv: from commit to commit names and work stay the same."""

import numpy as np

import rbmle

MEANS = [0.41, 0.52, 0.66, 0.43, 0.58, 0.65, 0.48, 0.67, 0.59, 0.63]
LAWS = {
    "Bernoulli": rbmle.Bernoulli(),
    "Gaussian": rbmle.Gaussian(),
    "Exponential": rbmle.Exponential(),
}
EVERYWHERE = ["RBMLE", "UCB", "UCBTuned", "MOSS", "KLUCB", "BayesUCB", "ThompsonSampling", "GPUCB",
              "GPUCBTuned", "KG", "VIDS"]  # fmt: skip
SLOW = {
    "KG": 10,
    "KGStar": 10,
    "IDS": 100,
    "VIDS": 100,
    "KLUCB": 10,
    "BayesUCB": 10,
    "ThompsonSampling": 10,
}
PAIRS = [f"{policy}, {law}" for law in LAWS for policy in EVERYWHERE]
PAIRS += ["IDS, Bernoulli", "KGMin, Bernoulli", "KGMN, Bernoulli", "KGStar, Gaussian"]


class Rounds:
    """Whole rounds of `simulate` on one thread."""

    params = PAIRS
    param_names = ("policy",)

    def setup(self, pair):
        policy, law = pair.split(", ")
        self.problem = rbmle.Problem(LAWS[law], MEANS)
        self.policy = getattr(rbmle, policy)()
        self.replications = 100 // SLOW.get(policy, 1)
        self.time_100_000_rounds_or_fewer_if_slow(pair)  # compiles

    def time_100_000_rounds_or_fewer_if_slow(self, pair):
        rbmle.simulate(self.problem, [self.policy], 1_000, self.replications, threads=1)


class ManyArms:
    """Rounds among 100,000 arms, after each was played once."""

    params = ("RBMLE", "UCB", "GPUCB", "MOSS", "KLUCB")
    param_names = ("policy",)

    def setup(self, policy):
        self.problem = rbmle.Problem(rbmle.Gaussian(), np.linspace(0.3, 0.7, 100_000))
        self.policy = getattr(rbmle, policy)()
        rbmle.simulate(self.problem, [self.policy], 100_001, 1, threads=1)  # compiles

    def time_200_000_rounds(self, policy):
        rbmle.simulate(self.problem, [self.policy], 200_000, 1, threads=1)


class Live:
    """A pull and an update of a `Decider`."""

    params = ("RBMLE", "UCB", "KLUCB", "ThompsonSampling")
    param_names = ("policy",)

    def setup(self, policy):
        self.decider = rbmle.Decider(range(10), getattr(rbmle, policy)(), rbmle.Bernoulli(), seed=1)
        for _ in range(100):
            self.time_pull_and_update(policy)

    def time_pull_and_update(self, policy):
        self.decider.update(self.decider.pull(), 1.0)


class Memory:
    """The largest resident memory of a study."""

    def peakmem_four_policies_1_000_replications(self):
        policies = [rbmle.RBMLE(), rbmle.UCB(), rbmle.MOSS(), rbmle.ThompsonSampling()]
        problem = rbmle.Problem(rbmle.Bernoulli(), np.array(MEANS))
        rbmle.simulate(problem, policies, 1_000, 1_000)


class Start:
    """A new process."""

    def timeraw_import(self):
        return "import rbmle"
