"""OpenAI's older Completions API, for base models: they complete a text up to the end of the line."""

import openai

from language_models.chat import Json, Request
from language_models.endpoint import Endpoint
from language_models.errors import ModelError
from language_models.interfaces.chat import read
from language_models.interfaces.openai_server import connect, models, sampling

__all__ = ["HAS_BATCHES", "PACKAGE", "PATH", "body", "connect", "models", "read"]

PATH, PACKAGE, HAS_BATCHES = "/completions", openai, False


def body(request: Request, endpoint: Endpoint) -> Json:
    """Return the body that asks for a completion of the system's and the user's text."""
    only = f"model '{endpoint.model}' only completes texts and takes no"
    if request.images:
        raise ModelError(f"{only} pictures: use a chat model, or show it only the elements")
    if request.schema is not None:
        raise ModelError(f"{only} JSON schema: ask it for text (--reply text), or use a chat model")
    if request.tools or any(message.role in {"assistant", "tool"} for message in request.messages):
        raise ModelError(f"{only} conversation and no tools: use a chat model")
    made: Json = {"model": endpoint.name_there, endpoint.limits_by: request.max_tokens + endpoint.reasoning_tokens}
    made |= {"prompt": "\n\n".join(message.text for message in request.messages), "stop": ["\n"]}
    return made | sampling(request, endpoint)
