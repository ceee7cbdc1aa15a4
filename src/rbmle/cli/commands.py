"""The commands. Each unpacks its options, calls one function of the library, and prints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import ParameterError
from .arguments import names_given, numbers_given
from .options import (
    At,
    Cluster,
    Delay,
    Device,
    Drift,
    Evidence,
    Import,
    Json,
    Policies,
    Run,
    Then,
    Threads,
    bring,
    command,
)


@command()
def reproduce(
    tables: Annotated[
        list[str] | None, typer.Argument(help="Bernoulli_ID=2, ... or figures: 1a 3b.")
    ] = None,
    policies: Annotated[
        str | None, typer.Option(help="The tables' names, with commas: RBMLE,UCB")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Figure 1's problems, the fast policies.")
    ] = False,
    folder: Annotated[Path, typer.Option(help="Where runs, figures and the report go.")] = Path(
        "rbmle-paper"
    ),
    replications: Annotated[int | None, typer.Option(help="Trials; 100 in the paper.")] = None,
    monte_carlo: Annotated[
        bool, typer.Option("--monte-carlo", help="IDS and VIDS by 10,000 samples: hours.")
    ] = False,
    threads: Threads = None,
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 if a cell differs.")] = False,
    json: Json = False,
) -> int:
    """Recompute the paper's tables and compare each number with print.

    Example: rbmle reproduce --quick
    """
    import shlex
    import sys

    from .._io.machine import require_extra
    from ..paper.folder import reproduce as reproduce_paper
    from ..paper.reproduction import QUICK, QUICK_TABLES, count_verdicts
    from ..reports import write_report
    from .progress_bars import progress
    from .screen import say, show_json
    from .show_paper import cells, show_comparison, summarise

    chosen = names_given("reproduce", "--policies", policies)
    if not json:
        require_extra("reproduce", "report")
    with progress() as shown:
        rows = reproduce_paper(
            tables or (QUICK_TABLES if quick else ()), folder, chosen or (QUICK if quick else ()),
            replications, monte_carlo, threads, shown, None if json else show_comparison,
        )  # fmt: skip
    counts = count_verdicts(rows)
    if json:
        show_json({"cells": cells(rows), "counts": counts})
    else:
        page = write_report(folder, command=shlex.join(["rbmle", *sys.argv[1:]]))
        say(f"Wrote {page} and {folder / 'figures'}.")
        summarise(rows)
    return 1 if check and counts["differs"] else 0


@command()
def run(
    study: Annotated[Path, typer.Argument(help="A study file; `rbmle init` writes one.")],
    folder: Annotated[Path | None, typer.Option(help="The run folder; by the file's name.")] = None,
    threads: Threads = None,
    cluster: Cluster = None,
    device: Device = "cpu",
    times: Annotated[bool, typer.Option(help="Also time the decisions of each policy.")] = True,
    evidence: Evidence = None,
    delay: Delay = None,
    modules: Import = None,
    json: Json = False,
) -> None:
    """Run a study of your own; run it again to go on where it stopped.

    --evidence and --delay are used in place of what the file states.

    Example: rbmle run study.toml
    """
    from ..studies.runner import run as run_study
    from ..studies.study import Study
    from ..studies.workers import connected, workers_of
    from .progress_bars import progress
    from .screen import say
    from .tables import show_study

    bring("run", modules)
    instead = {"evidence": evidence, "delay": delay}
    stated = Study.from_toml(study).replaced(**{k: v for k, v in instead.items() if v is not None})
    target = folder or Path(f"{study.stem}-run")
    with (
        connected(cluster, threads) as executor,
        progress(None if executor is None else workers_of(executor).count) as report,
    ):
        here = threads if executor is None else None
        result = run_study(
            stated, target, here, report, times=times, executor=executor, device=device
        )
    show_study(result, json)
    if not json:
        say(f"Kept in {target}; `rbmle report {target}` draws it.")


@command()
def init(
    path: Annotated[Path, typer.Argument(help="The file to write.")] = Path("study.toml"),
) -> None:
    """Write a commented example of a study file.

    Example: rbmle init study.toml
    """
    from importlib import resources

    from .._io.files import write_atomically
    from .screen import say

    if path.exists():
        raise ParameterError("init", "path", "a file that is not there yet", str(path))
    text = resources.files("rbmle").joinpath("cli/example.toml").read_text("utf-8")
    write_atomically(path, text.encode())
    say(f"Wrote {path}; run it with `rbmle run {path}`.")


@command()
def compare(
    law: Annotated[str, typer.Argument(help="bernoulli, gaussian(sigma=2), exponential, ...")],
    means: Annotated[list[float], typer.Argument(help="The mean of each arm.")],
    policies: Policies = "rbmle,ucb,ts",
    horizon: Annotated[int, typer.Option(help="Rounds.")] = 10_000,
    replications: Annotated[int, typer.Option(help="Independent repetitions.")] = 100,
    seed: Annotated[int, typer.Option(help="The seed of rewards and draws.")] = 0,
    family: Annotated[
        str | None, typer.Option(help="What policies assume, if not the law.")
    ] = None,
    evidence: Evidence = None,
    delay: Delay = None,
    then: Then = None,
    at: At = None,
    drift: Drift = None,
    threads: Threads = None,
    device: Device = "cpu",
    modules: Import = None,
    json: Json = False,
) -> None:
    """Compare policies on one problem, without a file.

    Example: rbmle compare bernoulli 0.1 0.2 0.3 --policies rbmle,ucb,ts --horizon 10000

    Example: rbmle compare bernoulli 0.2 0.6 --then 0.6,0.2 --at 5000 --evidence "window(1000)"
    """
    from .. import engine
    from ..rewards.problems import Problem
    from ..rewards.sources import RewardStream
    from ..studies.export import statistics_data
    from .screen import show_json
    from .tables import show_comparisons, show_result
    from .typed_world import typed_world

    bring("compare", modules)
    result = engine.simulate(
        typed_world("compare", Problem(law, means), then, at, drift),
        names_given("compare", "--policies", policies),
        horizon, replications, RewardStream(seed), family=family, threads=threads, device=device,
        evidence=evidence, delay=delay,
    )  # fmt: skip
    if json:
        show_json(statistics_data(result))
        return
    show_result(result)
    if len(result.names) > 1:
        show_comparisons(result.compare())


@command()
def show(folder: Run, modules: Import = None, json: Json = False) -> None:
    """Show what a run found.

    Example: rbmle show study-run
    """
    from ..studies.runner import load
    from .tables import show_study

    bring("show", modules)
    show_study(load(folder), json)


@command()
def export(
    folder: Run,
    format: Annotated[str, typer.Option(help="csv, latex or json.")] = "csv",
    out: Annotated[Path | None, typer.Option(help="A file; else standard output.")] = None,
    modules: Import = None,
) -> None:
    """Export a run: every replication (csv), the tables (latex), or all of it (json).

    Example: rbmle export study-run --format latex --out table.tex
    """
    from ..errors import one_of
    from ..studies.export import WRITERS, export_to
    from ..studies.export import export as parts
    from ..studies.runner import load

    bring("export", modules)
    one_of("export", "--format", format, WRITERS)
    if out is not None:
        export_to(load(folder), format, out)
        return
    for part in parts(load(folder), format):
        print(part, end="")


@command()
def report(
    folder: Run,
    out: Annotated[Path | None, typer.Option(help="The page; report.html in the folder.")] = None,
    modules: Import = None,
) -> None:
    """Write a run as one self-contained page with tables and figures.

    Example: rbmle report study-run
    """
    from ..reports import write_report
    from .screen import say

    bring("report", modules)
    say(f"Wrote {write_report(folder, out)}.")


@command()
def bounds(
    law: Annotated[str, typer.Argument(help="bernoulli, gaussian(sigma=2), uniform, ...")],
    means: Annotated[list[float], typer.Argument(help="The mean of each arm.")],
    horizon: Annotated[int, typer.Option(help="Rounds, T.")] = 10_000,
    epsilon: Annotated[float, typer.Option(help="In (0, 1), for Propositions 2 and 5.")] = 0.5,
    lower: Annotated[
        float | None, typer.Option(help="A known lower bound on the means, for 2 and 5.")
    ] = None,
    family: Annotated[
        str | None, typer.Option(help="What the index assumes, if not the law.")
    ] = None,
    json: Json = False,
) -> None:
    """Show what the theory says of a problem: the least C_alpha, and bounds on the regret.

    Example: rbmle bounds bernoulli 0.4 0.6 --horizon 10000
    """
    from ..policies.fit import as_family
    from ..rewards.problems import Problem
    from ..theory.bounds_data import bounds_data
    from .screen import show_json
    from .show_bounds import show_bounds

    assumed = as_family(family, "bounds") if family else None
    data = bounds_data(Problem(law, means), horizon, epsilon, lower, assumed)
    if json:
        show_json(data)
    else:
        show_bounds(data)


@command()
def policies(modules: Import = None, json: Json = False) -> None:
    """List the policies: formula and source, parameters, families, whether they need the horizon.

    Example: rbmle policies
    """
    from .._records.names import load_installed
    from .screen import show_json
    from .tables import policy_list, show_policies

    bring("policies", modules)
    load_installed()
    if json:
        show_json(policy_list())
    else:
        show_policies()


@command()
def scale(
    families: Annotated[str, typer.Option(help="bernoulli,gaussian,exponential")] = "bernoulli",
    arms: Annotated[str, typer.Option(help="Numbers of arms, with commas.")] = "10,30,50,70",
    policies: Annotated[str | None, typer.Option(help="The tables' names, with commas.")] = None,
    horizon: Annotated[int, typer.Option(help="Rounds of a timed run.")] = 2_000,
    repeats: Annotated[int, typer.Option(help="Repeats; the median is shown.")] = 3,
    live: Annotated[bool, typer.Option("--live", help="Time the live Decider instead.")] = False,
    json: Json = False,
) -> None:
    """Time per decision against the number of arms, as ratios to UCB, beside the paper's.

    Example: rbmle scale --families gaussian --arms 10,100,1000
    """
    from ..paper.scaling import measure
    from .screen import show_json
    from .show_paper import show_scaling

    counts = numbers_given("scale", "--arms", arms, int)
    chosen = names_given("scale", "--families", families)
    wanted = names_given("scale", "--policies", policies)
    records = measure(chosen, counts, wanted, horizon, repeats, live)
    if json:
        show_json([each.data() for each in records])
    else:
        show_scaling(records)
