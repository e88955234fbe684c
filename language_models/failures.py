"""Decide what follows from a failed call: try again, give the request up, or stop the run. The words never hold a key."""

import os
import re

import httpx2
import openai

from language_models.endpoint import Endpoint
from language_models.errors import Failure

_TRY_AGAIN = {408, 409, 425, 429}
_STOPS = {
    "401": "{where} refused the key in {variable}",
    "402": "{where} asks for payment first",
    "403": "{where} refused the key in {variable}",
    "404": "{where} has no model '{model}', or is not the address of an OpenAI-compatible API",
    "405": "{where} is not the address of an OpenAI-compatible API",
    "insufficient_quota": "the quota at {where} is used up",
}
_TOO_LONG = re.compile(r"context.{0,30}(length|size|window)|maximum context|too many tokens|prompt is too long", re.IGNORECASE)
_KEY_LIKE = re.compile(r"\b(?:sk|key|Bearer)[-_ ][\w-]{6,}", re.IGNORECASE)


def classify(error: Exception, endpoint: Endpoint) -> Failure:
    """Return the failure for an error of the openai client, or for a malformed answer (ValueError)."""
    match error:
        case openai.APITimeoutError() if isinstance(error.__cause__, httpx2.ConnectTimeout):  # aiohttp raises this for a refused connection
            return Failure("again", f"{endpoint.where} cannot be reached; is the server running?", unreachable=True)
        case openai.APITimeoutError():
            return Failure("again", f"{endpoint.where} gave no answer in {endpoint.patience.timeout:g} s", overloaded=True, timed_out=True)
        case openai.APIStatusError():
            return _of_status(error, endpoint)
        case openai.APIConnectionError() | OSError():
            return Failure("again", f"{endpoint.where} cannot be reached; is the server running?", unreachable=True)
        case openai.APIResponseValidationError() | ValueError():
            return Failure("again", f"{endpoint.where} sent something that is not a chat completion")
        case _:
            return Failure("stop", f"{endpoint.where} gave no answer from model '{endpoint.model}': {type(error).__name__}")


def _of_status(error: openai.APIStatusError, endpoint: Endpoint) -> Failure:
    status, said, retry_after = error.status_code, _redacted(_message(error), endpoint), _retry_after(error)
    where = endpoint.where
    if words := _STOPS.get("insufficient_quota" if error.code == "insufficient_quota" else str(status)):
        return Failure("stop", words.format(where=where, variable=endpoint.key_variable, model=endpoint.name_there))
    if status in {429, 503, 529}:
        return Failure("again", f"{where} answered {status}: it is overloaded", overloaded=True, retry_after=retry_after)
    if status in _TRY_AGAIN or status >= 500:
        return Failure("again", f"{where} answered {status}: {said}", retry_after=retry_after)
    too_long = error.code == "context_length_exceeded" or _TOO_LONG.search(said) is not None
    remedy = "; the request is too long for its context: give it fewer cards or examples" if too_long else ""
    return Failure("give_up", f"{where} answered {status} to model '{endpoint.model}': {said}{remedy}", too_long=too_long)


def _message(error: openai.APIStatusError) -> str:
    body = error.body
    message = body.get("message") if isinstance(body, dict) else None
    return " ".join(str(message or "no reason given").split())[:200]


def _redacted(text: str, endpoint: Endpoint) -> str:
    """Return the text without the key and everything that looks like a key, because servers quote keys that they refuse."""
    key = os.environ.get(endpoint.key_variable)
    return _KEY_LIKE.sub("[key]", text.replace(key, "[key]") if key else text)


def _retry_after(error: openai.APIStatusError) -> float | None:
    """Return the seconds that the server asks to wait, or None if it does not say so in seconds."""
    headers = error.response.headers
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit)
        except (KeyError, ValueError):
            continue
    return None
