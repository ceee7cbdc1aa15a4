"""Code for CUDA devices, on machines without one: `pytest -m cuda` needs numba-cuda alone.

Every pair of a policy and a family is compiled. What is played is compared in numba-cuda's
simulator, which runs the kernel in the interpreter; tests/engine/test_gpu.py needs a device.
"""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbmle
from rbmle import EXP3
from rbmle.policies.fit import families_of

pytestmark = pytest.mark.cuda

FAMILIES: dict[type, Any] = {
    rbmle.Bernoulli: rbmle.Bernoulli(),
    rbmle.Gaussian: rbmle.Gaussian(),
    rbmle.Exponential: rbmle.Exponential(),
    rbmle.Gamma: rbmle.Gamma(2.0),
    rbmle.Poisson: rbmle.Poisson(),
    rbmle.Binomial: rbmle.Binomial(5),
}
# Other forms that the compiler sees as another type, or that another chooser plays.
FORMS: list[tuple[Any, Any]] = [
    (rbmle.RBMLE(rbmle.LogBias()), rbmle.Bernoulli()),
    (rbmle.RBMLE(rbmle.AdaptiveBernoulli()), rbmle.Bernoulli()),
    (rbmle.RBMLE(rbmle.AdaptiveGaussian()), rbmle.Gaussian()),
    (rbmle.RBMLE(rbmle.AdaptiveExponential()), rbmle.Exponential()),
    (rbmle.recommended("bernoulli"), rbmle.Bernoulli()),
    (rbmle.recommended("gaussian"), rbmle.Gaussian()),
    (rbmle.recommended("exponential"), rbmle.Exponential()),
    (rbmle.RBMLE(rbmle.ArmBias()), rbmle.Exponential()),
    (rbmle.RBMLE(rbmle.ArmBias()), rbmle.Gaussian()),
    (rbmle.MOSS(anytime=True), rbmle.Gaussian()),
    (rbmle.KLUCB(upto="plus"), rbmle.Gaussian()),
    (rbmle.Floor("ucb", 0.1), rbmle.Bernoulli()),
    *(
        (policy, family)
        for policy in (rbmle.RBMLE(), rbmle.KLUCB(), rbmle.ThompsonSampling())
        for family in (rbmle.GaussianUnknown(), rbmle.Bounded(-2.0, 3.0))
    ),
]
POLICIES = [each for each in rbmle.POLICIES.values() if each.__module__.startswith("rbmle.")]
PAIRS = [
    (policy(), FAMILIES[family])
    for policy in POLICIES
    for family in families_of(policy)
    if family in FAMILIES
] + FORMS


def code_for(policy: Any, family: Any, law: Any = None, delay: Any = None) -> str:
    """The PTX of the kernel that plays the policy; with a delay, in a world that changes."""
    from rbmle.engine import on_cuda
    from rbmle.engine.plan import Setup, plan

    problem: Any = rbmle.Problem(law or family, [0.3, 0.5, 0.6])
    problem = problem if delay is None else rbmle.Drift(problem, 0.1)
    player = rbmle.Assuming(policy, family)
    planned = plan(Setup("test", [problem], [player], 100, 4, rbmle.RewardStream(1), delay=delay))
    [tasks] = on_cuda.alike(planned)
    return on_cuda.kernel.ptx(*on_cuda.example(planned, tasks))


@pytest.mark.parametrize(("policy", "family"), PAIRS, ids=str)
def test_every_pair_is_compiled(policy: Any, family: Any) -> None:
    code = code_for(policy, family)
    assert ".visible .entry" in code
    assert ".target sm_90" in code


@pytest.mark.parametrize(
    "law", [rbmle.Uniform(0.2), rbmle.Beta(2.0), rbmle.TwoPoint(), rbmle.Laplace(),
            rbmle.GaussianMixture(), rbmle.ClippedGaussian()], ids=str,
)  # fmt: skip
def test_every_law_is_compiled(law: Any) -> None:
    assert ".visible .entry" in code_for(rbmle.UCB(), rbmle.Gaussian(), law)


