"""A request to a model, its messages and tools, and the answer: the form that all callers use, whatever API the server speaks.

`language_models.interfaces` turns a request into the body that is sent, and the reply into an answer.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypedDict, Unpack

from language_models.errors import Failure

Json = dict[str, Any]
Role = Literal["system", "user", "assistant", "tool"]
Status = Literal["answered", "empty", "refused", "truncated", "failed"]
_CHARACTERS_PER_TOKEN = 4.0  # of English text under the usual tokenizers; only for estimates
_MOST_CHARACTERS_PER_TOKEN = 6.0
_TOKENS_PER_IMAGE = 1100  # about the tokens of one screenshot at the usual endpoints
_FEWEST_TOKENS_PER_IMAGE = 250  # of a model that sees little of a screenshot


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool by the model. `malformed` says why its arguments cannot be read; then there are none."""

    id: str
    name: str
    arguments: Json
    malformed: str = ""


@dataclass(frozen=True)
class Tool:
    """A function that the model may call. `parameters` is the JSON Schema of its arguments."""

    name: str
    description: str
    parameters: Json


@dataclass(frozen=True)
class BuiltInTool:
    """A tool that the server itself knows, such as computer use, in the words of its API."""

    declaration: Json


@dataclass(frozen=True)
class Message:
    """One message. `images` are PNG or JPEG files that follow the text.

    A message of the assistant can have `calls`. `raw` are its items as the server sent them, where the API wants them back unchanged (reasoning,
    thinking, ids): they are sent in place of text and calls. A message with the role `tool` is the answer to the call with the id `answers`;
    `has_failed` tells the model that the call was not carried out, and `acknowledged` are the safety checks of the call that the user lets pass.
    """

    role: Role
    text: str = ""
    images: tuple[bytes, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    answers: str | None = None
    raw: tuple[Json, ...] = ()
    has_failed: bool = False
    acknowledged: tuple[Json, ...] = ()

    @property
    def characters(self) -> int:
        """Return the number of characters of its texts."""
        written = self.raw or tuple(call.arguments for call in self.calls)
        return sum(len(json.dumps(item)) for item in written) + (0 if self.raw else len(self.text))


class Settings(TypedDict, total=False):
    """The fields of a request beside its messages, tools and schema."""

    temperature: float
    max_tokens: int
    sample: int
    top_p: float | None


@dataclass(frozen=True)
class Request:
    """What a model is asked: a conversation that it is to go on with, and the tools that it may call. `schema` asks for JSON of this JSON Schema."""

    messages: tuple[Message, ...]
    tools: tuple[Tool | BuiltInTool, ...] = ()
    schema: Json | None = None
    temperature: float = 0.0
    max_tokens: int = 1024
    sample: int = 0
    top_p: float | None = None

    @classmethod
    def of(cls, system: str, user: str, schema: Json | None = None, *, images: tuple[bytes, ...] = (), **settings: Unpack[Settings]) -> "Request":
        """Return the request of one question: a system message, and a message of the user with pictures."""
        return cls((Message("system", system), Message("user", user, images)), schema=schema, **settings)

    @property
    def images(self) -> tuple[bytes, ...]:
        """Return the pictures of all messages, the oldest first."""
        return tuple(image for message in self.messages for image in message.images)

    @property
    def estimated_tokens(self) -> int:
        """Return an estimate of the number of input tokens."""
        return round(self._characters / _CHARACTERS_PER_TOKEN) + _TOKENS_PER_IMAGE * len(self.images)

    @property
    def fewest_tokens(self) -> int:
        """Return a low estimate of the number of input tokens, which holds for nearly every tokenizer."""
        return round(self._characters / _MOST_CHARACTERS_PER_TOKEN) + _FEWEST_TOKENS_PER_IMAGE * len(self.images)

    @property
    def _characters(self) -> int:
        tools = sum(len(json.dumps(asdict(tool))) for tool in self.tools)
        return tools + sum(message.characters for message in self.messages)


@dataclass(frozen=True)
class Answer:
    """The answer to a request. `failed` means that no call succeeded: the answer has a failure and no text, costs nothing and is not kept.

    An answer with `calls` is `answered`, whether it has a text or not. `raw` are the items that the API wants back as they are.
    `log_probabilities` are the tokens of the answer, each with its natural logarithm, if they were asked for and the server gave them.
    """

    text: str
    status: Status
    input_tokens: int = 0
    output_tokens: int = 0
    latency_ms: float = 0.0
    cached_tokens: int = 0
    cost_usd: float = 0.0
    call_id: str = ""
    from_cache: bool = False
    failure: Failure | None = None
    calls: tuple[ToolCall, ...] = ()
    raw: tuple[Json, ...] = ()
    log_probabilities: tuple[tuple[str, float], ...] = ()

    @property
    def message(self) -> Message:
        """Return the answer as a message, to go on with the conversation."""
        return Message("assistant", self.text, calls=self.calls, raw=self.raw)


def read_answer(kept: Mapping[str, Any], call_id: str) -> Answer:
    """Return an answer of the cache."""
    calls, raw, tokens = (tuple(kept.get(name, ())) for name in ("calls", "raw", "log_probabilities"))
    parts = {"calls": tuple(ToolCall(**call) for call in calls), "raw": raw, "log_probabilities": tuple((text, value) for text, value in tokens)}
    return Answer(**{**kept, **parts, "call_id": call_id, "from_cache": True})


def status_of(text: str, calls: tuple[ToolCall, ...]) -> Status:
    """Return the status of an answer that nothing cut off and that refuses nothing."""
    return "answered" if text.strip() or calls else "empty"


def read_json(written: str | bytes) -> Any:
    """Return what JSON of a server or a model holds; `ValueError` if it is none, or is nested too deeply.

    Half a character (such as the first half of an emoji that was cut off) becomes U+FFFD: no file and no database can hold it.
    """
    try:
        found = json.loads(written)
        has_escapes = b"\\u" in written if isinstance(written, bytes) else "\\u" in written
        if not has_escapes:
            return found
        text = json.dumps(found, ensure_ascii=False)
        return json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def read_arguments(written: str) -> tuple[Json, str]:
    """Return the arguments that a model wrote for a call, and why they cannot be read, if they cannot."""
    try:
        arguments = read_json(written or "{}")
    except ValueError as error:
        return {}, f"the arguments are no JSON: {error}"
    return (arguments, "") if isinstance(arguments, dict) else ({}, "the arguments are no JSON object")
