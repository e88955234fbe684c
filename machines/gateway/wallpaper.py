"""The picture behind the desktop of a machine: the commands that change it and tell which one it is."""

from pathlib import Path

from machines.errors import MachineError
from machines.machine import Client

_PROGRAM = (Path(__file__).parent / "in_guest" / "wallpaper.py").read_text()


def change_wallpaper(client: Client, path: str, python: str = "python3") -> None:
    """Put a picture of the machine behind its desktop; `MachineError` if it cannot be done."""
    _run(client, python, path)


def wallpaper_of(client: Client) -> bytes | None:
    """Return the picture behind the desktop; None if there is none."""
    path = _run(client, "python3")
    return client.file(path) if path else None


def _run(client: Client, python: str, *path: str) -> str:
    said = client.execute([python, "-c", _PROGRAM, *path])
    if said.get("returncode") != 0:
        lines = str(said.get("error") or "").strip().splitlines()
        raise MachineError(f"the wallpaper: {lines[-1] if lines else 'the machine cannot tell'}")
    return str(said.get("output") or "").strip()
