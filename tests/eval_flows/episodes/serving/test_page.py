"""Protects the page about driving the environment from outside: each of its programs runs as it stands there, and is short."""

import json
import re
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from machines.image import Image
from tests.conftest import REPOSITORY
from tests.eval_flows.episodes.serving.conftest import TOKEN

PAGE = (REPOSITORY / "docs/environment.md").read_text()
PROGRAMS = dict(re.findall(r"^## ([^\n]+)\n(?:(?!^## ).)*?^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))


class GenericEnvClient:
    """What the client of `openenv` 0.10.0 sends and reads; the package itself does not go together with the versions that are pinned here."""

    def __init__(self, base_url: str, headers: dict[str, str]) -> None:
        self._socket = connect(f"{base_url.replace('http', 'ws')}/ws", additional_headers=headers, max_size=None, proxy=None)

    def sync(self) -> "GenericEnvClient":
        return self

    def __enter__(self) -> "GenericEnvClient":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.send(json.dumps({"type": "close"}))
        self._socket.close()

    def reset(self, **data: Any) -> SimpleNamespace:
        return self._result({"type": "reset", "data": data})

    def step(self, action: dict[str, Any]) -> SimpleNamespace:
        return self._result({"type": "step", "data": action})

    def state(self) -> dict[str, Any]:
        return self._answer({"type": "state"})

    def _result(self, message: dict[str, Any]) -> SimpleNamespace:
        data = self._answer(message)
        return SimpleNamespace(observation=data["observation"], reward=data["reward"], done=data["done"])

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        self._socket.send(json.dumps(message))
        answer = json.loads(self._socket.recv())
        assert answer["type"] != "error", answer
        return dict(answer["data"])


def test_each_way_has_a_program_of_about_twenty_lines() -> None:
    lengths = {way: len([line for line in code.splitlines() if line]) for way, code in PROGRAMS.items()}
    assert set(lengths) == {"Import", "Gymnasium", "Serve", "OpenEnv"} and max(lengths.values()) <= 20 and lengths["Import"] == 5


@pytest.mark.rotates(of="programs of the pages", number=2)
@pytest.mark.slow(minutes=0.3)
def test_the_programs_of_the_page_play(address: str, image: Image, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("DESKMILL_DATA", str(image.machines.parent))
    monkeypatch.setenv("DESKMILL_TOKEN", TOKEN)
    monkeypatch.setitem(sys.modules, "openenv", ModuleType("openenv"))
    sys.modules["openenv"].GenericEnvClient = GenericEnvClient  # type: ignore[attr-defined]
    said = {}
    for way, code in PROGRAMS.items():
        exec(compile(code.replace("http://127.0.0.1:8700", address), f"docs/environment.md, {way}", "exec"), {})
        said[way] = capsys.readouterr().out
    assert said["Import"].splitlines()[-1] == "DONE 0.0" and "Mousepad" in said["Import"]
    assert "(800, 1280, 3)" in said["Gymnasium"] and said["Gymnasium"].splitlines()[2].startswith("0.0 True [{'check'")
    assert " 1 6\n" in said["Serve"] and said["Serve"].splitlines()[-1].startswith("0.0 [] [")
    assert said["OpenEnv"].splitlines()[-1] == "0.0 True" and " None False" in said["OpenEnv"]


def test_the_page_names_every_call_of_the_server(address: str) -> None:

    paths = httpx.get(f"{address}/openapi.json", headers={"Authorization": f"Bearer {TOKEN}"}).json()["paths"]
    calls = {
        f"{method.upper()} {re.sub('{session}', 'ID', path).replace('{suite}', 'SUITE')}" for path, methods in paths.items() for method in methods
    }
    assert len(calls) >= 11 and [call for call in sorted(calls) if f"`{call}`" not in PAGE] == []
