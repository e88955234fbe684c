"""Seeds that derive from (build seed, row, stage) by a stable hash, so that order and workers never matter."""

import hashlib
from random import Random


def derive_seed(*parts: str | int) -> int:
    """A 64-bit seed from the parts; the same parts give the same seed on every machine and Python."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def derived_random(*parts: str | int) -> Random:
    """A generator of its own for one stage of one row."""
    return Random(derive_seed(*parts))


def share(*parts: str | int) -> float:
    """A stable number in [0, 1) for what must not depend on any build seed (splits, for one)."""
    return derive_seed(*parts) / 2**64
