"""Play the training sets: python benchmarks/atlas_training.py FOLDER [DEVICE] [FAMILIES]."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from rbmle.atlas.efforts import TRAINING, atlas_runs
from rbmle.atlas.play import play

if __name__ == "__main__":
    folder, device = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "cpu"
    runs = atlas_runs("training", sys.argv[3].split(",") if len(sys.argv) > 3 else [], TRAINING)
    began, done = time.time(), threading.Event()

    def say(line: str) -> None:
        print(f"{time.time() - began:.0f} s {line}", flush=True)

    def watch() -> None:
        while not done.wait(10.0):
            say(f"{sum(1 for _ in folder.glob('*.npz'))} of {len(runs)} runs are stored")

    threading.Thread(target=watch, daemon=True).start()
    play(runs, folder, device, tell=say)
    done.set()
