"""Load on `rbmle serve`: decisions and rewards a second, and how long each took.

    python benchmarks/service_load.py --workers 2 --connections 32 --arms 10 --seconds 10

It starts a service on an empty database and asks from many connections at once. Each connection
asks for a decision, then tells its reward, and so on; a request is sent when the answer to the one
before has come. What is counted is what the client was told. It then verifies the log.

    python benchmarks/service_load.py --compare 3

compares, in three rounds, with the same server without its database and with a bare `Decider`.

    python benchmarks/service_load.py --database postgresql://... --policy ts --clients 4 \\
        --consistency snapshot --servers 2 --workers 4 --connections 256

starts two servers of four workers each on one database, and asks each from 256 connections, all in
four processes. Here PostgreSQL's processor time is that of all its processes on this machine. A
worker that the processor alone limits keeps about one of them busy. With `--pin 4` each server has
four processors of its own, and the clients have the second half of the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

_HEAD = "HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "


def request(method: str, path: str, body: bytes) -> bytes:
    return f"{method} {path} {_HEAD}{len(body)}\r\n\r\n".encode() + body


class Connection:
    """One connection: it asks and tells in turn."""

    def __init__(self, port: int, experiment: str, id: str, context: bytes = b"") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.path = f"/v1/experiments/{experiment}/decisions"
        self.id, self.count, self.context = id, 0, context
        self.deciding, self.since = True, 0.0
        self.read = b""

    def ask(self) -> None:
        self.deciding = True
        self.count += 1
        fields = [b'"id": "%b-%d"' % (self.id.encode(), self.count)] if self.id else []
        fields += [b'"context": ' + self.context] if self.context else []
        body = b"{%b}" % b", ".join(fields)
        self.send(request("POST", self.path, body))

    def send(self, data: bytes) -> None:
        self.since = time.perf_counter()
        self.socket.sendall(data)

    def receive(self) -> float | None:
        """Read the answer, send the next request, and return the seconds that it took; None if the
        answer is not complete yet."""
        self.read += self.socket.recv(65536)
        head, _, body = self.read.partition(b"\r\n\r\n")
        if not body.endswith(b"}"):
            return None
        took = time.perf_counter() - self.since
        data, self.read = self.read, b""
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"The service answered {data!r}")
        if self.deciding:
            self.deciding = False
            id = body[body.index(b'"id":"') + 6 :]
            id = id[: id.index(b'"')]
            value = b'{"value": %d}' % (self.count * 7 % 10 < 4)
            self.send(request("PUT", f"/v1/decisions/{id.decode()}/reward", value))
        else:
            self.ask()
        return took


def load(given: argparse.Namespace, seconds: float, client: int) -> tuple[int, list[float], float]:
    """Ask for so many seconds as one of the clients: how many decisions, how long each request
    took, and the processor time of this client."""
    begun = time.process_time()
    everyone = [
        Connection(port, given.name, f"{client}-{k}-{time.time_ns():x}" * given.ids, given.context)
        for port in given.ports
        for k in range(client, given.connections, given.clients)
    ]
    ready = selectors.DefaultSelector()
    for each in everyone:
        ready.register(each.socket, selectors.EVENT_READ, each)
        each.ask()
    took: list[float] = []
    decisions, wait = 0, 0.0 if given.poll else 1.0
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for key, _ in ready.select(wait):
            deciding, lasted = key.data.deciding, key.data.receive()
            if lasted is not None:
                decisions += deciding
                took.append(lasted)
    for each in everyone:
        each.socket.close()
    return decisions, took, time.process_time() - begun


def loads(given: argparse.Namespace, seconds: float) -> dict[str, Any]:
    """Ask from all clients at once; rates and latencies."""
    one = partial(load, given, seconds)
    if given.clients > 1:
        with ProcessPoolExecutor(given.clients) as pool:
            list(pool.map(abs, range(given.clients)))  # all have started
            found = list(pool.map(one, range(given.clients)))
    else:
        found = [one(0)]
    decisions, took = sum(each[0] for each in found), np.concatenate([each[1] for each in found])
    low, high, top = np.quantile(took, [0.5, 0.99, 1.0]) * 1000.0
    return {
        "decisions a second": round(decisions / seconds),
        "rewards a second": round((took.size - decisions) / seconds),
        "median ms": round(low, 2),
        "p99 ms": round(high, 2),
        "largest ms": round(top, 2),
        "client's CPU us a request": round(sum(each[2] for each in found) / took.size * 1e6, 1),
    }


def cpu(pids: list[int], name: str = "") -> float:
    """The seconds of CPU that processes and their children have used, or all of this name have."""
    total = 0.0
    for each in os.listdir("/proc"):
        if each.isdigit():
            try:
                with open(f"/proc/{each}/stat") as file:
                    before, _, after = file.read().rpartition(")")
            except OSError:
                continue
            fields, program = after.split(), before.partition("(")[2]
            if int(each) in pids or int(fields[1]) in pids or program == name:
                total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--servers", type=int, default=1)
    options.add_argument("--workers", type=int, default=2, help="of each server")
    options.add_argument("--connections", type=int, default=32, help="to each server")
    options.add_argument("--clients", type=int, default=1, help="processes that ask")
    options.add_argument("--pin", type=int, default=0, metavar="N", help="processors, see above")
    options.add_argument("--consistency", default="serial", help="or snapshot")
    options.add_argument("--arms", type=int, default=10)
    options.add_argument("--policy", default="rbmle")
    options.add_argument("--evidence", help="for instance discounted(gamma=0.99)")
    options.add_argument("--features", type=int, metavar="D", help="Linear(D), and contexts")
    options.add_argument("--seconds", type=float, default=10.0)
    options.add_argument("--ids", action="store_true", help="the client names its decisions")
    options.add_argument("--poll", action="store_true", help="never let a processor be idle")
    options.add_argument("--database", help="by default an SQLite file in a temporary folder")
    options.add_argument("--compare", type=int, metavar="ROUNDS", help="see above")
    given = options.parse_args()
    half = (os.cpu_count() or 1) // 2
    if given.pin * given.servers > half:
        options.error(f"--pin must be at most {half // given.servers} here, got {given.pin}")
    if given.pin:
        os.sched_setaffinity(0, range(half, 2 * half))
    if given.compare:
        compare(given)
        return
    for name, value in measure(given).items():
        print(f"{name:32}{value:>10}")


def measure(given: argparse.Namespace, *more: str, verify: bool = True) -> dict[str, Any]:
    """Start servers, load them, and verify what they stored. more: further options of `serve`."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        database = given.database or f"sqlite:///{folder}/load.db"
        given.ports, given.name = [], f"load-{time.time_ns():x}"
        given.context, body = _definition(given)
        with started(given, "--database", database, *more) as pids:
            for port in given.ports:
                _create(port, given.name, json.dumps(body).encode())
            loads(given, min(2.0, given.seconds))  # to warm up
            before = cpu(pids), cpu([], "postgres")
            found = loads(given, given.seconds)
            after = cpu(pids), cpu([], "postgres")
        asked = (found["decisions a second"] + found["rewards a second"]) * given.seconds
        for who, old, new in zip(("servers'", "PostgreSQL's"), before, after, strict=True):
            found[f"{who} CPU us a request"] = round((new - old) / asked * 1e6, 1)
            found[f"{who} processors busy"] = round((new - old) / given.seconds, 2)
        if verify:
            command = [sys.executable, "-m", "rbmle", "service", "verify", "--database", database]
            told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            print(told.stdout, end="")
        return found


