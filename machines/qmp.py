"""A client of QEMU's machine protocol (QMP): JSON lines over a socket that QEMU inherits, one command at a time."""

import json
import socket
from types import TracebackType
from typing import Any, Self

from machines.errors import MachineError

Json = dict[str, Any]
_SECONDS = 60.0  # for the answer to a command


class Qmp:
    """Talks to one QEMU."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._socket.settimeout(_SECONDS)
        self._lines = connected.makefile("rb")

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._lines.close()
        self._socket.close()

    def begin(self) -> None:
        """Wait for QEMU's greeting and begin to talk."""
        self._next()
        self.call("qmp_capabilities")

    def call(self, command: str, /, descriptor: int | None = None, **arguments: Any) -> Any:
        """Send a command, with an open file if it takes one, and return its result; `MachineError` if QEMU refuses, hangs or has ended."""
        line = json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n"
        try:
            if descriptor is None:
                self._socket.sendall(line)
            else:
                socket.send_fds(self._socket, [line], [descriptor])
        except OSError as error:
            raise MachineError(f"QEMU does not take the command {command}: {error}") from error
        while True:
            answer = self._next()
            if "return" in answer:
                return answer["return"]
            if "error" in answer:
                raise MachineError(f"QEMU refused {command}: {answer['error'].get('desc', answer['error'])}")

    def _next(self) -> Json:
        """Return the next line: an answer or an event."""
        try:
            line = self._lines.readline()
        except OSError as error:
            raise MachineError(f"QEMU does not answer: {error}") from error
        if not line:
            raise MachineError("QEMU has ended")
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise MachineError(f"QEMU answered {line[:200]!r}, which is no JSON object")
        return answer
