"""Live use: `Decider` plays a policy on named arms, and saves its state to a file."""

from .decider import Decider

__all__ = ["Decider"]
