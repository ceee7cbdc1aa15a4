"""Decisions now: a policy at work on named arms, and its state as a file."""

from .decider import Decider

__all__ = ["Decider"]
