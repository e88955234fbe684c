"""Argument generators: named sources of realistic values, computed here or drawn from the pools (paper, section 6.1)."""

from atomic_tasks.arguments.registry import Generator, computed_generators

__all__ = ["Generator", "computed_generators"]
