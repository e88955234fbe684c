"""The file that declares a remote machine, read strictly: every mistake is told at once, as `file:line: field: reason`."""

import difflib
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PositiveFloat,
    PositiveInt,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from machines.errors import MachineNeeds
from machines.machine import Program

OWN_OF_WINDOWS = ("AppData", "NTUSER.DAT*", "ntuser.*", "*desktop.ini")  # below the home folder: settings of programs, and of the user
Place = tuple[int | str, ...]


def _address(given: str) -> str:
    try:
        parts = urlsplit(given)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_whole = False
    if not is_whole:
        raise ValueError("an address is wanted such as http://192.0.2.7:5000")
    return given.rstrip("/")


def _variable(given: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", given):
        raise ValueError("the name of an environment variable is wanted, not the token itself")
    return given


Address = Annotated[str, AfterValidator(_address)]
Variable = Annotated[str, AfterValidator(_variable)]
Words = Annotated[list[str], Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Screen(_Strict):
    """The size of the screen in pixels."""

    width: PositiveInt
    height: PositiveInt


class Reset(_Strict):
    """How the machine is brought back to its snapshot: a command on this host, or an address that is asked with POST.

    The machine has to answer again, without what was written before, within `seconds`.
    """

    command: Words | None = None
    url: Address | None = None
    token_variable: Variable | None = None
    seconds: PositiveFloat = 300.0

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.command is None) == (self.url is None):
            raise ValueError("either `command` or `url` is wanted")
        return self


class Declared(_Strict):
    """A remote machine. The dialect of its guest server is found out if it is left out.

    `snapshot` names what a reset brings back: runs on another snapshot are other runs.
    """

    address: Address
    dialect: Literal["deskmill", "osworld", "waa"] | None = None
    token_variable: Variable | None = Field(None, validate_default=True)
    platform: Literal["linux", "windows"]
    screen: Screen
    user: str
    home: str
    snapshot: str
    programs: dict[str, Program]
    reset: Reset
    own: list[str] = []
    writers: list[Words] = []

    @field_validator("home")
    @classmethod
    def _absolute(cls, given: str, around: ValidationInfo) -> str:
        platform = around.data.get("platform")
        if platform is not None and not re.match(r"[A-Za-z]:\\" if platform == "windows" else "/", given):
            raise ValueError(f"an absolute path of {platform} is wanted, not '{given}'")
        return given

    @field_validator("token_variable")
    @classmethod
    def _is_needed(cls, given: str | None, around: ValidationInfo) -> str | None:
        if given is None and around.data.get("dialect") == "deskmill":
            raise ValueError("is missing: our guest server answers nobody without its token")
        return given

    def inside_home(self, path: str) -> str:
        """Return the absolute path of a file in the home folder."""
        separator = "/" if self.platform == "linux" else "\\"
        return f"{self.home.rstrip(separator)}{separator}{path}"

    @property
    def token(self) -> str | None:
        """Return the token; `MachineNeeds` if the variable is not set."""
        return token_in(self.token_variable)

    def check(self) -> None:
        """Raise `MachineNeeds` with everything that this host lacks: tokens, and the command of the reset."""
        missing = [
            f"the environment variable {name} is not set; {of} wants its token there"
            for name, of in ((self.token_variable, "the machine"), (self.reset.token_variable, "the hook of the reset"))
            if name is not None and not os.environ.get(name)
        ]
        if self.reset.command is not None and shutil.which(self.reset.command[0]) is None:
            missing.append(f"the command of the reset, {self.reset.command[0]}, is not on this host")
        if missing:
            raise MachineNeeds("\n".join(missing))


def token_in(variable: str | None) -> str | None:
    """Return the content of an environment variable; `MachineNeeds` if it is not set."""
    if variable is None:
        return None
    if not os.environ.get(variable):
        raise MachineNeeds(f"the environment variable {variable} is not set; the token is wanted there")
    return os.environ[variable]


def read_declaration(path: Path) -> Declared:
    """Return the machine that a file declares; `MachineNeeds` with all mistakes, each with its line."""
    try:
        text = path.read_text(encoding="utf-8")
        node, found = yaml.compose(text, yaml.SafeLoader), yaml.safe_load(text)
    except OSError as error:
        raise MachineNeeds(f"{path}: the file of the machine cannot be read: {error.strerror}") from None
    except (yaml.YAMLError, ValueError) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", 0) + 1
        raise MachineNeeds(f"{path}:{line}: this is no YAML: {getattr(error, 'problem', None) or error}") from None
    if not isinstance(found, dict):
        raise MachineNeeds(f"{path}:1: keys such as `address` are wanted; docs/remote_machines.md has an example")
    twice = [f"{path}:{line}: {_dotted(place)}: stands twice" for place, line in _twice(node, ())]
    try:
        declared = Declared.model_validate(found)
    except ValidationError as error:
        told = [f"{path}:{_line(node, one['loc'])}: {_dotted(one['loc'])}: {_reason(one)}" for one in error.errors(include_url=False)]
        raise MachineNeeds("\n".join([*twice, *told])) from None
    if twice:
        raise MachineNeeds("\n".join(twice))
    return declared


def _dotted(place: Place) -> str:
    return ".".join(map(str, place)) or "file"


def _reason(one: Any) -> str:
    if one["type"] == "extra_forbidden":
        near = difflib.get_close_matches(str(one["loc"][-1]), _known(one["loc"][:-1]), 1)
        return f"there is no such key{f'; did you mean {near[0]}?' if near else ''}"
    if one["type"] == "missing":
        return "is missing"
    return str(one["msg"]).removeprefix("Value error, ")


def _known(place: Place) -> Sequence[str]:
    """Return the keys that there are at a place."""
    models: dict[str, type[BaseModel]] = {"screen": Screen, "reset": Reset, "programs": Program}
    return list((models[str(place[0])] if place else Declared).model_fields)


def _line(node: yaml.Node | None, place: Place) -> int:
    """Return the line of the innermost key that is there on the way to a place."""
    line = 1
    for part in place:
        if isinstance(node, yaml.MappingNode):
            pair = next((pair for pair in node.value if pair[0].value == str(part)), None)
            if pair is None:
                break
            line, node = pair[0].start_mark.line + 1, pair[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
    return line


def _twice(node: yaml.Node | None, place: Place) -> Iterator[tuple[Place, int]]:
    """Yield keys that stand twice, which YAML would let pass."""
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                yield (*place, key.value), key.start_mark.line + 1
            seen.add(key.value)
            yield from _twice(value, (*place, key.value))
