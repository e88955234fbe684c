"""Looking at an endpoint before anything is asked of it: is it there, does it take the key, does it serve the model, how long is its context."""

import difflib
from dataclasses import replace
from typing import Any

import openai

from language_models.client import Client
from language_models.endpoint import Endpoint
from language_models.errors import ModelError
from language_models.failures import classify

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
    stated = listed.get(endpoint.name_there)
    client.endpoint = endpoint if stated is None else replace(endpoint, context_tokens=min(stated, endpoint.context_tokens or stated))
    return client.endpoint


async def _listed(client: Client) -> dict[str, int | None]:
    """The models that the server serves, with their context lengths where it says them (vLLM: max_model_len; llama.cpp: meta.n_ctx)."""
    page = await client.connection.models.list()
    return {model.id: _context(model.model_dump()) for model in page.data}


def _context(model: dict[str, Any]) -> int | None:
    stated = model.get("max_model_len") or (model.get("meta") or {}).get("n_ctx")
    return int(stated) if stated else None