@pytest.mark.parametrize("policy", [rbmle.ThompsonSampling(), EXP3()], ids=str)
def test_delays_and_changing_means_are_compiled(policy: Any) -> None:
    late = rbmle.GeometricDelay(10, lost=0.1)
    assert ".visible .entry" in code_for(policy, rbmle.Bernoulli(), delay=late)


def test_long_functions_are_called() -> None:
    """A root search is there once, however often it is called: caches for code are small."""
    from rbmle._numba.for_cuda import mangled
    from rbmle.families import Family

    name = mangled(Family.kl_upper)
    code = code_for(rbmle.KLUCB(), rbmle.Bernoulli())
    assert len(re.findall(rf"^\t// \.weak\t{name}", code, re.MULTILINE)) == 1
    assert len(re.findall(rf"call\.uni \(retval0\),\s+{name}", code)) >= 2


def test_products_and_sums_are_rounded_one_by_one() -> None:
    """Else a * b + c would be one operation on a device and two on a CPU.

    UCB has no function of CUDA's library but the logarithm and the root, whose own code may use it.
    """
    from rbmle._numba.for_cuda import DeviceKernel

    def line(out: Any, a: float, b: float) -> None:
        out[0] = a * b + out[0]

    code = DeviceKernel(line).ptx(np.zeros(2), 2.0, 3.0)
    assert "mul.rn.f64" in code or "mul.f64" in code
    assert "fma" not in code


def test_nothing_is_fused_at_link_time() -> None:
    """The linker optimises once more; by default it would fuse."""
    import numba
    from numba import cuda
    from numba.cuda.cudadrv.driver import _Linker

    from rbmle._numba.for_cuda import as_on_cpu

    def line(out: Any, a: float, b: float) -> None:
        out[0] = a * b + out[0]

    signature = numba.void(*map(numba.typeof, (np.zeros(2), 2.0, 3.0)))
    with as_on_cpu():
        code, _ = cuda.compile(
            line, signature, cc=(9, 0), output="ltoir", device=False, abi="numba"
        )
        linker = _Linker(cc=(9, 0), lto=True)
        linker.add_ltoir(code)
        linked = str(linker.get_linked_ptx())
    assert "mul.rn.f64" in linked
    assert "fma" not in linked


