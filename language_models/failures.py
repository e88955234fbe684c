"""Decide what follows from a failed call: try again, give the request up, or stop the run. The words never hold a key."""

import os
import re
from types import ModuleType
from typing import Any

import httpx2

from language_models.endpoint import Endpoint
from language_models.errors import Excess, FailedReply, Failure
from language_models.interface import interface_of

_TRY_AGAIN = {408, 409, 425, 429}
_STOPS = {
    "401": "{where} refused the key in {variable}",
    "402": "{where} asks for payment first",
    "403": "{where} refused the key in {variable}",
    "404": "{where} has no model '{model}', or is not the address of such an API",
    "405": "{where} is not the address of such an API",
    "insufficient_quota": "the quota at {where} is used up",
}
_LONG_CODE, _LONG_STATUS = "context_length_exceeded", 413  # the status is for megabytes of pictures
_LONG = re.compile(r"context.{0,30}(length|size|window)|maximum (context|model length)|too many tokens|prompt is too long", re.IGNORECASE)
_LARGE_CODES = {"image_too_large", "image_file_too_large"}  # of OpenAI
# Anthropic: "image exceeds 5 MB maximum", "image dimensions exceed max allowed size"; vLLM: "image item with length 4200, which exceeds ..."
_LARGE = re.compile(r"\b(image|picture)\b.{0,80}\b(exceeds?|too (large|big)|larger than)\b", re.IGNORECASE)
SHORTER = "give it fewer cards, examples or pictures, or use a model with a longer context"
_REMEDIES = {
    "request": f"; the request is too long for its context: {SHORTER}",
    "picture": "; a picture is too large for it: give it smaller ones, such as --picture 1024,png,pointer",
}
_KEY_LIKE = re.compile(r"\b(?:sk|key|Bearer)[-_ ][\w-]{6,}", re.IGNORECASE)


def classify(error: Exception, endpoint: Endpoint) -> Failure:
    """Return the failure for an error of the client, or for an answer that is malformed or says that it failed (ValueError)."""
    package, where = interface_of(endpoint).PACKAGE, endpoint.where
    if isinstance(error, package.APIStatusError):
        return _of_status(error, endpoint)
    if isinstance(error, package.APIConnectionError | OSError):
        return _of_connection(error, package, endpoint)
    if isinstance(error, FailedReply):
        said, excess = _redacted(str(error), endpoint), None if error.can_help else _excess(error.code, str(error))
        words = f"{where} gave no answer from model '{endpoint.model}': {said}{_remedy(excess)}"
        return Failure("again" if error.can_help else "give_up", words, excess=excess)
    if isinstance(error, package.APIResponseValidationError | ValueError):
        return Failure("again", f"{where} sent something that is no answer of the interface '{endpoint.interface}'")
    return Failure("stop", f"{where} gave no answer from model '{endpoint.model}': {type(error).__name__}")


def _of_connection(error: Exception, package: ModuleType, endpoint: Endpoint) -> Failure:
    where = endpoint.where
    is_refused = isinstance(error.__cause__, httpx2.ConnectTimeout)  # aiohttp raises this for a refused connection
    if isinstance(error, package.APITimeoutError) and not is_refused:
        return Failure("again", f"{where} gave no answer in {endpoint.patience.timeout:g} s", overloaded=True, timed_out=True)
    return Failure("again", f"{where} cannot be reached; is the server running?", unreachable=True)


def _of_status(error: Any, endpoint: Endpoint) -> Failure:
    """Return the failure for an APIStatusError, which each package has."""
    code, message = _told(error.body)
    status, said, retry_after = int(error.status_code), _redacted(message, endpoint), _retry_after(error)
    where = endpoint.where
    if words := _STOPS.get("insufficient_quota" if code == "insufficient_quota" else str(status)):
        return Failure("stop", words.format(where=where, variable=endpoint.key_name, model=endpoint.name_there))
    if status in {429, 503, 529}:
        return Failure("again", f"{where} answered {status}: it is overloaded", overloaded=True, retry_after=retry_after)
    if status in _TRY_AGAIN or status >= 500:
        return Failure("again", f"{where} answered {status}: {said}", retry_after=retry_after)
    excess = "request" if status == _LONG_STATUS else _excess(code, message)
    return Failure("give_up", f"{where} answered {status} to model '{endpoint.model}': {said}{_remedy(excess)}", excess=excess)


def _excess(code: str, message: str) -> Excess | None:
    """Return what of a refused request was too much, by the server's code or its words; None if it was refused for something else."""
    if code == _LONG_CODE or _LONG.search(message):
        return "request"
    return "picture" if code in _LARGE_CODES or _LARGE.search(message) else None


def _remedy(excess: Excess | None) -> str:
    return "" if excess is None else _REMEDIES[excess]


def _told(body: object) -> tuple[str, str]:
    """Return the code and the message of an error's body. Some packages take it out of `error`, others leave it there."""
    told = body.get("error", body) if isinstance(body, dict) else {}
    if not isinstance(told, dict):
        return "", str(told)
    return str(told.get("code") or ""), " ".join(str(told.get("message") or "no reason given").split())[:200]


def _redacted(text: str, endpoint: Endpoint) -> str:
    """Return the text without the key and everything that looks like a key, because servers quote keys that they refuse."""
    key = os.environ.get(endpoint.key_name)
    return _KEY_LIKE.sub("[key]", text.replace(key, "[key]") if key else text)


def _retry_after(error: Any) -> float | None:
    """Return the seconds that the server asks to wait, or None if it does not say so in seconds."""
    headers = error.response.headers
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit)
        except (KeyError, ValueError):
            continue
    return None
