"""A shop asks the service which banner to show, and tells it who bought.

    python examples/shop.py                         starts a service of its own, for 300 customers
    rbmle serve                                     or, in one terminal, with the page open,
    python examples/shop.py http://127.0.0.1:8000 100000    and in another

Half of the customers who buy do so at once, the others later; some answers never come.
"""

import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import rbmle

BUYS = {"plain": 0.04, "discount": 0.09, "video": 0.06, "testimonial": 0.05}  # nobody knows these


@contextmanager
def own_service() -> Iterator[str]:
    """The address of a service that runs as long as the `with`."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "rbmle", "serve", "--port", "0"]
        command += ["--database", f"sqlite:///{folder}/shop.db"]
        service = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert service.stdout is not None
            yield next(word for word in service.stdout.readline().split() if "://" in word).strip(
                ","
            )
        finally:
            service.terminate()
            service.communicate()


def play(url: str, customers: int) -> None:
    world = random.Random(7)
    with rbmle.Client(url) as client:
        client.create("banner", BUYS, policy="ts", family="bernoulli", reward_wait_s=3600, seed=1)
        later: list[tuple[str, float]] = []
        for _ in range(customers):
            choice = client.decide("banner")
            bought = float(world.random() < BUYS[choice.arm])
            if bought and world.random() < 0.5:
                later.append((choice.id, bought))
            elif world.random() < 0.95:
                client.reward(choice.id, bought)
            if len(later) > 20:
                client.reward(*later.pop(world.randrange(len(later))))
        shown = client.experiment("banner")
    for arm in shown["arms"]:
        mean = "-" if arm["mean"] is None else f"{arm['mean']:.3f}"
        print(f"{arm['name']:12} {arm['share']:6.1%} of traffic, mean {mean}")
    print(f"{shown['decisions']} customers, {shown['paid']:g} sales, {shown['pending']} pending")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        play(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000)
    else:
        with own_service() as address:
            play(address, 300)
