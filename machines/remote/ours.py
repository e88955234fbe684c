"""The client of our own guest server on a machine that others run."""

from collections.abc import Mapping
from typing import Any

import httpx

from machines.client import GuestClient
from machines.machine import Program
from machines.remote.foreign import program_of


class OurGuest(GuestClient):
    """Our guest server. Programs are those of the file that declares the machine; the server itself need not know them."""

    def __init__(self, http: httpx.Client, programs: Mapping[str, Program]) -> None:
        super().__init__(http)
        self._programs = programs

    def act(self, action: dict[str, Any]) -> None:
        """Carry out an action once."""
        if action["name"] == "open_program":
            self.launch(program_of(action["program"], self._programs).command)
        else:
            super().act(action)
