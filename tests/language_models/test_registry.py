"""Protects the registry: models are found by name, one's own stand before ours, and mistakes are said before anything is asked."""

from pathlib import Path

import pytest

from language_models.check import check_endpoint
from language_models.client import Client
from language_models.endpoint import Endpoint, Prices
from language_models.errors import ModelError
from language_models.registry import find_endpoint, read_models
from tests.language_models.fake_server import FakeServer, fake_server

PAPER = ["gpt-5", "gpt-4o-mini", "qwen-2.5-7b-instruct", "qwen3-4b-instruct-2507", "qwen3-30b-a3b-instruct-2507"]
PAPER += ["gemma-3-270m", "gemma-3-4b-pt", "llama-3-8b", "phi-4"]


def test_the_models_of_the_paper_are_registered() -> None:
    models = read_models()
    assert list(models)[: len(PAPER)] == PAPER
    assert {name for name in PAPER if models[name].openness == "closed"} == {"gpt-5", "gpt-4o-mini"}
    assert all((model.prices is not None) == (model.openness == "closed") for model in models.values())


def test_models_for_native_computer_use_are_registered_with_their_interfaces() -> None:
    found = {name: find_endpoint(name) for name in ("gpt-5.4", "claude-opus-5", "ui-tars-1.5-7b")}
    assert [one.interface for one in found.values()] == ["responses", "anthropic", "chat"]
    assert [one.key_name for one in found.values()] == ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"]
    assert found["claude-opus-5"].prices == Prices(5, 25, 0.5, 6.25) and find_endpoint("gpt-5.4", interface="chat").interface == "chat"


def test_a_model_of_ones_own_adds_to_ours_and_stands_before_them(tmp_path: Path) -> None:
    own = tmp_path / "models.yaml"
    own.write_text("models:\n  phi-4: {openness: open, context_tokens: 9, base_url: 'http://gpu:1/v1', prices: {input: 1, output: 2}}\n")
    found = find_endpoint("phi-4", own=own)
    assert (found.context_tokens, found.base_url, found.prices) == (9, "http://gpu:1/v1", Prices(1, 2))
    assert find_endpoint("gpt-5", own=own).takes_temperature is False


def test_an_unknown_model_and_mistakes_in_ones_own_file_are_said(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"no model 'gpt5'; did you mean 'gpt-5'\? .*--base-url"):
        find_endpoint("gpt5")
    own = tmp_path / "models.yaml"
    own.write_text("models:\n  mine: {openness: ajar, context: 9}\n")
    with pytest.raises(ModelError) as error:
        find_endpoint("mine", own=own)
    assert all(words in str(error.value) for words in ("models.mine.openness", "models.mine.context_tokens", "models.mine.context: Extra"))
    own.write_text("models: {")
    with pytest.raises(ModelError, match="is not valid YAML"):
        find_endpoint("mine", own=own)


def test_any_model_at_an_address_needs_no_entry() -> None:
    assert find_endpoint("mine", "http://gpu:1/v1").name_there == "mine"
    assert find_endpoint("gemma-3-270m").interface == "completion"


def test_an_endpoint_is_looked_at_before_anything_is_asked(tmp_path: Path) -> None:
    with fake_server(lambda request: "yes", models=["big-model", "small"], context=4096) as server:
        with Client(Endpoint("small", server.base_url), tmp_path / "c", "") as client:
            assert check_endpoint(client).context_tokens == 4096
        with Client(Endpoint("smal", server.base_url), tmp_path / "c", "") as client, pytest.raises(ModelError) as error:
            check_endpoint(client)
        assert "does not serve model 'smal'; did you mean 'small'? (it serves: big-model, small)" in str(error.value)
        assert server.requests == []
    with fake_server(lambda request: "yes") as server, Client(Endpoint("m", server.base_url), tmp_path / "c", "") as client:
        assert check_endpoint(client).context_tokens is None
    with Client(Endpoint("m", "http://127.0.0.1:9/v1"), tmp_path / "c", "") as client, pytest.raises(ModelError, match="is the server running"):
        check_endpoint(client)


def test_other_weights_behind_the_same_name_are_refused_until_they_have_an_edition(tmp_path: Path) -> None:
    """A server that was started with another model under the same name got the first one's answers, and its run."""

    def look(server: FakeServer, edition: str | None = None) -> None:
        with Client(Endpoint("m", server.base_url, edition=edition), tmp_path / "calls.sqlite", "") as client:
            check_endpoint(client)

    with fake_server(lambda request: "yes", models=["m"]) as server:
        look(server)  # it says nothing of its weights
        server.told_of_models = {"root": "/models/small", "meta": {"n_params": 7, "n_ctx": 100}}
        look(server)
        server.told_of_models["meta"]["n_ctx"] = 200
        look(server)
        server.told_of_models = {"root": "/models/large", "meta": {"n_params": 70}}
        with pytest.raises(
            ModelError, match=r"other weights as 'm' .*root /models/large, n_params 70; before: root /models/small, n_params 7\): add --ask-anew"
        ):
            look(server)
        look(server, "large")
        server.told_of_models = {"root": "/models/small", "meta": {"n_params": 7}}
        look(server)
