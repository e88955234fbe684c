"""Check an endpoint before the first request: whether it can be reached, accepts the key and serves the model, and how long its context is.

If the server says which weights it serves, they must be the weights of the kept answers.
"""

import difflib
import json
from dataclasses import replace
from typing import Any

from language_models.client import Client
from language_models.endpoint import Endpoint
from language_models.errors import ModelError
from language_models.failures import classify
from language_models.interface import interface_of

_WEIGHTS = ("n_params", "n_vocab", "n_embd", "size")  # of llama.cpp's `meta`
_NO_LIST = {404, 405, 501}  # servers that do not list their models


def check_endpoint(client: Client) -> Endpoint:
    """Return the client's endpoint with the context length that its server states. Raise a one-line ModelError if it cannot serve the model."""
    endpoint, interface = client.endpoint, interface_of(client.endpoint)
    try:
        listed = client.run(interface.models(client.connection, endpoint))
    except (interface.PACKAGE.APIError, OSError, ValueError) as error:
        if getattr(error, "status_code", None) in _NO_LIST:
            return endpoint
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
    """Raise ModelError if the endpoint serves other weights than the weights of the kept answers: a run would mix two models."""
    if not weights:
        return
    endpoint = client.endpoint
    before = client.cache.served_before(json.dumps([endpoint.base_url, endpoint.name_there, endpoint.edition]), weights)
    if before != weights:
        raise ModelError(
            f"{endpoint.where} now serves other weights as '{endpoint.name_there}' than for the kept answers ({weights}; before: {before}): "
            "add --ask-anew with a name, so that runs and answers of both stay apart"
        )


def _weights(model: dict[str, Any]) -> str:
    """Return the weights behind a name (vLLM: root; llama.cpp: their sizes in meta), or an empty text if the server does not say."""
    meta = model.get("meta") or {}
    told = {"root": model.get("root"), **{name: meta.get(name) for name in _WEIGHTS}}
    return ", ".join(f"{name} {value}" for name, value in told.items() if value is not None)


def _context(model: dict[str, Any]) -> int | None:
    """Return the context length that the server states (vLLM: max_model_len; llama.cpp: meta.n_ctx; Anthropic: max_input_tokens), or None."""
    stated = model.get("max_model_len") or (model.get("meta") or {}).get("n_ctx") or model.get("max_input_tokens")
    return int(stated) if stated else None
