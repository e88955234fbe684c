"""An endpoint: the address of a model, its prices and its limits. The key stays in the environment."""

import os
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from language_models.errors import ModelError

_DEFAULT_URL = "https://api.openai.com/v1"  # the default of the openai package
_AT_ONCE = 8

Interface = Literal["chat", "completion"]


@dataclass(frozen=True)
class Prices:
    """Dollars per million tokens."""

    input: float
    output: float
    cached_input: float | None = None
    batch_share: float = 1.0  # share of these prices at the batch endpoint

    def cost(self, input_tokens: int, cached_tokens: int, output_tokens: int) -> float:
        """Return the dollars of one call. `cached_tokens` is the number of input tokens that the server had in its prefix cache."""
        cached_price = self.input if self.cached_input is None else self.cached_input
        return ((input_tokens - cached_tokens) * self.input + cached_tokens * cached_price + output_tokens * self.output) / 1_000_000


@dataclass(frozen=True)
class Patience:
    """The attempts of a call, the time limit of one attempt, the first pause (it doubles each time), and the longest pause. Times are in seconds."""

    attempts: int = 6
    timeout: float = 180.0
    first_pause: float = 0.5
    longest_pause: float = 30.0


@dataclass(frozen=True)
class Endpoint:
    """A model at an OpenAI-compatible server."""

    model: str
    base_url: str | None = None
    key_variable: str = "OPENAI_API_KEY"
    served_as: str | None = None
    interface: Interface = "chat"  # base models cannot chat; they only complete a text
    prices: Prices | None = None
    context_tokens: int | None = None
    openness: str | None = None
    edition: str | None = None  # a name for a change behind the same model and address: kept answers of another edition are not used
    takes_temperature: bool = True
    reasoning_tokens: int = 0
    at_once: int = _AT_ONCE
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    patience: Patience = Patience()

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url or _DEFAULT_URL)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ModelError(f"'{self._shown_url()}' is not the address of an endpoint: write it like http://localhost:8000/v1")
        if parts.username or parts.password or parts.query:
            raise ModelError(
                f"the address {self._shown_url()} holds a key or a password: put it into an environment variable, and name that by --key-variable"
            )

    def _shown_url(self) -> str:
        parts = urlsplit(self.base_url or "")
        return f"{parts.scheme}://{parts.hostname}{parts.path}" if parts.hostname else (self.base_url or "")[:60]

    @property
    def where(self) -> str:
        """Return the endpoint in words."""
        return self.base_url or "the default endpoint"

    @property
    def name_there(self) -> str:
        """Return the name of the model at the server."""
        return self.served_as or self.model

    @property
    def described(self) -> dict[str, str | int | bool]:
        """Return what decides the answers beside the requests: the model's name at the server, its address, and settings."""
        told: dict[str, str | int | bool] = {"endpoint": self.where, "served_as": self.name_there, "interface": self.interface}
        told |= {"takes_temperature": self.takes_temperature, "reasoning_tokens": self.reasoning_tokens}
        return told if self.edition is None else told | {"edition": self.edition}

    @property
    def limits_by(self) -> str:
        """Return the parameter that limits the length of an answer. Servers other than OpenAI's all know the older name."""
        return "max_completion_tokens" if urlsplit(self.base_url or _DEFAULT_URL).hostname == "api.openai.com" else "max_tokens"

    def key(self) -> str:
        """Return the key from the environment, or "none" for a server of your own. Raise ModelError if OpenAI's server has no key."""
        key = os.environ.get(self.key_variable)
        if not key and self.limits_by == "max_completion_tokens":
            raise ModelError(
                f"the environment variable {self.key_variable} holds no key for {self.where}: set it, or give --base-url for a server without one"
            )
        return key or "none"

    def cost(self, input_tokens: int, cached_tokens: int, output_tokens: int) -> float:
        """Return the dollars of one call. They are 0 if no price is known, for example for a model of your own."""
        return 0.0 if self.prices is None else self.prices.cost(input_tokens, cached_tokens, output_tokens)
