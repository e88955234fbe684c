"""Protects what is done once: no work is done twice under a name, and what is kept of it is bounded."""

import pytest

from machines.guest.once import _KEPT, _KEPT_BYTES, Once


def test_what_is_kept_is_bounded_in_number_and_in_bytes_but_for_the_last() -> None:
    once, asked = Once[bytes](len), list[str]()

    def got(name: str, size: int) -> bytes | None:
        def work() -> bytes:
            asked.append(name)
            return b"x" * size

        return once.do(name, work)

    for number in range(_KEPT + 1):
        got(str(number), 1)
    assert got("1", 1) == b"x" and asked.count("1") == 1, "one of the last thousand"
    assert got("0", 1) == b"x" and asked.count("0") == 2, "it was too long ago"
    got("large", _KEPT_BYTES + 1)
    got("large", 1)
    assert asked.count("large") == 1, "the last one is kept, however large it is"
    got("small", 1)
    got("large", 1)
    assert asked.count("large") == 2, "no longer the last one"
    assert sum(len(one or b"") for one in once._done.values()) <= _KEPT_BYTES


def test_a_name_whose_work_fails_is_free_again() -> None:
    once = Once[bytes](len)
    with pytest.raises(ZeroDivisionError):
        once.do("one", lambda: bytes(1 // 0))
    assert once.do("one", lambda: b"x") == b"x"