def simulated(script: str, folder: Path) -> str:
    """What a script prints in numba-cuda's simulator."""
    path = folder / "script.py"
    path.write_text(script)
    found = subprocess.run(
        [sys.executable, path],
        capture_output=True, text=True, timeout=600, check=False,
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"},
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    return found.stdout


SAME = """
import numpy as np
import rbmle
from rbmle import EXP3
from typing import NamedTuple

@rbmle.policy
class Mine(NamedTuple):
    width: float = 1.0

    def index_of(self, family, arms, i, level):
        return arms.mean(i) + self.width / arms.pulls[i]

bernoulli = rbmle.Problem("bernoulli", [0.3, 0.5, 0.6])
gaussian = rbmle.Problem("gaussian", [0.3, 0.5, 0.6])
gaps = {"horizon": 40, "replications": 3}
phases = rbmle.Phases([bernoulli, rbmle.Problem("bernoulli", [0.6, 0.2, 0.3])], at=[20])
drift, lossy = rbmle.Drift(gaussian, 0.1, 3), rbmle.GeometricDelay(4, lost=0.3, patience=6)
linear = rbmle.LinearProblem([0.5, -0.3], rbmle.SphereFeatures(3, 2))
values = np.random.default_rng(0).normal(size=(3, 40, 3))
CASES = [
    (bernoulli, ["rbmle", "rbmle(f=mean)", "ucb", "ts", "klucb", "bayesucb", "moss", "imed"], {}),
    (bernoulli, ["ucb", "rbmle"], {"ties": "first", "checkpoints": [1, 7, 40]}),
    (bernoulli, ["ucb"], {"first_replication": 5, "seed": 9}),
    (rbmle.Problem("gaussianunknown(sigma=2)", [0.3, 0.9]), ["rbmle", "klucb", "ts", "imed"], {}),
    (rbmle.Problem("bounded(low=-1, high=3)", [0.3, 0.9]), ["rbmle", "klucb", "ts"], {}),
    (rbmle.Problem("beta", [0.3, 0.5]), ["empiricalimed(memory=9)"], {"family": "bounded"}),
    (gaussian, ["rbmle", "gpucb", "gpucbtuned", "kg", "kgstar", "vids(commit=0.9)"], {}),
    (gaussian, [rbmle.RBMLE(rbmle.AdaptiveGaussian()), Mine(2.0)], {}),
    (bernoulli, [EXP3(0.2)], {}),
    (bernoulli, [EXP3(0.2)], {"delay": lossy}),
    (gaussian, [rbmle.Assuming("ucb", rbmle.Gaussian(2.0))], {}),
    (gaussian, ["ucb", "ts"], {"rewards": rbmle.Table(values)}),
    (rbmle.Problem("laplace", [0.3, 0.5]), ["rbmle"], {"family": "gaussian"}),
    (bernoulli, ["ucb"], {"rewards": rbmle.PublishedTable(), "ties": "first"}),
    (phases, ["rbmle", "klucb"], {}),
    (drift, ["ucb"], {"delay": rbmle.TableDelay([1, 7], pending="ignored")}),
    (bernoulli, ["rbmle", "ts", "ucb"], {"delay": "fixeddelay(5)"}),
    (gaussian, ["ucb", "vids(commit=0.9)"], {"delay": lossy}),
    (phases, ["ts"], {"evidence": "discounted(gamma=0.9)", "delay": "batchdelay(4)"}),
    (linear, ["ucb"], {"evidence": "linear(dimension=2)", "delay": "fixeddelay(5)"}),
]
for problem, policies, options in CASES:
    here = rbmle.simulate(problem, policies, 40, 3, **options)
    there = rbmle.simulate(problem, policies, 40, 3, device="cuda", **options)
    for name in ("regret", "best_pulls", "pulls"):
        assert np.array_equal(getattr(here, name), getattr(there, name)), (policies, name)
many = [bernoulli, rbmle.Problem("bernoulli", [0.1, 0.2]), rbmle.Problem("bernoulli", [0.8, 0.2])]
for here, there in zip(
    rbmle.simulate_many(many, ["ucb", "rbmle"], horizon=30, replications=2),
    rbmle.simulate_many(many, ["ucb", "rbmle"], horizon=30, replications=2, device="cuda"),
):
    assert np.array_equal(here.regret, there.regret) and np.array_equal(here.pulls, there.pulls)
try:
    rbmle.simulate(bernoulli, ["ts"], 40, 3, rewards=rbmle.PublishedTable(), device="cuda")
except rbmle.ParameterError as problem:
    print(problem)
"""


def test_a_device_plays_what_a_cpu_plays(tmp_path: Path) -> None:
    said = simulated(SAME, tmp_path)
    assert "'device' must be 'cpu' for ThompsonSampling on PublishedTable(seed=" in said


@pytest.mark.parametrize("name", ["NUMBA_ENABLE_CUDASIM", "NUMBA_DISABLE_JIT"])
def test_the_simulator_and_the_interpreter_go_together(name: str) -> None:
    problem = "rbmle.Problem('gaussian', [0, 1])"
    code = f"import rbmle; rbmle.simulate({problem}, ['ucb'], 9, 1, device='cuda')"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, name: "1"}, capture_output=True, text=True
    )
    assert f"RbmleError: simulate: 'device' must be 'cpu' where {name}=1 is set" in (
        done.stderr.replace("rbmle.errors.", "")
    )


def test_the_kernel_is_given_what_it_takes() -> None:
    from rbmle.engine.cuda_kernel import play_thread
    from rbmle.engine.cuda_memory import Given

    assert Given._fields == tuple(inspect.signature(play_thread).parameters)


