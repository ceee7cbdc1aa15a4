"""The only room that knows Numba: compiled code for processors and GPUs, and its files."""
