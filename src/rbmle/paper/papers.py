"""Published tables of other papers, recomputed: each paper is a file of data beside this one, by
whose name it is known.

A table has a family, policies by the table's names, and problems: some with their means, each of
which is played `replications` times, or means drawn at random, with regret at several horizons. Of
each number that is printed the mean of ours is compared with it, in standard errors of the
difference; where a standard deviation is printed, it is that of the printed mean, else it is ours.
"""

from __future__ import annotations

import functools
import json
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from importlib import resources
from math import sqrt
from pathlib import Path
from typing import NamedTuple, NotRequired, TypedDict

import numpy as np

from .._io.files import write_atomically
from ..engine import simulate
from ..errors import ParameterError, integer, one_of
from ..policies.fit import as_family
from ..random import STREAM
from ..rewards.problems import Problem
from ..rewards.sources import RewardStream
from ..spec import from_spec
from .reproduction import Compared, ComparedRow, equal_in_print

FOLDER = resources.files("rbmle.paper")
_NOT_A_PAPER = "published_tables"  # those of RBMLE's own, which have another form
_SEED = 1
_QUICK = 25  # replications are divided by this for a first look


class Drawn(TypedDict):
    """Means drawn at random: how many problems, of how many arms, and by which distribution of
    NumPy's generators, as "uniform", with its parameters if they are not the default ones."""

    problems: int
    arms: int
    rule: str
    parameters: NotRequired[list[float]]


class Fixed(TypedDict, total=False):
    """A problem: its means, and its law, if that is not the family."""

    means: list[float]
    law: str


class Printed(TypedDict, total=False):
    """A table. printed: by problem, or by horizon, and policy: the mean, and the standard deviation
    if it is known. coins: policies that see a coin of each reward's probability in its place."""

    title: str
    family: str
    replications: int
    policies: dict[str, str]
    problems: dict[str, Fixed]
    random: Drawn
    coins: list[str]
    printed: dict[str, dict[str, list[float]]]


class Paper(TypedDict):
    """A paper: where it is from, its horizon, and its tables by their numbers.

    slow: policies whose rounds take long, and by which factor they have fewer replications; they
    are left out of a first look."""

    title: str
    source: str
    horizon: int
    slow: NotRequired[dict[str, int]]
    tables: dict[str, Printed]


class Found(NamedTuple):
    """What was found for a policy on a problem, or at a horizon."""

    mean: float
    std: float
    runs: int


def papers() -> list[str]:
    """The names of the papers: of the files of data."""
    names = (Path(each.name) for each in FOLDER.iterdir())
    return sorted(x.stem for x in names if x.suffix == ".json" and x.stem != _NOT_A_PAPER)


def paper_named(name: str) -> Paper:
    """A paper's tables as data.

    >>> paper_named("sda")["tables"]["1"]["printed"]["2"]["RB"]
    [22.0, 34.5]
    """
    file = FOLDER.joinpath(f"{one_of('reproduce', 'paper', name, papers())}.json")
    loaded: Paper = json.loads(file.read_text("utf-8"))
    return loaded


def reproduce_paper(
    name: str,
    tables: Sequence[str] = (),
    folder: str | os.PathLike[str] | None = None,
    policies: Sequence[str] = (),
    replications: int | None = None,
    threads: int | None = None,
    show: Callable[[str, list[str], list[ComparedRow]], None] | None = None,
    quick: bool = False,
) -> list[ComparedRow]:
    """Recompute tables of another paper and compare each mean with print.

    tables, policies: by the paper's numbers and names; all by default.
    folder: where each policy's numbers on a problem are kept, so that a later call goes on.
    replications: of each problem; by default as many as the paper has, fewer of policies that its
    data call slow. quick: without these, and one in 25 of the others.
    show: called with the title, the names of the columns and the rows of each table.
    """
    paper = paper_named(name)
    slow = paper.get("slow", {})
    target = Path(folder or f"rbmle-{name}")
    if replications is not None:
        replications = integer("reproduce", "replications", replications, "[2, inf)")
    chosen = [one_of("reproduce", "tables", each, paper["tables"]) for each in tables]
    known = dict.fromkeys(each for table in paper["tables"].values() for each in table["policies"])
    for each in policies:
        one_of("reproduce", "policies", each, known)
    found = []
    for number in dict.fromkeys(chosen or paper["tables"]):
        table, rows = paper["tables"][number], []
        for label in table["policies"]:
            if label in policies or not (policies or (quick and label in slow)):
                cells = dict(_measured(paper, number, label, target, replications, threads, quick))
                row = [_compared(key, each, table, label) for key, each in cells.items()]
                rows.append(ComparedRow(f"Table {number}", label, tuple(row)))
        if show is not None and rows:
            title = f"Table {number}, {table['title']}: mean regret beside print"
            show(title, list(table["printed"]), rows)
        found += rows
    if not found:
        raise ParameterError("reproduce", "policies", "some of these tables'", list(policies))
    return found


