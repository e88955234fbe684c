"""Protects that workers are told an address of this host at which they reach it."""

import pytest

from runners.errors import RunnerError
from runners.own_address import own_address


@pytest.mark.parametrize("toward", [None, "tcp://127.0.0.1:8786", "ray://127.0.0.1:10001", "127.0.0.1:6379"])
def test_on_one_host_it_is_the_one_that_only_this_host_has(toward: str | None) -> None:
    assert own_address(toward) == "127.0.0.1"


@pytest.mark.parametrize("toward", ["tcp://127.0.0.1", "auto"])
def test_an_address_that_names_no_port_says_what_to_do(toward: str) -> None:
    with pytest.raises(RunnerError, match="correct the address"):
        own_address(toward)
