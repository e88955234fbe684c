"""An endpoint: the address of a model, its prices and its limits. The key stays in the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args
from urllib.parse import SplitResult, urlsplit

from language_models.errors import ModelError

Interface = Literal["chat", "completion", "responses", "anthropic"]
INTERFACES: tuple[Interface, ...] = get_args(Interface)
_OPENAI = ("https://api.openai.com/v1", "OPENAI_API_KEY")
_PUBLIC: Mapping[Interface, tuple[str, str]] = {
    **dict.fromkeys(INTERFACES, _OPENAI),
    "anthropic": ("https://api.anthropic.com", "ANTHROPIC_API_KEY"),
}  # the default addresses of the packages, and the usual variables of their keys
_AT_ONCE = 8
_GIVE_LOG_PROBABILITIES: tuple[Interface, ...] = ("chat", "responses")


@dataclass(frozen=True)
class Prices:
    """Dollars per million tokens."""

    input: float
    output: float
    cached_input: float | None = None
    written_input: float | None = None
    batch_share: float = 1.0  # share of these prices at the batch endpoint

    def cost(self, input_tokens: int, cached_tokens: int, output_tokens: int, written_tokens: int = 0) -> float:
        """Return the dollars of one call.

        Of all input tokens, the server had `cached_tokens` in its prefix cache, and it put `written_tokens` there.
        """
        cached_price = self.input if self.cached_input is None else self.cached_input
        written_price = self.input if self.written_input is None else self.written_input
        new_tokens = input_tokens - cached_tokens - written_tokens
        dollars = new_tokens * self.input + cached_tokens * cached_price + written_tokens * written_price + output_tokens * self.output
        return dollars / 1_000_000


@dataclass(frozen=True)
class Patience:
    """The attempts of a call, the time limit of one attempt, the first pause (it doubles each time), and the longest pause. Times are in seconds."""

    attempts: int = 6
    timeout: float = 180.0
    first_pause: float = 0.5
    longest_pause: float = 30.0


@dataclass(frozen=True)
class Endpoint:
    """A model at a server."""

    model: str
    base_url: str | None = None
    key_variable: str | None = None  # if missing: the usual one of the interface
    served_as: str | None = None
    interface: Interface = "chat"
    prices: Prices | None = None
    context_tokens: int | None = None
    openness: str | None = None
    edition: str | None = None  # a name for a change behind the same model and address: kept answers of another edition are not used
    takes_temperature: bool = True
    reasoning_tokens: int = 0
    log_probabilities: bool = False  # whether answers are asked for with the log probabilities of their tokens; then they are other answers
    at_once: int = _AT_ONCE
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    patience: Patience = Patience()

    def __post_init__(self) -> None:
        parts = self._address
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ModelError(f"'{self._shown_url()}' is not the address of an endpoint: write it like http://localhost:8000/v1")
        if parts.username or parts.password or parts.query:
            raise ModelError(
                f"the address {self._shown_url()} holds a key or a password: put it into an environment variable, and name that by --key-variable"
            )

        if self.log_probabilities and self.interface not in _GIVE_LOG_PROBABILITIES:
            raise ModelError(
                f"model '{self.model}' speaks the interface '{self.interface}', and log probabilities come only with "
                f"{' and '.join(_GIVE_LOG_PROBABILITIES)}: do not ask for them, or choose one of these by --interface"
            )

    @property
    def _address(self) -> SplitResult:
        return urlsplit(self.base_url or _PUBLIC[self.interface][0])

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
        told |= {"log_probabilities": True} if self.log_probabilities else {}
        return told if self.edition is None else told | {"edition": self.edition}

    @property
    def limits_by(self) -> str:
        """Return the parameter that limits the length of an answer. Servers other than OpenAI's all know the older name."""
        return "max_completion_tokens" if self._address.hostname == urlsplit(_OPENAI[0]).hostname else "max_tokens"

    @property
    def key_name(self) -> str:
        """Return the name of the environment variable that holds the key."""
        return self.key_variable or _PUBLIC[self.interface][1]

    def key(self) -> str:
        """Return the key from the environment, or "none" for a server of your own. Raise ModelError if a public server has no key."""
        key = os.environ.get(self.key_name)
        if not key and self._address.hostname in {urlsplit(address).hostname for address, _ in _PUBLIC.values()}:
            raise ModelError(
                f"the environment variable {self.key_name} holds no key for {self.where}: set it, or give --base-url for a server without one"
            )
        return key or "none"

    def cost(self, input_tokens: int, cached_tokens: int, output_tokens: int, written_tokens: int = 0) -> float:
        """Return the dollars of one call. They are 0 if no price is known, for example for a model of your own."""
        return 0.0 if self.prices is None else self.prices.cost(input_tokens, cached_tokens, output_tokens, written_tokens)
