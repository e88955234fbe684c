"""Protects the guest's side of code: its calls come out one after another, what it says is bounded, and nothing else on the machine can call for it."""

import re
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from machines.client import GuestClient
from machines.errors import MachineError
from machines.guest.code.running import Running, _bounded, _why
from tests.machines.guest.fake import FakePlatform, app_of, guest, serving

TOKEN = {"Authorization": "Bearer secret"}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx.Client]:
    with serving(app_of(guest(tmp_path)[1])) as address, httpx.Client(base_url=address, timeout=60.0) as made:
        yield made


def post(client: httpx.Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = client.post(path, json=body, headers=TOKEN).json()
    assert isinstance(answer, dict)
    return answer


def test_calls_come_out_one_after_another_and_the_end_says_what_was_printed(client: httpx.Client) -> None:
    code = "computer.mouse.move_id(id=3)\ntry:\n    pyautogui.write('é', 0)\nexcept Exception as error:\n    print('refused:', error)\nprint(pyautogui.size(), pyautogui.position())"
    first = post(client, "/code/begin", {"code": code})
    assert first == {"call": {"name": "computer.mouse.move_id", "given": [], "named": {"id": 3}}}
    second = post(client, "/code/answer", {"value": None})
    assert second == {"call": {"name": "write", "given": ["é"], "named": {}}}
    assert post(client, "/code/answer", {"refused": "no such key"}) == {"ended": {"said": "refused: no such key\n(200, 100) (3, 4)\n", "why": ""}}


def test_code_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    running = Running(FakePlatform(tmp_path))
    assert running.begin("import time\nprint('begun')\ntime.sleep(60)", seconds=3) == {"ended": {"said": "begun\n", "why": "it was ended after 3 s"}}
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    assert running.begin("1")["ended"]["why"].startswith("it could not be started")


def test_only_the_code_itself_can_call_and_only_with_what_is_a_call(tmp_path: Path) -> None:
    """Another program on the machine may connect, and say anything: nothing comes of it."""
    others = [
        b"GET / HTTP/1.1\n",
        b"[" * 100_000 + b"\n",
        b'{"word": "x", "name": "write", "given": [], "named": {}}\n',
        b'{"word": 1}\n',
        b"\n",
        b"",
    ]
    code = "from machines.guest.code import calling\nopen('port', 'w').write(str(calling._line.port))\npyautogui.press('a')\nprint('on')"
    running = Running(FakePlatform(tmp_path))
    assert running.begin(code)["call"]["name"] == "press"
    port = int((tmp_path / "port").read_text())
    for line in others:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(line)
            connection.shutdown(socket.SHUT_WR)
            assert connection.recv(100) == b""
    assert running.answer({"value": None}) == {"ended": {"said": "on\n", "why": ""}}


def test_what_code_says_is_bounded_and_why_it_ended_is_said() -> None:
    said = _bounded(b"a" * 5000 + b"z" * 5000)
    assert said.startswith("a" * 2000) and said.endswith("z" * 2000) and "6,000 characters left out" in said
    assert _bounded(b"\xff\x00!") == "\ufffd\ufffd!"
    assert (_why(0), _why(3)) == ("", "it ended with status 3")
    assert "SIGKILL, maybe since it used too much memory" in _why(-9) and _why(-11) == "it was ended by SIGSEGV"


def test_a_guest_server_without_code_is_told_apart_from_one_that_failed() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(404, json={"message": "no such address"})

    client = GuestClient(httpx.Client(transport=httpx.MockTransport(answer), base_url="http://guest"))
    with pytest.raises(MachineError, match=re.escape("of an earlier version, which runs no code: update it")):
        client.run_code("1", lambda *_: "")