def _measured(
    paper: Paper, number: str, label: str, folder: Path, replications: int | None,
    threads: int | None, quick: bool,
) -> Iterator[tuple[str, Found]]:  # fmt: skip
    """Play a policy of a table, or read what the folder has of it: what was found, by column."""
    table = paper["tables"][number]
    family = as_family(table["family"])
    policy = from_spec(table["policies"][label])
    if "memory" in policy._fields:
        policy = policy.replace(memory=paper["horizon"])
    fewer = _QUICK if quick else paper.get("slow", {}).get(label, 1)
    for key, problems, horizons in _problems(paper, table, label):
        each = replications or max(len(problems) * table["replications"] // fewer, 2)
        problems = problems[:each]  # drawn at random: each of them is played once
        count = each // len(problems)
        means = [problem.means.tolist() for problem in problems]
        game = [*map(str, (policy, family, problems[0].law)), means, horizons, count, _SEED, STREAM]
        digest = zlib.crc32(json.dumps(game).encode())
        place = folder / f"table-{number}-{key}-{label}-{digest:08x}.json"
        if not place.exists():
            results = [
                simulate(
                    problem, [policy], paper["horizon"], count, RewardStream(_SEED), family=family,
                    checkpoints=horizons, first_replication=k * count, threads=threads,
                    progress=False,
                )
                for k, problem in enumerate(problems)
            ]  # fmt: skip
            regret = np.concatenate([result.regret[0] for result in results])
            statistics = [[float(x.mean()), float(x.std(ddof=1)), len(x)] for x in regret.T]
            place.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(place, json.dumps(statistics).encode())
        stored = json.loads(place.read_text())
        columns = [key] if len(horizons) == 1 else [str(each) for each in horizons]
        for column, numbers in zip(columns, stored, strict=True):
            yield column, Found(*numbers)


def _problems(
    paper: Paper, table: Printed, label: str
) -> Iterator[tuple[str, list[Problem], list[int]]]:
    """The problems of each column, and the rounds after which regret is reported."""
    if "random" in table:
        problems = _drawn(table["family"], json.dumps(table["random"]))
        yield "random", problems, [int(each) for each in table["printed"]]
        return
    for key, each in table["problems"].items():
        law = table["family"] if label in table.get("coins", []) else each.get("law")
        yield key, [Problem(law or table["family"], each["means"])], [paper["horizon"]]


@functools.lru_cache(1)
def _drawn(family: str, random: str) -> list[Problem]:
    """The random problems of a table, which all its policies play; `random` is JSON."""
    drawn: Drawn = json.loads(random)
    parameters, found = drawn.get("parameters", []), []
    for k in range(drawn["problems"]):
        rule = getattr(np.random.default_rng([_SEED, k]), drawn["rule"])
        found.append(Problem(family, rule(*parameters, size=drawn["arms"])))
    return found


def _compared(column: str, found: Found, table: Printed, label: str) -> Compared:
    """A mean beside the printed one, which was rounded to the digits that are shown."""
    printed, *spread = table["printed"][column][label]
    runs = table["random"]["problems"] if "random" in table else table["replications"]
    theirs = (spread or [found.std])[0]
    ours = max(theirs, found.std)  # of few runs, a standard deviation may be far too small
    unit = 10.0 ** -len(repr(printed).partition(".")[2])  # of the last digit
    error = sqrt(ours**2 / found.runs + theirs**2 / runs + unit**2 / 12.0)
    z = (found.mean - printed) / error
    same = equal_in_print(found.mean, repr(printed))
    verdict = "equal" if same else "agrees" if abs(z) <= 3.0 else "differs"
    return Compared(column, printed, found.mean, verdict, z)
