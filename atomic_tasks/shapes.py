"""The shapes of values that metrics and steps of an oracle take, by the names of checkers.yaml."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, Field, StrictBool, StrictFloat, StrictInt, StrictStr, TypeAdapter, ValidationError, model_validator

from atomic_tasks.checkers import ShapeName
from atomic_tasks.form_mistakes import form_mistakes
from atomic_tasks.schema import PLACEHOLDER, Declared
from atomic_tasks.yaml_mistakes import shown

Pixels = tuple[Annotated[StrictInt, Field(ge=0)], Annotated[StrictInt, Field(ge=0)]]


class Element(Declared):
    """An element on the screen: the last fitting element, or the nth.

    The role `screen text` stands for a text that is read in the picture. `at` is a place in pixels, where no tree and no text tells of the element.
    """

    role: str | None = None
    at: Pixels | None = None
    name: str | None = None
    containing: str | None = None
    text: str | None = None
    nth: StrictInt | None = Field(None, ge=0)
    disabled: StrictBool = False

    @model_validator(mode="after")
    def _is_found_in_one_way(self) -> "Element":
        if (self.role is None) == (self.at is None):
            raise ValueError("give either role or at")
        return self


class Window(Declared):
    """A window. Its title contains this text."""

    window: str


class Until(Declared):
    """What a step waits for besides elements and windows: a file that has been written, or a screen that is still for some seconds."""

    file: str | None = None
    still: StrictFloat | StrictInt | None = Field(None, gt=0, le=30)

    @model_validator(mode="after")
    def _is_one(self) -> "Until":
        if (self.file is None) == (self.still is None):
            raise ValueError("give either file or still")
        return self


Share = Annotated[float, Field(ge=0, le=1)]
Spot = tuple[Share, Share]


class Stretch(Declared):
    """The start and the end of a drag."""

    from_: Element | Spot = Field(alias="from")
    to: Element | Spot


class Drawing(Declared):
    """A picture, as the maker `picture` draws it."""

    size: tuple[int, int]
    shapes: tuple[dict[str, Any], ...] = ()


def _pattern(text: str) -> str:
    try:
        re.compile(PLACEHOLDER.sub("x", text), re.MULTILINE)
    except re.error as error:
        raise ValueError(f"is not a regular expression: {error}") from None
    return text


def _numeral(text: str) -> str:
    float(PLACEHOLDER.sub("1", text))
    return text


Text = Annotated[StrictStr, Field(min_length=1)]
Keys = Text | StrictInt
Scalar = StrictStr | StrictInt | StrictFloat | StrictBool
Number = StrictInt | StrictFloat | Annotated[StrictStr, AfterValidator(_numeral)]


class Shape(NamedTuple):
    """A shape in words, the type that fits it, and the model of its keys, if it has keys."""

    words: str
    fits: Any
    keys: type[Declared] | None = None


_ELEMENT = "an element, as in {role: push button, name: Save}"
SHAPES: Mapping[ShapeName, Shape] = {
    "element": Shape(_ELEMENT, Element, Element),
    "element_or_window": Shape(f"{_ELEMENT}, or {{window: part of a title}}", Element | Window),
    "awaited": Shape(
        "an element, as in {role: push button, name: Save}, or {window: part of a title}, {file: path} or {still: seconds}", Element | Window | Until
    ),
    "keys": Shape(
        "a key, keys together as in ctrl+s, or a list of them", Text | StrictInt | Annotated[tuple[Text | StrictInt, ...], Field(min_length=1)]
    ),
    "made": Shape("a maker with what it takes", Annotated[dict[str, Any], Field(min_length=1, max_length=1)]),
    "names": Shape("a list of names, as in [File, Save]", Annotated[tuple[Text, ...], Field(min_length=1)]),
    "place": Shape("a place as two shares of the screen, as in [0.5, 0.25]", Spot),
    "stretch": Shape("{from, to}, each an element or a place", Stretch),
    "text": Shape("a text", Text | StrictInt | StrictFloat),
    "direction": Shape("up or down", Literal["up", "down"]),
    "only_true": Shape("true", Annotated[StrictBool, AfterValidator(lambda given: {True: given}[given])]),
    "value": Shape("a value, or null for nothing", Any),
    "values": Shape("a value, or a list of them", Scalar | Annotated[tuple[Any, ...], Field(min_length=1)]),
    "pattern": Shape("a regular expression", Annotated[StrictStr, AfterValidator(_pattern)]),
    "number": Shape("a number", Number),
    "near": Shape("a number, or [number, tolerance]", Number | tuple[Number] | tuple[Number, Number]),
    "nears": Shape("[[numbers], tolerance]", tuple[tuple[Number | Literal[""], ...], Number]),
    "ranges": Shape("[[least, most], ...]", Annotated[tuple[tuple[Number, Number], ...], Field(min_length=1)]),
    "order": Shape("ascending or descending", Literal["ascending", "descending"]),
    "drawing": Shape("a picture, as in {size: [480, 360], shapes: [{fill: true, colour: white}]}", Drawing, Drawing),
    "getter": Shape("another getter with what it takes", Annotated[dict[str, Any], Field(min_length=1, max_length=1)]),
}
_ADAPTERS: Mapping[str, TypeAdapter[Any]] = {name: TypeAdapter(shape.fits) for name, shape in SHAPES.items()}


def misfits(shape: ShapeName, asked: object) -> Iterator[str]:
    """Yield the reasons why `asked` does not have the shape."""
    words, _, keys = SHAPES[shape]
    if shape in ("element_or_window", "awaited") and isinstance(asked, Mapping):
        kinds: dict[str, type[Declared]] = {"window": Window, "role": Element, "file": Until, "still": Until}
        keys = next((kinds[name] for name in asked if name in kinds), None)
    try:
        _ADAPTERS[shape].validate_python(asked)
    except (ValidationError, KeyError) as error:
        if keys is not None and isinstance(asked, Mapping) and isinstance(error, ValidationError):
            yield from _wrong_keys(keys, asked)
        else:
            yield f"takes {words}, not {shown(asked)}"


def _wrong_keys(keys: type[Declared], asked: object) -> Iterator[str]:
    try:
        keys.model_validate(asked)
    except ValidationError as error:
        for place, reason in form_mistakes(error, keys):
            yield f"{'.'.join(map(str, place))}: {reason}"
