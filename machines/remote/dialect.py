"""Which guest server a machine runs: ours, OSWorld's or Windows Agent Arena's."""

import httpx

from machines.client import as_json
from machines.errors import MachineError

_SYSTEMS = {"Linux": "linux", "Windows": "windows"}
_SECONDS = 10.0
_SHOWN = 200


def dialect_of(http: httpx.Client) -> str:
    """Return `deskmill`, `osworld` or `waa`; `MachineError` with what the machine said if it is none of them.

    OSWorld's server has no readiness probe. Windows Agent Arena's has one, and answers any unknown address with 500, so 404 tells them apart.
    """
    probe = _asked(http, "/probe")
    said = _json(probe)
    if probe.status_code == 200 and isinstance(said, dict) and "ready" in said:
        return "deskmill"
    if probe.status_code == 200 and isinstance(said, dict) and said.get("status") == "Probe successful":
        return "waa"
    if probe.status_code == 404 and _asked(http, "/platform").text.strip() in (*_SYSTEMS, "Darwin"):
        return "osworld"
    raise MachineError(f"no guest server that is known answers there: /probe gave {probe.status_code} {probe.text[:_SHOWN]!r}")


def refuses_token(http: httpx.Client) -> bool:
    """Tell whether the machine answers that the token is wrong."""
    return _asked(http, "/platform").status_code in (401, 403)


def platform_of(http: httpx.Client) -> str:
    """Return `linux` or `windows`, as every guest server says it; `MachineError` for another word."""
    said = _asked(http, "/platform").text.strip()
    if said not in _SYSTEMS:
        raise MachineError(f"the machine says that its platform is {said[:_SHOWN]!r}; {' and '.join(_SYSTEMS)} are known")
    return _SYSTEMS[said]


def screen_of(http: httpx.Client) -> tuple[int, int]:
    """Return the width and height of the screen in pixels."""
    try:
        answer = http.post("/screen_size", json={}, timeout=_SECONDS)
    except httpx.RequestError as error:
        raise MachineError(f"the machine does not answer: {type(error).__name__} {error}") from error
    said = _json(answer)
    if not isinstance(said, dict) or not all(isinstance(said.get(side), int) for side in ("width", "height")):
        raise MachineError(f"the machine does not tell the size of its screen: /screen_size gave {answer.status_code} {answer.text[:_SHOWN]!r}")
    return said["width"], said["height"]


def _asked(http: httpx.Client, path: str) -> httpx.Response:
    try:
        return http.get(path, timeout=_SECONDS)
    except httpx.RequestError as error:
        raise MachineError(f"the machine does not answer: {type(error).__name__} {error}") from error


def _json(answer: httpx.Response) -> object:
    try:
        return as_json(answer.content)
    except ValueError:
        return None
