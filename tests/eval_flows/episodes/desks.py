"""A desk whose machine is a folder of files in memory and a screen that is told: for checks, which read and never act."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from eval_flows.episodes.desk import Desk, Look
from machines.client import Observed, Window
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


@dataclass
class NoImage:
    """What a desk is asked of its image."""

    own: Sequence[str] = (".cache",)
    own_keys: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass
class Screen:
    """A desk that shows the same all the time."""

    client: Files = field(default_factory=Files)
    elements: Sequence[Element] = ()
    shown: Sequence[Window] = ()
    screen: tuple[int, int] = (1280, 800)
    image: NoImage = field(default_factory=NoImage)

    def look(self, *more: str) -> Look:
        return Look(self.elements, self.shown)

    def windows(self) -> Sequence[Window]:
        return self.shown

    def settle(self, quiet: float = 0, limit: float = 0) -> None:
        """It is still."""

    def write_settings(self) -> None:
        """It has none."""


def desk(files: Mapping[str, bytes] | None = None, **screen: Any) -> Desk:
    """A desk with these files in the agent's home folder."""
    client = Files({f"/home/agent/{name}": content for name, content in (files or {}).items()}, **screen.pop("client", {}))
    return cast("Desk", Screen(client, **screen))
