"""Where a model answers, what it costs there and how much it takes at once; the key itself stays in the environment."""

import os
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from language_models.errors import ModelError

_DEFAULT_URL = "https://api.openai.com/v1"  # that of the openai package
_AT_ONCE = 8

Interface = Literal["chat", "completion"]


@dataclass(frozen=True)
class Prices:
    """Dollars per million tokens."""

    input: float
    output: float
    cached_input: float | None = None
    batch_share: float = 1.0  # of these prices, by the batch endpoint

    def cost(self, input_tokens: int, cached_tokens: int, output_tokens: int) -> float:
        """Dollars of one call; `cached_tokens` are those of the input that the server had in its prefix cache."""
        cached_price = self.input if self.cached_input is None else self.cached_input
        return ((input_tokens - cached_tokens) * self.input + cached_tokens * cached_price + output_tokens * self.output) / 1_000_000


@dataclass(frozen=True)
class Patience:
    """How often a call is tried, how long one try may take, and the first pause, which doubles each time; in seconds."""

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
    interface: Interface = "chat"  # base models, which were never taught to chat, only complete a text
    prices: Prices | None = None
    context_tokens: int | None = None
    openness: str | None = None
    edition: str | None = None  # a name for what changed behind the same model and address: what is kept of another edition is not used
    takes_temperature: bool = True
    reasoning_tokens: int = 0
    at_once: int = _AT_ONCE
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    patience: Patience = Patience()

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url or _DEFAULT_URL)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ModelError(f"'{self._shown_url()}' is no address of an endpoint: write it like http://localhost:8000/v1")
        if parts.username or parts.password or parts.query:
            raise ModelError(
                f"the address {self._shown_url()} holds a key or a password: put it into an environment variable and name that (--key-variable)"
            )

    def _shown_url(self) -> str:
        parts = urlsplit(self.base_url or "")
        return f"{parts.scheme}://{parts.hostname}{parts.path}" if parts.hostname else (self.base_url or "")[:60]

    @property
    def where(self) -> str:
        """The endpoint in words."""
        return self.base_url or "the default endpoint"

    @property
    def name_there(self) -> str:
        """The model's name as the server knows it."""
        return self.served_as or self.model

    @property
    def described(self) -> dict[str, str | int | bool]:
        """What decides its answers beside the requests: the model as the server knows it, its address, and what is sent along."""
        told: dict[str, str | int | bool] = {"endpoint": self.where, "served_as": self.name_there, "interface": self.interface}
        told |= {"takes_temperature": self.takes_temperature, "reasoning_tokens": self.reasoning_tokens}
        return told if self.edition is None else told | {"edition": self.edition}

    @property
    def limits_by(self) -> str:
        """The parameter that bounds an answer: servers other than OpenAI's all know the older name."""
        return "max_completion_tokens" if urlsplit(self.base_url or _DEFAULT_URL).hostname == "api.openai.com" else "max_tokens"

    def key(self) -> str:
        """The key, from the environment; ModelError where there must be one and is none. Servers of one's own need none."""
        key = os.environ.get(self.key_variable)
        if not key and self.limits_by == "max_completion_tokens":
            raise ModelError(
                f"the environment variable {self.key_variable} holds no key for {self.where}; set it, or give --base-url for a server that needs none"
            )
        return key or "none"

    def cost(self, input_tokens: int, cached_tokens: int, output_tokens: int) -> float:
        """Dollars of one call; 0 where no price is known, as with a model of one's own."""
        return 0.0 if self.prices is None else self.prices.cost(input_tokens, cached_tokens, output_tokens)
