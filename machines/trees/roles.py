"""The roles and states that trees are read into, as `roles.yaml` declares them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Self

import yaml
from pydantic import BaseModel, ConfigDict, model_validator

CUSTOM = "custom"  # the role of what no list names


class Role(BaseModel):
    """A role: its names in trees of each system, and what elements of this role are."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    at_spi: list[str] = []
    uia: list[str] = []
    window: bool = False
    clips: bool = False
    plain: bool = False
    holds: bool = False
    used: bool = False


class Roles(BaseModel):
    """The content of `roles.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    roles: dict[str, Role]
    used_states: frozenset[str]
    uia_states: dict[str, list[str]]

    @model_validator(mode="after")
    def _every_name_has_one_role(self) -> Self:
        for system in (self._at_spi(), self._uia()):
            twice = [name for name, count in Counter(name for name, _ in system).items() if count > 1]
            if twice:
                raise ValueError(f"roles.yaml: these names have two roles: {', '.join(twice)}")
        return self

    def _at_spi(self) -> Iterator[tuple[str, str]]:
        return ((name, role) for role, known in self.roles.items() for name in (role, *known.at_spi))

    def _uia(self) -> Iterator[tuple[str, str]]:
        return ((name.lower(), role) for role, known in self.roles.items() for name in known.uia)


@cache
def declared() -> Roles:
    """Return the content of `roles.yaml`."""
    return Roles.model_validate(yaml.safe_load((Path(__file__).parent / "roles.yaml").read_text()))


@cache
def of_at_spi() -> Mapping[str, str]:
    """Return the role by its name in trees of AT-SPI, where hyphens stand for spaces."""
    return {name.replace(" ", "-"): role for name, role in declared()._at_spi()}


@cache
def of_uia() -> Mapping[str, str]:
    """Return the role by its name in trees of UI Automation, in small letters."""
    return dict(declared()._uia())


@cache
def windows() -> frozenset[str]:
    """Return the roles of windows."""
    return frozenset(name for name, role in declared().roles.items() if role.window)


def is_clipping(role: str) -> bool:
    """Tell whether what is in elements of this role can be seen only within their boxes."""
    return role in declared().roles and declared().roles[role].clips


def is_holding(role: str) -> bool:
    """Tell whether elements of this role only hold other elements."""
    return role in declared().roles and declared().roles[role].holds


def is_plain(role: str) -> bool:
    """Tell whether elements of this role say nothing by themselves."""
    return role in declared().roles and declared().roles[role].plain


def is_used(role: str, states: frozenset[str]) -> bool:
    """Tell whether elements of this role and with these states can be clicked or typed into."""
    return (role in declared().roles and declared().roles[role].used) or bool(declared().used_states & states)