@contextmanager
def started(given: argparse.Namespace, *options: str) -> Iterator[list[int]]:
    """Servers, each at a port of its own; the numbers of their processes."""
    servers: list[subprocess.Popen[bytes]] = []
    try:
        for number in range(given.servers):
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                given.ports.append(probe.getsockname()[1])
            place = ["--port", str(given.ports[-1]), "--workers", str(given.workers)]
            command = [sys.executable, "-m", "rbmle", "serve", *place, *options]
            servers.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
            if given.pin:
                own = range(number * given.pin, (number + 1) * given.pin)
                os.sched_setaffinity(servers[-1].pid, own)
        yield [each.pid for each in servers]
    finally:
        for each in servers:
            each.send_signal(signal.SIGTERM)
            each.wait()


def _definition(given: argparse.Namespace) -> tuple[bytes, dict[str, Any]]:
    """The context of each decision, and the body that creates the experiment."""
    body: dict[str, Any] = {
        "arms": [f"arm-{n}" for n in range(given.arms)],
        "policy": given.policy, "family": "bernoulli", "seed": 1,
        "consistency": given.consistency,
    }  # fmt: skip
    context = b""
    if given.evidence:
        body["evidence"] = given.evidence
    if given.features:
        linear = {"name": "Linear", "dimension": given.features}
        body |= {"family": "gaussian", "evidence": linear}
        drawn = np.random.default_rng(1).normal(size=(given.arms, given.features)).round(4)
        context = json.dumps(dict(zip(body["arms"], drawn.tolist(), strict=True))).encode()
    return context, body


def compare(given: argparse.Namespace) -> None:
    """Rates with the database, without it, and of a bare `Decider`; of each the best round."""
    here = os.path.dirname(os.path.abspath(__file__))
    os.environ["PYTHONPATH"] = os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])
    rates: dict[str, list[float]] = {"served": [], "without database": [], "Decider": []}
    for _ in range(given.compare):
        rates["served"].append(measure(given)["decisions a second"])
        bare = argparse.Namespace(**{**vars(given), "database": None})
        found = measure(bare, "--import", "without_database", verify=False)
        rates["without database"].append(found["decisions a second"])
        rates["Decider"].append(decider(given.arms, given.policy))
    best = max(rates["served"])
    for name, found in rates.items():
        print(f"{name:20}{max(found):>12,.0f} decisions a second, ratio {best / max(found):.3f}")


def decider(arms: int, policy: str, seconds: float = 1.0) -> float:
    """Decisions a second of a `Decider` alone, each with its reward."""
    from rbmle import Decider

    made = Decider(range(arms), policy, "bernoulli", seed=1)
    made.update(made.pull(), 1.0)
    count, begin = 0, time.perf_counter()
    while time.perf_counter() < begin + seconds:
        for _ in range(100):
            count += 1
            made.update(made.pull(), float(count * 7 % 10 < 4))
    return count / (time.perf_counter() - begin)


def _create(port: int, name: str, body: bytes) -> None:
    deadline = time.monotonic() + 60.0
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=60.0) as one:
                one.sendall(request("PUT", f"/v1/experiments/{name}", body))
                told = b""
                while not told.endswith(b"}"):
                    told += one.recv(65536)
                made = told.startswith((b"HTTP/1.1 201", b"HTTP/1.1 200"))
                if made and b'"compiling":{' not in told:
                    return
                if told.startswith(b"HTTP/1.1 4"):
                    raise SystemExit(f"The service answered {told!r}")
        except OSError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.1)


if __name__ == "__main__":
    main()
