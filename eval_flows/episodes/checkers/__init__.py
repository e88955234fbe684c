"""Checkers: getters read files and state, and metrics compare the result with what is expected; both run outside the machine."""
