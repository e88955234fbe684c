"""Makers of Windows: values of the registry, in place of a person who has used the machine before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eval_flows.episodes.tasks.makers.maker import Makers
from machines.errors import MachineError

if TYPE_CHECKING:
    from eval_flows.episodes.environment.desktop import Desktop

Json = dict[str, Any]


def _registry(desktop: Desktop, asked: Json) -> None:
    done = desktop.client.execute(
        ["reg.exe", "add", asked["key"], "/v", asked["name"], "/t", asked.get("kind", "REG_DWORD"), "/d", str(asked["data"]), "/f"]
    )
    if done["returncode"] != 0:
        raise MachineError(f"the value {asked['name']} of {asked['key']} could not be set: {str(done['error'])[-500:]}")


MAKERS = Makers(of_state={"registry_value": _registry})
