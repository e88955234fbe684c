"""Snapshots of a home folder of Windows, by a script of PowerShell: what `home.py` does on Linux. In place of permissions stand attributes."""

import base64
import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from eval_flows.episodes.environment.shell import powershell, quoted
from machines.errors import MachineError

if TYPE_CHECKING:
    from eval_flows.episodes.environment.desktop import Desktop

SCRIPT = (Path(__file__).parent / "list_home.ps1").read_text()
ASKED = "$asked = ConvertFrom-Json "


class Listed(BaseModel):
    """An entry of the home folder. `mode` holds R, H and S for read-only, hidden and system."""

    model_config = ConfigDict(frozen=True)
    path: str
    kind: str
    mode: str
    size: int
    digest: str | None = None
    content: str | None = None


class _Answer(BaseModel):
    entries: tuple[Listed, ...]


def listed(desktop: "Desktop", watched: Collection[str], with_contents: bool, digested: int, packed: int) -> Iterator[Listed]:
    """Yield the entries of the home folder, and watched files that a program owns; `MachineError` if the guest cannot tell.

    `digested` and `packed` are the bytes of the largest file with a digest and with its content.
    """
    home = desktop.offers.home.rstrip("\\")
    asked = {
        "home": home,
        "own": [pattern.replace("\\", "/") for one in desktop.offers.own for pattern in (one, f"{one}/*")],
        "watched": sorted(watched),
        "contents": with_contents,
        "digested": digested,
        "packed": packed,
    }
    answer = desktop.client.execute(powershell(f"{ASKED}{quoted(json.dumps(asked))}\n{SCRIPT}"))
    try:
        found = _Answer.model_validate_json(base64.b64decode(str(answer.get("output", "")), validate=False))
    except (ValueError, ValidationError) as error:
        raise MachineError(f"the home folder could not be listed: {str(answer.get('error') or error)[:300]}") from None
    yield from found.entries
