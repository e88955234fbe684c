"""Worlds: a person with a work, a household or studies, and the names that belong to it, so that the values of one text fit each other.

A world declares values for generators by name. Its tables tie columns and sheets to their files. What a world does not have comes from
the generator itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Annotated

from pydantic import Field

from atomic_tasks.schema import DEFAULT_LOCALE, Argument, Declared, Identifier

Values = Annotated[tuple[str, ...], Field(min_length=1)]
OF_TABLE: Mapping[str, str] = {"column_header": "columns", "number_column": "numbers", "group_column": "groups", "sheet_name": "sheets"}
TABLE_FILES: Mapping[str, tuple[str, ...]] = {"spreadsheet_file": (".xlsx", ".xlsm"), "csv_file": (".csv",)}


class Table(Declared):
    """A table of a world: the name of its file, and what is in it."""

    file: str = Field(pattern=r"\.(?:xlsx|xlsm|csv)$")
    columns: Values = Field(description="headers of columns")
    numbers: Values = Field(description="the columns that hold numbers to add up or to chart")
    groups: Values = Field(description="the columns by which its rows can be grouped")
    sheets: tuple[str, ...] = Field((), description="names of its sheets; a CSV file has none")


class World(Declared):
    """A person and the names that belong to them."""

    id: Identifier
    locale: Identifier = DEFAULT_LOCALE
    who: str = Field(min_length=10, description="the person in one line")
    applications: tuple[str, ...] = Field((), description="special applications that this person uses, beside those of the walk of life")
    values: dict[Identifier, Values] = Field(description="values by the name of their generator")
    tables: tuple[Table, ...] = ()

    @cached_property
    def generators(self) -> frozenset[str]:
        """Return the generators that the world has values for."""
        files = (name for name, endings in TABLE_FILES.items() if any(table.file.endswith(endings) for table in self.tables))
        return frozenset((*self.values, *(OF_TABLE if self.tables else ()), *files))

    def of_walk(self, applications: Sequence[str]) -> "World":
        """Return the world with the special applications of its walk too."""
        return self.model_copy(update={"applications": (*applications, *self.applications)})

    def only(self, generators: set[str]) -> "World":
        """Return the world with the values that these generators draw."""
        tables = self.tables if generators.intersection((*OF_TABLE, *TABLE_FILES)) else ()
        values = {name: values for name, values in self.values.items() if name in generators}
        return World.model_construct(**{**dict(self), "values": values, "tables": tables})  # a copy would keep the `generators` of the whole


class Worlds(Declared):
    """A file of worlds: a walk of life.

    Most people use most applications. An application that any walk or world declares is special: only the worlds that declare it give values to
    requests for it, so that nobody's grandmother has a Kubernetes branch.
    """

    walk: str
    applications: tuple[str, ...] = Field((), description="special applications that people of this walk use")
    worlds: tuple[World, ...] = Field(min_length=1)


def draw_from(world: World, generator: str, file: str | None, random: Random) -> str | None:
    """Return a value of the world for a generator; None if it has none. `file` is the table that a column or a sheet has to be in, if any."""
    if generator in OF_TABLE:
        tables = [table for table in world.tables if file in (None, table.file)]
        names = [name for table in tables for name in getattr(table, OF_TABLE[generator])]
        return random.choice(names) if names else None
    if generator in TABLE_FILES:
        files = [table.file for table in world.tables if table.file.endswith(TABLE_FILES[generator])]
        return random.choice(files) if files else None
    return random.choice(world.values[generator]) if generator in world.values else None


def fitting(worlds: Sequence[World], arguments: Mapping[str, Argument], applications: Iterable[str]) -> list[World]:
    """Return the worlds that use the special ones of the applications, and of these the ones that have values for most of the generators.

    Return none if no such world has any value.
    """
    special = {name for world in worlds for name in world.applications}.intersection(applications)
    able = [world for world in worlds if special.issubset(world.applications)]
    wanted = {argument.generator for argument in arguments.values() if argument.generator is not None and argument.of is None}
    counts = [len(world.generators & wanted) for world in able]
    most = max(counts, default=0)
    return [world for world, count in zip(able, counts, strict=True) if count == most > 0]
