"""Load on `rbmle serve`: decisions and rewards a second, and how long each took.

    python benchmarks/service_load.py --workers 2 --connections 32 --arms 10 --seconds 10

It starts a service on an empty database and asks from many connections at once. Each connection
asks for a decision, then tells its reward, and so on; a request is sent when the answer to the one
before has come. What is counted is what the client was told. It then verifies the log.

    python benchmarks/service_load.py --compare 3

compares, in three rounds, with the same server without its database and with a bare `Decider`.
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
from typing import Any

import numpy as np

_HEAD = "HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "


def request(method: str, path: str, body: bytes) -> bytes:
    return f"{method} {path} {_HEAD}{len(body)}\r\n\r\n".encode() + body


class Connection:
    """One connection: it asks and tells in turn."""

    def __init__(self, port: int, number: int, ids: bool, context: bytes = b"") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.number, self.count, self.ids, self.context = number, 0, ids, context
        self.deciding, self.since = True, 0.0
        self.read = b""

    def ask(self) -> None:
        self.deciding = True
        self.count += 1
        fields = [b'"id": "c%d-%d"' % (self.number, self.count)] if self.ids else []
        fields += [b'"context": ' + self.context] if self.context else []
        body = b"{%b}" % b", ".join(fields)
        self.send(request("POST", "/v1/experiments/load/decisions", body))

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


def load(
    port: int, connections: int, seconds: float, ids: bool, wait: float = 1.0, context: bytes = b""
) -> dict[str, Any]:
    """Ask for so many seconds and return rates and latencies. wait: 0.0 to poll without pause."""
    everyone = [Connection(port, number, ids, context) for number in range(connections)]
    ready = selectors.DefaultSelector()
    for each in everyone:
        ready.register(each.socket, selectors.EVENT_READ, each)
        each.ask()
    took: list[float] = []
    decisions = rewards = 0
    begin = time.perf_counter()
    end = begin + seconds
    while time.perf_counter() < end:
        for key, _ in ready.select(wait):
            deciding, lasted = key.data.deciding, key.data.receive()
            if lasted is not None:
                decisions += deciding
                rewards += not deciding
                took.append(lasted)
    lasted = time.perf_counter() - begin
    for each in everyone:
        each.socket.close()
    low, high, top = np.quantile(took, [0.5, 0.99, 1.0]) * 1000.0
    return {
        "decisions a second": round(decisions / lasted),
        "rewards a second": round(rewards / lasted),
        "median ms": round(low, 2),
        "p99 ms": round(high, 2),
        "largest ms": round(top, 2),
        "client's CPU us a request": round(time.process_time() / len(took) * 1e6, 1),
    }


def cpu(pid: int) -> float:
    """The seconds of CPU that a process and its children have used."""
    total = 0.0
    for each in os.listdir("/proc"):
        if each.isdigit():
            try:
                with open(f"/proc/{each}/stat") as file:
                    fields = file.read().rpartition(")")[2].split()
            except OSError:
                continue
            if int(each) == pid or int(fields[1]) == pid:
                total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--connections", type=int, default=32)
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
    if given.compare:
        compare(given)
        return
    for name, value in measure(given).items():
        print(f"{name:28}{value:>10}")


def measure(given: argparse.Namespace, *more: str, verify: bool = True) -> dict[str, Any]:
    """Start a service, load it, and verify what it stored. more: further options of `serve`."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        database = given.database or f"sqlite:///{folder}/load.db"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        place = ["--database", database]
        serve = ["serve", "--port", str(port), "--workers", str(given.workers), *place, *more]
        rbmle = [sys.executable, "-m", "rbmle"]
        service = subprocess.Popen([*rbmle, *serve], stdout=subprocess.DEVNULL)
        try:
            body: dict[str, Any] = {
                "arms": [f"arm-{n}" for n in range(given.arms)],
                "policy": given.policy, "family": "bernoulli", "seed": 1,
            }  # fmt: skip
            context = b""
            if given.evidence:
                body["evidence"] = given.evidence
            if given.features:
                linear = {"name": "Linear", "dimension": given.features}
                body |= {"family": "gaussian", "evidence": linear}
                drawn = np.random.default_rng(1).normal(size=(given.arms, given.features)).round(4)
                context = json.dumps(dict(zip(body["arms"], drawn.tolist(), strict=True))).encode()
            _create(port, json.dumps(body).encode())
            asked = given.connections, min(2.0, given.seconds), given.ids
            load(port, *asked, context=context)  # to warm up
            before = cpu(service.pid)
            wait = 0.0 if given.poll else 1.0
            found = load(port, given.connections, given.seconds, given.ids, wait, context)
            used = cpu(service.pid) - before
            found["server's CPU us a request"] = round(
                used / given.seconds * 1e6
                / (found["decisions a second"] + found["rewards a second"]), 1,
            )  # fmt: skip
        finally:
            service.send_signal(signal.SIGTERM)
            service.wait()
        if verify:
            told = subprocess.run(
                [*rbmle, "service", "verify", *place], check=True, stdout=subprocess.PIPE, text=True
            )
            print(told.stdout, end="")
        return found


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


def _create(port: int, body: bytes) -> None:
    deadline = time.monotonic() + 60.0
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=60.0) as one:
                one.sendall(request("PUT", "/v1/experiments/load", body))
                told = b""
                while not told.endswith(b"}"):
                    told += one.recv(65536)
                made = told.startswith((b"HTTP/1.1 201", b"HTTP/1.1 200"))
                if made and b'"compiling":{' not in told:
                    return
        except OSError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.1)


if __name__ == "__main__":
    main()
