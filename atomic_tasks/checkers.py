"""The form of checkers.yaml: what executable tasks can name, and what each name takes (pydantic models)."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from atomic_tasks.schema import Declared, Identifier


class WithKeys(Declared):
    """A maker, a getter or a change: the keys that it takes, and its purpose. If the only key is a path, it is written as a plain text."""

    takes: tuple[Identifier, ...] = Field((), description="required keys")
    may_take: tuple[Identifier, ...] = Field((), description="optional keys")
    package: str | None = Field(None, description="the Python module that it needs, where that is no dependency of Deskmill itself")
    makes: str | None = None
    gives: str | None = None
    frees: str | None = None
    parts: dict[str, str] = Field({}, description="names that its key `parts` can list")
    formats: dict[str, str] = Field({}, description="names that its key `formats` can list")
    what: dict[str, str] = Field({}, description="names for its key `what`; the part in capitals after a dot is free, as in style.TEXT")


ShapeName = Literal[
    "element", "element_or_window", "names", "place", "stretch", "text", "direction", "only_true",
    "value", "values", "pattern", "number", "near", "order", "getter", "drawing", "keys", "awaited", "made", "nears", "ranges",
]  # fmt: skip


class Named(Declared):
    """A metric or a step of an oracle: the shape that it takes (atomic_tasks/shapes.py), and its purpose.

    A graded metric gives a share from 0 to 1, and its check declares from which `threshold` on it holds.
    """

    takes: ShapeName
    graded: bool = False
    only_in_proofs: bool = Field(False, description="for a step of an oracle: other ways and near misses have it, agents do not")
    holds: str | None = None
    does: str | None = None


class Checkers(Declared):
    """The declared names of makers, getters, metrics, changes and steps of oracles."""

    makers: dict[Identifier, WithKeys]
    getters: dict[Identifier, WithKeys]
    metrics: dict[Identifier, Named]
    changes: dict[Identifier, WithKeys]
    oracle: dict[Identifier, Named]


class CheckersOfField(Declared):
    """The names that one field of work adds, in a file of `checkers/`."""

    makers: dict[Identifier, WithKeys] = Field({})
    getters: dict[Identifier, WithKeys] = Field({})
    metrics: dict[Identifier, Named] = Field({})
    changes: dict[Identifier, WithKeys] = Field({})


def with_fields(own: Checkers, fields: Mapping[str, CheckersOfField]) -> tuple[Checkers, list[str]]:
    """Return the names with those of all fields of work, and in words each name that is declared twice; the first declaration counts."""
    found = {kind: dict(getattr(own, kind)) for kind in CheckersOfField.model_fields}
    twice = []
    for field, declared in fields.items():
        for kind, names in found.items():
            twice += [f"{field}: '{name}' is declared before among {kind}: rename it" for name in getattr(declared, kind) if name in names]
            found[kind] = {**getattr(declared, kind), **names}
    return own.model_copy(update=found), twice
