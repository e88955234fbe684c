"""The client of a machine that is slower than its host: whatever waits for the machine waits in the machine's time."""

import httpx

from machines.client import GuestClient, Json

_OPENED_QUIET, _OPENED_WITHIN = 0.3, 30.0  # seconds of a fast machine: a program that was launched has come up when nothing works any more
_ANSWER = 30.0  # seconds of a fast machine for an answer


class PatientClient(GuestClient):
    """A guest client whose limits are `slowness` times as long.

    `launch` returns when the program has done its first work: who looks for its window all the time would slow it down further.
    """

    def __init__(self, address: str, token: str, slowness: float) -> None:
        """Take the address, such as `http://127.0.0.1:8000`, and the token."""
        way = httpx.HTTPTransport(verify=False)  # reading the host's certificates takes 0.1 s, and none is used
        headers = {"Authorization": f"Bearer {token}"}
        super().__init__(httpx.Client(transport=way, base_url=address, headers=headers, timeout=_ANSWER * slowness))
        self._slowness = slowness

    def settle(self, quiet: float = 0.1, limit: float = 3.0) -> bool:
        """Wait as the other clients do, with a longer limit."""
        return super().settle(quiet, limit * self._slowness)

    def launch(self, command: list[str] | str, shell: bool = False) -> None:
        """Start a command, leave it running, and wait until nothing works any more."""
        super().launch(command, shell)
        self.settle(_OPENED_QUIET, _OPENED_WITHIN)

    def _post(self, path: str, body: Json, once: bool = False, timeout: float = _ANSWER) -> httpx.Response:
        return super()._post(path, body, once, timeout * self._slowness)
