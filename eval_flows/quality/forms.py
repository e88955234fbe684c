"""The forms of rating sheets: each kind of study has its columns, and each column says which entries it takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

RATER_COLUMNS = ("study_id", "rater", "rater_kind")
GROUND_TRUTH = ("right", "too narrow", "too wide", "wrong")
YES_NO = ("yes", "no")
_SCALE = ("1", "2", "3", "4", "5")
_SHIFTED = tuple(f"Shift+{mark}" for mark in _SCALE)


@dataclass(frozen=True)
class Mark:
    """A column that a rater fills in: one of `values`, or free words if there are none. An empty optional entry means `default`.

    `keys` are the keys of the rating page for the values: one for each, or a single one that switches a yes on and off.
    """

    column: str
    values: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    is_number: bool = False
    default: str | None = None

    def mistake(self, entry: str) -> str | None:
        """Return what is wrong with an entry of a sheet, or None."""
        if not self.values or entry in self.values or (not entry and self.default is not None):
            return None
        if not entry:
            return "is not rated"
        return f"'{entry}' is not a whole number from 1 to 5" if self.is_number else f"'{entry}' is none of: {', '.join(self.values)}"

    def read(self, entry: str) -> str | int:
        """Return the value of an entry without a mistake, as tables have it."""
        entry = entry or self.default or ""
        if self.values == YES_NO:
            return entry == "yes"
        return int(entry) if self.is_number else entry

    def entry(self, value: str | int) -> str:
        """Return a value as sheets have it, so that `read` returns it again."""
        if self.values == YES_NO:
            return "yes" if value else "no"
        return str(value)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the mark in the answer of a language model."""
        if not self.values:
            return {"type": "string"}
        return {"type": "integer", "enum": [int(value) for value in self.values]} if self.is_number else {"type": "string", "enum": list(self.values)}

    def said(self, answer: Any) -> str | None:
        """Return the entry for the answer of a language model, or None if the answer is not of the schema."""
        if isinstance(answer, bool) or not isinstance(answer, int if self.is_number else str):
            return None
        entry = " ".join(str(answer).split())
        return entry if not self.values or entry in self.values else None


@dataclass(frozen=True)
class Form:
    """The sheet of one kind of study. A rater sees the columns `shown` of each text, and fills in the marks."""

    kind: str
    table: str  # Parquet table of the ratings
    id_column: str
    noun: str  # what a row is, for messages
    shown: tuple[str, ...]
    marks: tuple[Mark, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of a sheet in their order."""
        return (*RATER_COLUMNS, self.id_column, *self.shown, *(mark.column for mark in self.marks))


_GRAMMAR = Mark("grammar", _SCALE, _SCALE, is_number=True)
_REALISM = Mark("realism", _SCALE, _SHIFTED, is_number=True)
SAMPLE = Form(
    "sample",
    "ratings",
    "task_id",
    "task",
    ("text", "applications"),
    (_GRAMMAR, _REALISM, Mark("ground_truth", GROUND_TRUTH, ("r", "n", "w", "x")), Mark("comment")),
)
MIXTURE = Form(
    "mixture",
    "mixture_ratings",
    "text_id",
    "text",
    ("text",),
    (
        _GRAMMAR,
        _REALISM,
        Mark("origin", _SCALE, ("q", "w", "e", "r", "t"), is_number=True),
        Mark("recognised", YES_NO, ("k",), default="no"),
        Mark("signs"),
    ),
)
FORMS: Mapping[str, Form] = {form.kind: form for form in (SAMPLE, MIXTURE)}
