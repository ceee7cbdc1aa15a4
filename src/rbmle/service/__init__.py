"""Decisions as a service: `rbmle serve` answers over HTTP which arm to play, from a log on disk."""
