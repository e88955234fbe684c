"""The form of locales and pools: the files that arguments take their values from (pydantic models)."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from atomic_tasks.schema import DEFAULT_LOCALE, Declared, Identifier


def _rows(data: Any) -> Any:
    """Make rows of one value from the bare values of a pool with one column."""
    return [row if isinstance(row, list | tuple) else [row] for row in data] if isinstance(data, list | tuple) else data


Rows = Annotated[tuple[tuple[str, ...], ...], BeforeValidator(_rows, json_schema_input_type=list[str | list[str]])]


class FileSuffixes(Declared):
    """Texts that people append to the names of their files."""

    periods: tuple[str, ...]
    versions: tuple[str, ...]


class Locale(Declared):
    """The sources of argument values of one locale. Texts stay English in every locale."""

    locale: Identifier
    name_locales: tuple[str, ...] = Field(min_length=1, description="Faker's locales for the names of people, drawn evenly")
    address_locale: str = Field(description="Faker's locale for street names and companies")
    currency: str
    house_number_first: bool
    phone_numbers: tuple[str, ...] = Field(min_length=1, description="patterns; # is a digit")
    mail_domains: tuple[str, ...] = Field(min_length=1)
    cities: dict[str, str] = Field(description="city: country, both in English")
    airports: tuple[str, ...]
    file_suffixes: FileSuffixes
    folders: tuple[str, ...]
    file_topics: dict[Identifier, tuple[str, ...]] = Field(description="names of files by topic; missing topics use the English names")


class Origin(Declared):
    """The origin of generated values."""

    model: str
    prompt: str = Field(description="hash of the request for the values")
    made_at: str


class Pool(Declared):
    """Values of one or more generators. The columns of a row belong together."""

    locale: Identifier = Field(DEFAULT_LOCALE, description="each locale has its own pool with the same columns")
    origin: Origin | None = Field(None, description="if a language model wrote the values: its origin")
    columns: tuple[Identifier, ...] = Field(min_length=1)
    later: dict[Identifier, tuple[str, ...]] = Field(default_factory=dict, description="words for a second mention")
    values: Rows = Field(min_length=1)

    @model_validator(mode="after")
    def _square(self) -> "Pool":
        for row in self.values:
            if len(row) != len(self.columns):
                raise ValueError(f"row {list(row)} has {len(row)} values, but the pool has {len(self.columns)} columns")
        if len(set(self.values)) != len(self.values):
            twice = next(row for row in self.values if self.values.count(row) > 1)
            raise ValueError(f"row {list(twice)} stands twice")
        return self


class Pools(Declared):
    """A file of pools."""

    pools: tuple[Pool, ...]
