"""What the interfaces of OpenAI-compatible servers share: the connection, the list of models, and pictures as URLs."""

from base64 import b64encode
from typing import Any

import openai

from language_models.chat import Json, Request
from language_models.endpoint import Endpoint


def connect(endpoint: Endpoint, key: str) -> openai.AsyncOpenAI:
    """Return the openai client with its faster transport. It does not retry: the caller decides that, because it knows the limits."""
    timeout = endpoint.patience.timeout
    transport = openai.DefaultAioHttpClient(timeout=timeout)
    return openai.AsyncOpenAI(base_url=endpoint.base_url, api_key=key, max_retries=0, timeout=timeout, http_client=transport)


async def models(connection: openai.AsyncOpenAI, endpoint: Endpoint) -> dict[str, dict[str, Any]]:
    """Return the models of the server by name, with what the server says about them."""
    page = await connection.models.list()
    return {model.id: model.model_dump() for model in page.data}


def sampling(request: Request, endpoint: Endpoint) -> Json:
    """Return the parameters of sampling, for models that take them."""
    if not endpoint.takes_temperature:
        return {}
    return {"temperature": request.temperature} | ({} if request.top_p is None else {"top_p": request.top_p})


def log_probabilities(given: Any) -> tuple[tuple[str, float], ...]:
    """Return the tokens of a reply with their log probabilities; none if the server gave none. LookupError, TypeError or ValueError otherwise."""
    return tuple((str(one["token"]), float(one["logprob"])) for one in given or ())


def data_url(image: bytes) -> str:
    """Return a picture as a URL that holds it."""
    return f"data:{kind_of(image)};base64,{b64encode(image).decode()}"


def kind_of(image: bytes) -> str:
    """Return the media type of a picture, PNG or JPEG."""
    return "image/jpeg" if image.startswith(b"\xff\xd8\xff") else "image/png"
