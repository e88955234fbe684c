"""Parts that commands share: the options that name a language model, and the look-up of prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from language_models.client import Endpoint
    from warehouse.layout import DataFolder


_INTERFACES = ("chat", "completion", "responses", "anthropic")
_OF_ENDPOINTS = ("interface", "at_once", "key_variable", "edition", "base_url")  # the parameters of `model_options`


def model_options(command: Any) -> Any:
    """Add the options that name a model and its server."""
    for option in (
        click.option(
            "--interface", type=click.Choice(_INTERFACES), help="API of its server; completion is for base models (default: as registered)."
        ),
        click.option("--at-once", type=click.IntRange(1), help="Largest number of calls at once (default: as registered, or 8)."),
        click.option("--key-variable", help="Environment variable that holds the key (default: as registered, or that of the interface)."),
        click.option(
            "--ask-anew",
            "edition",
            metavar="NAME",
            help="Ask everything again, for example after the server was mended. NAME (v2, ...) is a new run with its own answers.",
        ),
        click.option("--base-url", help="Address of a server; any model there needs no entry in the registry."),
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


def runner_options(command: Any) -> Any:
    """Add the options that choose where work runs."""
    for option in (
        click.option("--workers", type=click.IntRange(1), help="Workers that the runner starts on this host (default: one for each processor)."),
        click.option("--address", help="Address of a scheduler of Dask, or of a cluster of Ray (default: one is started on this host)."),
        click.option("--runner", default="processes", show_default=True, help="Where work runs: processes, dask, ray, or the runner of a package."),
    ):
        command = option(command)
    return command


def endpoint_of(model: str, **asked: Any) -> Endpoint:
    """Return the endpoint of a model, with the options above; the user's own models are in the data folder."""
    from language_models.registry import find_endpoint
    from warehouse.layout import DataFolder

    return find_endpoint(model, **asked, own=DataFolder.from_environment().models)


def take_endpoint(model: str | None, chosen: dict[str, Any], **more: Any) -> Endpoint | None:
    """Take the options above out of `chosen`, and return the endpoint that they, the model and `more` settings name; None without a model."""
    asked = {name: chosen.pop(name) for name in _OF_ENDPOINTS}
    return endpoint_of(model, **asked, **more) if model else None


def prompt_of(data: DataFolder) -> Callable[[str], list[dict[str, str]] | None]:
    """Return a function that finds the prompt of a model call; the warehouse and the report know no language models."""
    from language_models.cache import read_request
    from language_models.told import told_messages

    def messages(call: str) -> list[dict[str, str]] | None:
        request = read_request(data.model_calls, call) if data.model_calls.is_file() else None
        return None if request is None else told_messages(request)

    return messages
