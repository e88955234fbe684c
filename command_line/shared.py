"""Parts that commands share: the options that name a language model, and the look-up of prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from language_models.client import Endpoint
    from warehouse.layout import DataFolder


_OF_ENDPOINTS = ("interface", "at_once", "key_variable", "edition", "base_url")  # the parameters of `model_options`


def model_options(command: Any) -> Any:
    """Add the options that name a model and its server."""
    for option in (
        click.option("--interface", type=click.Choice(["chat", "completion"]), help="completion is for base models (default: as registered)."),
        click.option("--at-once", type=click.IntRange(1), help="Largest number of calls at once (default: as registered, or 8)."),
        click.option("--key-variable", help="Environment variable that holds the key (default: as registered, or OPENAI_API_KEY)."),
        click.option(
            "--ask-anew",
            "edition",
            metavar="NAME",
            help="Ask everything again, for example after the server was mended. NAME (v2, ...) is a new run with its own answers.",
        ),
        click.option("--base-url", help="Address of an OpenAI-compatible server; any model there needs no entry in the registry."),
    ):
        command = option(command)
    return command


def machine_options(command: Any) -> Any:
    """Add the options that choose the machine."""
    for option in (
        click.option("--machine-option", nargs=2, multiple=True, metavar="NAME VALUE", help="An option of that kind of machine."),
        click.option("--machine", "machine_kind", default="sandbox", show_default=True, help="Kind of machine: one of Deskmill, or of a package."),
    ):
        command = option(command)
    return command


def endpoint_of(model: str, **asked: Any) -> Endpoint:
    """Return the endpoint of a model, with the options above; the user's own models are in the data folder."""
    from language_models.registry import find_endpoint
    from warehouse.layout import DataFolder

    return find_endpoint(model, **asked, own=DataFolder.from_environment().models)


def take_endpoint(model: str | None, chosen: dict[str, Any]) -> Endpoint | None:
    """Take the options above out of `chosen`, and return the endpoint that they and the model name; None without a model."""
    asked = {name: chosen.pop(name) for name in _OF_ENDPOINTS}
    return endpoint_of(model, **asked) if model else None


def prompt_of(data: DataFolder) -> Callable[[str], list[dict[str, str]] | None]:
    """Return a function that finds the prompt of a model call; the warehouse and the report know no language models."""
    from language_models.cache import read_request

    return lambda call: read_request(data.model_calls, call) if data.model_calls.is_file() else None
