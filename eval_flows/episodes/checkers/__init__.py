"""Checkers: getters of files and state, and metrics that hold what was got against what is expected; both outside the machine."""
