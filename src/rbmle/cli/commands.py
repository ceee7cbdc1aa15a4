"""The commands. Each unpacks its options, calls one function of the library, and prints.

They import what they need when they run, so that `rbmle --help` does not wait for Numba.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

import rbmle

from .._io.files import write_atomically
from .._records.names import load_installed
from ..errors import ParameterError, one_of
from .options import (
    Delay,
    Device,
    Evidence,
    Import,
    Json,
    Means,
    Run,
    RunOrDecider,
    Threads,
    command,
    names_given,
    world_given,
)
from .screen import progress, say, show_json, show_table

_USUAL = "recommended,rbmle,ucb,ts"
_SEARCHERS = "trackandstop,toptwo,toptwo(rbmle)"


@command()
def run(
    study: Annotated[Path, Argument(help="A study file; `rbmle init` writes one.")],
    folder: Annotated[Path | None, Option(help="The run folder; by the file's name.")] = None,
    threads: Threads = None,
    cluster: Annotated[
        str | None,
        Option(
            help="A Dask scheduler, tcp://host:8786; local; or slurm://PARTITION?cores=8&jobs=20"
        ),
    ] = None,
    device: Device = "cpu",
    times: Annotated[
        bool, Option("--times", help="Also time the decisions, for the report.")
    ] = False,
    evidence: Evidence = None,
    delay: Delay = None,
    modules: Import = None,
    json: Json = False,
) -> None:
    """Run a study file; the same command continues a run that was stopped.

    --evidence and --delay are used in place of what the file states.

    Example: rbmle run study.toml
    """
    from ..studies.workers import connected, workers_of
    from . import output

    instead = {"evidence": evidence, "delay": delay}
    stated = rbmle.Study.from_toml(study).replaced(
        **{k: v for k, v in instead.items() if v is not None}
    )
    target = folder or Path(f"{study.stem}-run")
    with (
        connected(cluster, threads) as executor,
        progress(None if executor is None else workers_of(executor).count) as report,
    ):
        here = threads if executor is None else None
        result = rbmle.run(
            stated, target, here, report, times=times, executor=executor, device=device
        )
    output.show_study(result, json)
    if not json:
        say(f"Kept in {target}; `rbmle report {target}` draws it.")


@command()
def init(path: Annotated[Path, Argument(help="The file to write.")] = Path("study.toml")) -> None:
    """Write a commented example of a study file.

    Example: rbmle init study.toml
    """
    if path.exists():
        raise ParameterError("init", "path", "a file that is not there yet", str(path))
    text = resources.files("rbmle").joinpath("cli/example.toml").read_text("utf-8")
    write_atomically(path, text.encode())
    say(f"Wrote {path}; run it with `rbmle run {path}`.")


@command()
def compare(
    law: Annotated[str, Argument(help="bernoulli, gaussian(sigma=2), exponential, ...")],
    means: Means,
    policies: Annotated[
        str, Option(help="Names, with commas: recommended,ucb(alpha=1),ts")
    ] = _USUAL,
    horizon: Annotated[int, Option(help="Rounds.")] = 10_000,
    replications: Annotated[int, Option(help="Independent repetitions.")] = 100,
    seed: Annotated[int, Option(help="The seed of rewards and draws.")] = 0,
    family: Annotated[str | None, Option(help="What policies assume, if not the law.")] = None,
    evidence: Evidence = None,
    delay: Delay = None,
    then: Annotated[
        list[str] | None, Option(help="The means of the next phase: 0.3,0.2,0.1")
    ] = None,
    at: Annotated[str | None, Option(help="The last round of each phase: 5000,8000")] = None,
    drift: Annotated[
        str | None, Option(help="Means that wander: step=0.01,every=10,seed=1")
    ] = None,
    threads: Threads = None,
    device: Device = "cpu",
    modules: Import = None,
    json: Json = False,
) -> None:
    """Compare policies on one problem, without a file.

    Example: rbmle compare bernoulli 0.1 0.2 0.3 --policies recommended,ucb,ts --horizon 1e5

    Example: rbmle compare bernoulli 0.2 0.6 --then 0.6,0.2 --at 5000 --evidence "window(1000)"
    """
    from ..policies.fit import as_family
    from ..studies.export import statistics_data
    from . import output

    world = world_given("compare", rbmle.Problem(law, means), horizon, then, at, drift)
    chosen, rewards = names_given("compare", "--policies", policies), rbmle.RewardStream(seed)
    if policies == _USUAL:
        try:
            rbmle.recommended(as_family(family, "compare", "--family") if family else world.family)
        except ParameterError:  # a family of your own: there is no form of it to recommend
            chosen.remove("recommended")
    result = rbmle.simulate(
        world, chosen, horizon, replications, rewards,
        family=family, threads=threads, device=device, evidence=evidence, delay=delay,
    )  # fmt: skip
    if json:
        show_json(statistics_data(result))
        return
    output.show_result(result)
    if len(result.names) > 1:
        output.show_comparisons(result.compare())


@command()
def identify(
    law: Annotated[str, Argument(help="bernoulli, gaussian(sigma=2), uniform, ...")],
    means: Means,
    policies: Annotated[str, Option(help="Names, with commas: trackandstop,toptwo")] = _SEARCHERS,
    delta: Annotated[float, Option(help="The largest probability of a wrong answer.")] = 0.05,
    replications: Annotated[int, Option(help="Independent repetitions.")] = 100,
    budget: Annotated[int | None, Option(help="Pulls, in place of a stopping rule.")] = None,
    seed: Annotated[int, Option(help="The seed of rewards and draws.")] = 0,
    family: Annotated[str | None, Option(help="What policies assume, if not the law.")] = None,
    modules: Import = None,
    json: Json = False,
) -> None:
    """Say how long policies take to find the best arm, and how often they are wrong.

    Example: rbmle identify bernoulli 0.5 0.45 0.4 --delta 0.1

    Example: rbmle identify bernoulli 0.5 0.45 0.4 --policies successiverejects --budget 2000
    """
    from ..inference.identification import HEAD

    chosen = names_given("identify", "--policies", policies)
    found = rbmle.identify(
        rbmle.Problem(law, means),
        chosen,
        delta,
        replications,
        budget=budget,
        family=family,
        seed=seed,
    )
    if json:
        show_json(found.data())
    else:
        rows = [(name, *cells) for name, cells in found.rows()]
        show_table(found.title, ("policy", *HEAD), rows)


@command()
def show(folder: RunOrDecider, modules: Import = None, json: Json = False) -> None:
    """Show the tables of a run, or the summary of a saved decider.

    Example: rbmle show study-run

    Example: rbmle show decider.json
    """
    from ..inference.summary import HEAD
    from ..live.state import is_decider
    from . import output

    if is_decider(folder):
        found = rbmle.Decider.load(folder).summary()
        if json:
            show_json(found.data())
        else:
            rows = [(name, *cells) for name, cells in found.rows()]
            show_table(found.verdict, ("arm", *HEAD), rows)
            for each in found.disabled_lines():
                say(each)
        return
    output.show_study(rbmle.load(folder), json)


@command()
def export(
    folder: Run,
    format: Annotated[str, Option(help="csv, latex or json.")] = "csv",
    out: Annotated[Path | None, Option(help="A file; else standard output.")] = None,
    modules: Import = None,
) -> None:
    """Export a run: every replication (csv), the tables (latex), or all of it (json).

    Example: rbmle export study-run --format latex --out table.tex
    """
    from ..studies import export as exports

    one_of("export", "--format", format, exports.WRITERS)
    if out is not None:
        exports.export_to(rbmle.load(folder), format, out)
        return
    for part in exports.export(rbmle.load(folder), format):
        print(part, end="")


@command()
def report(
    folder: RunOrDecider,
    out: Annotated[Path | None, Option(help="The page; else report.html, or decider.html.")] = None,
    modules: Import = None,
) -> None:
    """Write a run, or the summary of a saved decider, as one self-contained page.

    Example: rbmle report study-run

    Example: rbmle report decider.json
    """
    say(f"Wrote {rbmle.report(folder, out)}.")


@command()
def bounds(
    law: Annotated[str, Argument(help="bernoulli, gaussian(sigma=2), uniform, ...")],
    means: Means,
    horizon: Annotated[int, Option(help="Rounds, T.")] = 10_000,
    epsilon: Annotated[float, Option(help="In (0, 1), for Propositions 2 and 5.")] = 0.5,
    lower: Annotated[
        float | None, Option(help="A known lower bound on the means, for 2 and 5.")
    ] = None,
    family: Annotated[str | None, Option(help="What the index assumes, if not the law.")] = None,
    json: Json = False,
) -> None:
    """Show what the theory says of a problem: the least C_alpha, and bounds on the regret.

    Example: rbmle bounds bernoulli 0.4 0.6 --horizon 10000
    """
    from ..policies.fit import as_family
    from ..theory.regret_bounds import bounds_data
    from . import output

    assumed = as_family(family, "bounds") if family else None
    data = bounds_data(rbmle.Problem(law, means), horizon, epsilon, lower, assumed)
    (show_json if json else output.show_bounds)(data)


@command()
def policies(modules: Import = None, json: Json = False) -> None:
    """List the policies: formula and source, parameters, families, whether they need the horizon.

    Example: rbmle policies
    """
    from . import output

    load_installed()
    (show_json if json else output.show_policies)(output.policy_list())
