"""Proofs: for each task of a suite, doing nothing earns nothing, the oracle earns everything, and an incomplete or careless oracle earns less."""
