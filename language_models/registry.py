"""The registry of models, declared in `models.yaml` here and in your own `models.yaml` in the data folder."""

import difflib
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from language_models.endpoint import Endpoint, Interface, Prices
from language_models.errors import ModelError

MODELS_FILE = Path(__file__).parent / "models.yaml"


class _Declared(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DeclaredPrices(_Declared):
    """Dollars per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached_input: float | None = Field(None, ge=0, description="for input that the server has in its prefix cache")
    written_input: float | None = Field(None, ge=0, description="for input that the server puts into its prefix cache")
    batch_share: float = Field(1.0, gt=0, le=1, description="share of these prices that the batch endpoint takes")


class DeclaredModel(_Declared):
    """A model, its server and its limits."""

    served_as: str | None = Field(None, description="its name at the server, if it differs")
    base_url: str | None = Field(None, description="if missing: the public server of the interface")
    key_variable: str | None = Field(None, description="name of the environment variable that holds the key; never the key itself")
    interface: Interface = Field("chat", description="the API of its server; completion is for base models, which cannot chat")
    openness: Literal["open", "closed"]
    context_tokens: int = Field(gt=0)
    prices: DeclaredPrices | None = Field(None, description="if missing: the model costs nothing")
    takes_temperature: bool = Field(True, description="reasoning models refuse the parameter")
    reasoning_tokens: int = Field(0, ge=0, description="tokens for thinking, in addition to the tokens of the answer")
    log_probabilities: bool = Field(False, description="whether answers are asked for with the log probabilities of their tokens")
    at_once: int = Field(8, ge=1, description="the most calls in flight")
    requests_per_minute: int | None = Field(None, gt=0)
    tokens_per_minute: int | None = Field(None, gt=0)


class DeclaredPeople(_Declared):
    """The price of people's time, which the warehouse reads."""

    dollars_an_hour: float = Field(ge=0)


class DeclaredModels(_Declared):
    """Models by name, and what people cost beside them."""

    models: dict[str, DeclaredModel] = Field(default_factory=dict)
    people: DeclaredPeople | None = None


def read_models(own: Path | None = None) -> dict[str, DeclaredModel]:
    """Return all declared models. The file `own`, if it exists, adds models and replaces ours of the same name. ModelError names all problems."""
    models = _read(MODELS_FILE)
    return models | _read(own) if own is not None and own.is_file() else models


def find_endpoint(name: str, base_url: str | None = None, key_variable: str | None = None, at_once: int | None = None,
                  interface: Interface | None = None, edition: str | None = None, own: Path | None = None,
                  log_probabilities: bool = False) -> Endpoint:  # fmt: skip
    """Return the endpoint of a registered model, or of any model at `base_url`. Raise ModelError for an unknown name without `base_url`."""
    models = read_models(own)
    declared = models.get(name)
    if declared is None and base_url is None:
        near = difflib.get_close_matches(name, models, 1)
        meant = f"; did you mean '{near[0]}'?" if near else ""
        raise ModelError(f"no model '{name}'{meant} (registered: {', '.join(models)}; or give the address of a server with --base-url)")
    if declared is None or base_url is not None:
        at_once, interface = at_once or 8, interface or "chat"
        return Endpoint(name, base_url, key_variable, interface=interface, at_once=at_once, edition=edition, log_probabilities=log_probabilities)
    return Endpoint(
        model=name,
        base_url=declared.base_url,
        key_variable=key_variable or declared.key_variable,
        served_as=declared.served_as,
        interface=interface or declared.interface,
        prices=Prices(**declared.prices.model_dump()) if declared.prices else None,
        context_tokens=declared.context_tokens,
        openness=declared.openness,
        edition=edition,
        takes_temperature=declared.takes_temperature,
        reasoning_tokens=declared.reasoning_tokens,
        log_probabilities=log_probabilities or declared.log_probabilities,
        at_once=at_once or declared.at_once,
        requests_per_minute=declared.requests_per_minute,
        tokens_per_minute=declared.tokens_per_minute,
    )


def _read(path: Path) -> dict[str, DeclaredModel]:
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        return DeclaredModels.model_validate(content).models
    except yaml.YAMLError as error:
        raise ModelError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from None
    except ValidationError as error:
        problems = "\n".join(f"  {'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors())
        raise ModelError(f"{path} has mistakes:\n{problems}") from None