PARTS = """
import numpy as np
import rbmle
from rbmle.engine import on_cuda

problems = [rbmle.Problem("bernoulli", [0.2, 0.5, 0.1 * k]) for k in range(1, 4)]
here = rbmle.simulate_many(problems, ["ucb"], horizon=30, replications=5)
on_cuda.free_memory = lambda: 8 * 200
for most in (1, 2, 4, 7):
    one = 8 * 64
    on_cuda.free_memory = lambda: int(most * one / 0.9) + 1
    there = rbmle.simulate_many(problems, ["ucb"], horizon=30, replications=5, device="cuda")
    assert all(np.array_equal(a.pulls, b.pulls) for a, b in zip(here, there)), most
on_cuda.free_memory = lambda: 100
try:
    rbmle.simulate(problems[0], ["ucb"], 30, 5, device="cuda")
except rbmle.RbmleError as problem:
    print(problem)
"""


def test_what_the_memory_does_not_hold_is_played_in_parts(tmp_path: Path) -> None:
    said = simulated(PARTS, tmp_path)
    assert "simulate: 'device' must have more memory: one replication needs" in said


STUDY = """
import pathlib
import rbmle

study = rbmle.Study(
    problems={"a": rbmle.Problem("bernoulli", [0.2, 0.5])}, policies=["ucb", "rbmle"],
    horizon=40, replications=6,
)
rbmle.run(study, "here")
from rbmle.studies import runner
runner._AT_ONCE = 1  # the simulator plays one kernel at a time
rbmle.run(study, "there", device="cuda")
def shards(folder):
    return {p.name: p.read_bytes() for p in sorted(pathlib.Path(folder).rglob("*"))
            if p.is_file() and "provenance" not in p.name}
assert shards("here") == shards("there"), (shards("here").keys(), shards("there").keys())
print(sorted(shards("here")))
"""


def test_a_study_on_a_device_has_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(simulated(STUDY, tmp_path)) > 20


def test_a_mistake_of_a_user_is_named_with_its_line() -> None:
    """What the CPU's compiler accepts and a device's does not, such as allocation."""
    from typing import NamedTuple

    @rbmle.policy
    class Allocates(NamedTuple):
        def index_of(self, family: Any, arms: Any, i: int, level: float) -> float:
            return float(np.sort(np.array([arms.mean(i), level]))[0])

    with pytest.raises(rbmle.DefinitionError, match=r"(?s)Allocates.*line \d+, in index_of"):
        code_for(Allocates(), rbmle.Gaussian())


def test_exceptions_of_a_user_are_refused_with_their_line() -> None:
    """A device would end the thread in the middle of its replication, and say nothing."""
    from typing import NamedTuple

    @rbmle.policy
    class Raises(NamedTuple):
        def check_family(self, family: Any) -> None:
            if family is None:
                raise ValueError  # in Python, where it may

        def index_of(self, family: Any, arms: Any, i: int, level: float) -> float:
            if arms.pulls[i] > 1e9:
                raise ValueError
            return float(arms.mean(i))

    @rbmle.policy
    class Catches(NamedTuple):
        def index_of(self, family: Any, arms: Any, i: int, level: float) -> float:
            try:
                return float(arms.mean(i))
            except Exception:
                return 0.0

    @rbmle.policy
    class Checks(NamedTuple):
        def check_family(self, family: Any) -> None:
            if family is None:
                raise ValueError

        def index_of(self, family: Any, arms: Any, i: int, level: float) -> float:
            return float(arms.mean(i))

    for policy, words in ((Raises(), "raised"), (Catches(), "caught")):
        text = rf"(?s)no exceptions can be {words} on a device.*line \d+, in index_of"
        with pytest.raises(rbmle.DefinitionError, match=text):
            code_for(policy, rbmle.Gaussian())
    assert code_for(Checks(), rbmle.Gaussian())
