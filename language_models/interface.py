"""Interfaces: each is an API of model servers, in one module that turns a request into a body and a reply into an answer.

A new one is one module, one line here, and one in `language_models.endpoint`.
"""

from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol, cast

from language_models.chat import Answer, Request
from language_models.endpoint import Endpoint
from language_models.endpoint import Interface as Name

_PLACES: Mapping[Name, str] = {
    "chat": "language_models.interfaces.chat",
    "completion": "language_models.interfaces.completion",
    "responses": "language_models.interfaces.responses",
    "anthropic": "language_models.interfaces.anthropic",
}


class Interface(Protocol):
    """What a module of an interface has. Its `package` speaks with the server; its errors have the names of the openai package's."""

    PATH: str  # where requests go, below the address
    PACKAGE: ModuleType
    HAS_BATCHES: bool  # whether OpenAI's batch endpoint takes its requests

    def connect(self, endpoint: Endpoint, key: str) -> Any:
        """Return a client of the package, which does not try again by itself."""
        ...

    async def models(self, connection: Any, endpoint: Endpoint) -> dict[str, dict[str, Any]]:
        """Return what the server says about its models, by name; at least about the endpoint's."""
        ...

    def body(self, request: Request, endpoint: Endpoint) -> dict[str, Any]:
        """Return the body that is sent. It is part of the cache key, with the address. ModelError for what the API cannot say."""
        ...

    def read(self, reply: dict[str, Any], latency_ms: float, endpoint: Endpoint) -> Answer:
        """Return the answer in a reply. ValueError if the server sent something else, FailedReply if it sent an error as its reply."""
        ...


def interface_of(endpoint: Endpoint) -> Interface:
    """Return the interface of an endpoint; its module and package are imported when they are needed."""
    return cast("Interface", import_module(_PLACES[endpoint.interface]))
