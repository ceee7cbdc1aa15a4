"""The entry of `python -m benchmarks`."""

from rbmle.cli.main import main

from .sections.command import app

if __name__ == "__main__":
    main(application=app, name="python -m benchmarks")
