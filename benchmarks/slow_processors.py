"""Two servers against one on a machine with few processors, as if it had many slow ones.

    python benchmarks/slow_processors.py --database postgresql://...

needs root, Linux with cgroups v1, and a PostgreSQL on this machine. One server of two workers and
two servers of two workers are asked at the same time, each kind with a database of its own. Each
worker, and each process of PostgreSQL that works for one, gets at most a share of a processor, as
if it had a slow one to itself. That holds while the workers reach their limit and PostgreSQL does
not, and while all together use less than there is: it prints that too. A process below its limit
works at full speed. What processors do to each other on a large machine is not simulated.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

import psycopg
from service_load import _create, _definition, cpu, loads, started

_GROUPS = Path("/sys/fs/cgroup/cpu")


@contextmanager
def limited(pid: int, share: float) -> Iterator[Path]:
    """Let a process have so much of a processor, before others; the folder with its figures."""
    place = _GROUPS / f"slow-{pid}"
    place.mkdir()
    try:
        (place / "cpu.cfs_period_us").write_text(str(round(1000 / share)))
        (place / "cpu.cfs_quota_us").write_text("1000")  # the least that Linux allows
        (place / "cpu.shares").write_text("10240")
        (place / "cgroup.procs").write_text(str(pid))
        yield place
    finally:
        for each in (place / "cgroup.procs").read_text().split():
            (_GROUPS / "cgroup.procs").write_text(each)
        place.rmdir()


def stopped(places: list[Path]) -> float:
    """In which part of the periods in which they ran these processes were stopped."""
    told = [(each / "cpu.stat").read_text().split() for each in places]
    return sum(int(each[3]) for each in told) / sum(int(each[1]) for each in told)


def kind(servers: int, given: argparse.Namespace, stack: ExitStack) -> argparse.Namespace:
    """So many servers, at work until the stack ends, and how they are asked."""
    made = argparse.Namespace(
        **vars(given), servers=servers, workers=2, connections=64, clients=3, arms=10, policy="ts",
        evidence=None, features=None, ids=False, poll=False, ports=[], name="load",
    )  # fmt: skip
    made.context, body = _definition(made)
    base = stack.enter_context(psycopg.connect(given.database, autocommit=True))
    own = f"slow_{base.info.backend_pid}"
    base.execute(f"CREATE DATABASE {own}".encode())
    stack.callback(base.execute, f"DROP DATABASE {own} WITH (FORCE)".encode())
    address = urlsplit(given.database)._replace(path=f"/{own}").geturl()
    made.pids = stack.enter_context(started(made, "--database", address))
    for port in made.ports:
        _create(port, made.name, json.dumps(body).encode())
    loads(made, 3.0)  # to warm up
    told = [Path(f"/proc/{each}/task/{each}/children").read_text() for each in made.pids]
    pids = [int(each) for each in " ".join(told).split()]
    made.limited = [stack.enter_context(limited(each, given.share)) for each in pids]
    asked = "SELECT pid FROM pg_stat_activity WHERE application_name = 'rbmle' AND datname = %s"
    found = base.execute(asked, [own]).fetchall()
    made.backends = [stack.enter_context(limited(each, given.share)) for (each,) in found]
    return made


def turn(kind: argparse.Namespace) -> tuple[float, float]:
    """Decisions a second, and the servers' microseconds of CPU for each."""
    before, found = cpu(kind.pids), loads(kind, kind.seconds)
    rate = found["decisions a second"]
    return rate, (cpu(kind.pids) - before) / kind.seconds / rate * 1e6


def busy(kinds: list[argparse.Namespace]) -> float:
    """The seconds of CPU of all servers, of PostgreSQL, and of clients that have ended."""
    clients = resource.getrusage(resource.RUSAGE_CHILDREN)
    ours = cpu([pid for each in kinds for pid in each.pids], "postgres")
    return ours + clients.ru_utime + clients.ru_stime


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--database", required=True)
    options.add_argument("--share", type=float, default=0.2, help="of a processor, for a process")
    options.add_argument("--turns", type=int, default=3)
    options.add_argument("--seconds", type=float, default=10.0, help="of a turn")
    options.add_argument("--consistency", default="snapshot", help="or serial")
    given = options.parse_args()
    with ExitStack() as stack, ThreadPoolExecutor() as pool:
        kinds, ratios = [kind(servers, given, stack) for servers in (1, 2)], list[float]()
        before, began = busy(kinds), time.monotonic()
        for _ in range(given.turns):
            found = list(pool.map(turn, kinds))
            ratios.append(found[1][0] / found[0][0])
            told = [f"{rate:5} a second, {us:4.0f} us each" for rate, us in found]
            print(f"one: {told[0]}; two: {told[1]}; ratio {ratios[-1]:.2f}")
        used = (busy(kinds) - before) / (time.monotonic() - began)
        print(f"median ratio {median(ratios):.2f}; all used {used:.2f} processors")
        for name, each in zip(("one", "two"), kinds, strict=True):
            parts = stopped(each.limited), stopped(each.backends)
            print("{}: stopped workers {:.2f}, PostgreSQL {:.3f}".format(name, *parts))


if __name__ == "__main__":
    main()
