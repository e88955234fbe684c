"""A desktop whose machine is a folder of files in memory and a screen that is told: for checks, which read and never act."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from eval_flows.episodes.environment import Observation
from eval_flows.episodes.environment.desktop import Desktop
from machines.actions import ACTIONS
from machines.client import Observed, Window
from machines.machine import Offers
from machines.observation import Element

Json = dict[str, Any]


@dataclass
class Files:
    """The client's side that makers and getters use."""

    content: dict[str, bytes] = field(default_factory=dict)
    listings: dict[str, list[Json]] = field(default_factory=dict)
    clipboard: str | None = None
    said: str = "\0end\0\0end\0"  # of a home folder that is empty

    def upload(self, path: str, content: bytes) -> None:
        self.content[path] = content

    def execute(self, command: list[str] | str, shell: bool = False) -> Json:
        if shell:
            return {"output": self.said, "error": ""}
        assert command[0] == "rm"
        del self.content[command[1]]
        return {}

    def act(self, action: Json) -> None:
        assert action["name"] == "copy_text"
        self.clipboard = action["text"]

    def file(self, path: str) -> bytes | None:
        return self.content.get(path)

    def listing(self, path: str) -> list[Json] | None:
        return self.listings.get(path)

    def observe(self, what: Sequence[str]) -> Observed:
        return Observed(clipboard=self.clipboard)


HOME = "/home/agent"
OFFERS = Offers("linux", "agent", HOME, (1280, 800), {}, frozenset(ACTIONS), desktop_own=(".cache",))


@dataclass
class Screen:
    """A desktop that shows the same all the time."""

    client: Files = field(default_factory=Files)
    elements: Sequence[Element] = ()
    shown: Sequence[Window] = ()
    offers: Offers = OFFERS
    is_still: bool = True

    def look(self, *more: str) -> Observation:
        return Observation(self.elements, self.shown)

    @property
    def screen(self) -> tuple[int, int]:
        return self.offers.screen

    def place(self, path: str) -> str:
        return Desktop.place(cast("Desktop", self), path)

    def windows(self) -> Sequence[Window]:
        return self.shown

    def settle(self, quiet: float = 0, limit: float = 0) -> bool:
        return self.is_still

    def write_settings(self) -> None:
        """It has none."""


def desktop(files: Mapping[str, bytes] | None = None, **screen: Any) -> Desktop:
    """A desktop with these files in the agent's home folder."""
    client = Files({f"{HOME}/{name}": content for name, content in (files or {}).items()}, **screen.pop("client", {}))
    return cast("Desktop", Screen(client, **screen))
