"""A chat request and its answer, in the form that all callers use."""

from base64 import b64encode
from dataclasses import dataclass
from typing import Any, Literal

from language_models.endpoint import Endpoint
from language_models.errors import Failure, ModelError

Status = Literal["answered", "empty", "refused", "truncated", "failed"]
_CHARACTERS_PER_TOKEN = 4.0  # of English text under the usual tokenizers; only for estimates
_MOST_CHARACTERS_PER_TOKEN = 6.0
_TOKENS_PER_IMAGE = 1100  # about the tokens of one screenshot at the usual endpoints


@dataclass(frozen=True)
class Request:
    """One chat request. `schema` asks for JSON of this JSON Schema. `images` are PNG or JPEG files that follow the user's text."""

    system: str
    user: str
    schema: dict[str, Any] | None = None
    temperature: float = 0.0
    max_tokens: int = 1024
    sample: int = 0
    images: tuple[bytes, ...] = ()
    top_p: float | None = None

    def body(self, endpoint: Endpoint) -> dict[str, Any]:
        """Return the body that is sent. It is part of the cache key, with the address. A base model completes the text up to the end of the line."""
        body: dict[str, Any] = {"model": endpoint.name_there, endpoint.limits_by: self.max_tokens + endpoint.reasoning_tokens}
        if endpoint.interface == "chat":
            body["messages"] = [{"role": "system", "content": self.system}, {"role": "user", "content": self._content()}]
        elif self.images:
            raise ModelError(f"model '{endpoint.model}' only completes texts and takes no pictures: use a chat model, or show it only the elements")
        elif self.schema is None:
            body |= {"prompt": f"{self.system}\n\n{self.user}", "stop": ["\n"]}
        else:
            raise ModelError(
                f"model '{endpoint.model}' only completes texts and takes no JSON schema: ask it for text (--reply text), or use a chat model"
            )
        if endpoint.takes_temperature:
            body["temperature"] = self.temperature
            if self.top_p is not None:
                body["top_p"] = self.top_p
        if self.schema is not None:
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": self.schema, "strict": True}}
        return body

    def _content(self) -> str | list[dict[str, Any]]:
        """Return the content of the user's message: a text, or a text and pictures."""
        if not self.images:
            return self.user
        urls = [f"data:image/{_kind(image)};base64,{b64encode(image).decode()}" for image in self.images]
        return [{"type": "text", "text": self.user}, *({"type": "image_url", "image_url": {"url": url}} for url in urls)]

    @property
    def estimated_tokens(self) -> int:
        """Return an estimate of the number of input tokens."""
        return round((len(self.system) + len(self.user)) / _CHARACTERS_PER_TOKEN) + _TOKENS_PER_IMAGE * len(self.images)

    @property
    def fewest_tokens(self) -> int:
        """Return a low estimate of the number of input tokens, which holds for nearly every tokenizer."""
        return round((len(self.system) + len(self.user)) / _MOST_CHARACTERS_PER_TOKEN)


@dataclass(frozen=True)
class Answer:
    """The answer to a request. `failed` means that no call succeeded: the answer has a failure and no text, costs nothing and is not kept."""

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


def _kind(image: bytes) -> str:
    return "jpeg" if image.startswith(b"\xff\xd8\xff") else "png"


def read_completion(completion: dict[str, Any], latency_ms: float, endpoint: Endpoint) -> Answer:
    """Return the answer in a chat completion. Raise ValueError if the server sent something else."""
    try:
        choice = completion["choices"][0]
        message = choice.get("message") or {"content": choice["text"]}
        text = message.get("content") or ""
        usage = completion.get("usage") or {}
        input_tokens, output_tokens = int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0)
        cached = int((usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0)
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError(f"not a chat completion: {type(error).__name__}") from None
    status: Status = "answered" if text.strip() else "empty"
    if choice.get("finish_reason") == "length":
        status = "truncated"
    if message.get("refusal") or choice.get("finish_reason") == "content_filter":
        status, text = "refused", text or message.get("refusal") or ""
    cost = endpoint.cost(input_tokens, cached, output_tokens)
    return Answer(text, status, input_tokens, output_tokens, round(latency_ms, 1), cached, cost)
