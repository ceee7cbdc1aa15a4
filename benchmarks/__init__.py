"""Measurements of this package, run from a clone: `python -m benchmarks --help`."""
