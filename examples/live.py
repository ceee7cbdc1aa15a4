"""Live decisions: three versions of a page, and a reward of 1 for a visitor who signs up.

    python examples/live.py

The decider is saved half-way and loaded again; it continues as if it had never stopped.
"""

import pathlib
import random
import tempfile

import rbmle

SIGN_UP = {"plain": 0.04, "picture": 0.05, "video": 0.11}  # the decider does not know these


def serve(decider: rbmle.Decider[str], visitors: int, world: random.Random) -> None:
    for _ in range(visitors):
        page = decider.pull()
        decider.update(page, 1.0 if world.random() < SIGN_UP[page] else 0.0)


def main() -> None:
    world = random.Random(1)
    decider = rbmle.Decider(SIGN_UP, rbmle.RBMLE(), rbmle.Bernoulli(), seed=1)
    serve(decider, 1000, world)

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "pages.json"
        decider.save(path)  # replaces the file atomically
        decider = rbmle.Decider.load(path)
    serve(decider, 1000, world)
    print(decider)

    print("\nFive visitors at once:", decider.pull(5))
    print("waiting for:", decider.pending)
    decider.update("video", 1.0)  # rewards may come late and in any order
    decider.disable("plain")
    print("indices:", {page: round(index, 3) for page, index in decider.indices().items()})


if __name__ == "__main__":
    main()
