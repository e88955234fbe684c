"""Protects the bytes of a cluster: a worker with other code of Deskmill carries out nothing and says so."""

import tomllib

import pytest

from runners import same_code
from runners.errors import RunnerError
from runners.same_code import ROOMS, WithCode, own_code
from tests.conftest import REPOSITORY


def test_a_worker_with_other_code_is_refused_before_it_does_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []
    asked = WithCode(done.append)
    asked(1)
    other = own_code() | {"Deskmill": "0.0.9", "a hash of its code": "0123"}
    monkeypatch.setattr(same_code, "own_code", lambda: other)
    with pytest.raises(RunnerError, match=r"other code of Deskmill .*Deskmill: 0\.0\.9 there, .* here; a hash of its code: 0123 there"):
        asked(2)
    assert done == [1]


def test_the_hash_covers_every_room_that_makes_something(monkeypatch: pytest.MonkeyPatch) -> None:
    told = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["importlinter"]["root_packages"]
    assert set(ROOMS) == set(told) - {"reports", "command_line"}
    monkeypatch.setattr(same_code, "ROOMS", ROOMS[1:])
    assert own_code.__wrapped__() != own_code()
