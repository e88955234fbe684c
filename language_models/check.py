"""Looking at an endpoint before anything is asked of it: is it there, does it take the key, does it serve the model, how long is its context.

Where the server says which weights it serves, they must be those whose answers are kept.
"""

import difflib
import json
from dataclasses import replace
from typing import Any

import openai

from language_models.client import Client
from language_models.endpoint import Endpoint
from language_models.errors import ModelError
from language_models.failures import classify

_WEIGHTS = ("n_params", "n_vocab", "n_embd", "size")  # of llama.cpp's `meta`
_NO_LIST = {404, 405, 501}  # servers that do not list what they serve


def check_endpoint(client: Client) -> Endpoint:
    """The client's endpoint, with the context length that its server states; ModelError in one line where it cannot serve the model."""
    endpoint = client.endpoint
    try:
        listed = client.run(_listed(client))
    except openai.APIStatusError as error:
        if error.status_code in _NO_LIST:
            return endpoint
        raise ModelError(classify(error, endpoint).words) from None
    except (openai.OpenAIError, OSError, ValueError) as error:
        raise ModelError(classify(error, endpoint).words) from None
    if listed and endpoint.name_there not in listed:
        near = difflib.get_close_matches(endpoint.name_there, listed, 1)
        meant = f"; did you mean '{near[0]}'?" if near else ""
        raise ModelError(f"{endpoint.where} does not serve model '{endpoint.name_there}'{meant} (it serves: {', '.join(sorted(listed)[:20])})")
    model = listed.get(endpoint.name_there, {})
    _refuse_other_weights(client, _weights(model))
    stated = _context(model)
    client.endpoint = endpoint if stated is None else replace(endpoint, context_tokens=min(stated, endpoint.context_tokens or stated))
    return client.endpoint


def _refuse_other_weights(client: Client, weights: str) -> None:
    """ModelError where the endpoint says that it serves other weights than those whose answers are kept: a run would mix two models."""
    if not weights:
        return
    endpoint = client.endpoint
    before = client.cache.served_before(json.dumps([endpoint.base_url, endpoint.name_there, endpoint.edition]), weights)
    if before != weights:
        raise ModelError(
            f"{endpoint.where} serves other weights as '{endpoint.name_there}' than those whose answers are kept ({weights}; before: {before}): "
            "add --ask-anew with a name, so that their runs and answers stay apart"
        )


async def _listed(client: Client) -> dict[str, dict[str, Any]]:
    """The models that the server serves, with what it says of them."""
    page = await client.connection.models.list()
    return {model.id: model.model_dump() for model in page.data}


def _weights(model: dict[str, Any]) -> str:
    """The weights behind a name (vLLM: root; llama.cpp: their sizes in meta); empty where the server says nothing of them."""
    meta = model.get("meta") or {}
    told = {"root": model.get("root"), **{name: meta.get(name) for name in _WEIGHTS}}
    return ", ".join(f"{name} {value}" for name, value in told.items() if value is not None)


def _context(model: dict[str, Any]) -> int | None:
    """The context length that the server states (vLLM: max_model_len; llama.cpp: meta.n_ctx)."""
    stated = model.get("max_model_len") or (model.get("meta") or {}).get("n_ctx")
    return int(stated) if stated else None
