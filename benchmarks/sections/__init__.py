"""The sections of `python -m benchmarks`: speed and memory as ratios to references."""
