"""The address of this host, as other hosts see it."""

import socket

from runners.errors import RunnerError


def own_address(toward: str | None) -> str:
    """Return the address that this host has toward a scheduler (`tcp://host:port`, `ray://host:port`, `host:port`); 127.0.0.1 without one."""
    if toward is None:
        return "127.0.0.1"
    host, _, port = toward.rpartition("//")[2].rpartition(":")
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:  # connecting it sends nothing: it only chooses the way
            probe.connect((host, int(port)))
            return str(probe.getsockname()[0])
    except (OSError, ValueError) as error:
        raise RunnerError(f"there is no way from this host to {toward} ({error}): correct the address") from error
