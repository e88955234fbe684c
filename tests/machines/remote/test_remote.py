"""Protects machines that others run: each dialect starts and resets, and garbage, silence and a reset that did nothing are faults of the machine."""

import contextlib
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from machines.client import GuestClient
from machines.errors import MachineError, MachineNeeds
from machines.image import Image
from machines.machine import Client, Machine, MachineChoice
from machines.observation import read_elements
from machines.remote import machine as remote_machine
from machines.remote import network
from machines.sandbox import Sandbox
from tests.machines.guest.fake import app_of, guest, serving
from tests.machines.remote.servers import SCREEN, Osworld, Waa, hook, png, raw, served


def choice(folder: Path, address: str, **more: Any) -> MachineChoice:
    """A machine at that address; its file is written into the folder."""
    made = {
        "address": address, "platform": "linux", "screen": {"width": SCREEN[0], "height": SCREEN[1]}, "user": "agent", "home": str(folder / "home"), "snapshot": "clean",
        "programs": {"editor": {"command": ["editor"], "window_class": "Editor"}}, "reset": {"command": ["true"], "seconds": 2},
    }  # fmt: skip
    path = folder / "vm.yaml"
    path.write_text(yaml.safe_dump({**made, **more}))
    return MachineChoice("remote", "any", folder, {"file": str(path)})


def started(chosen: MachineChoice) -> str:
    """What is said when it starts in vain."""
    with pytest.raises((MachineError, MachineNeeds)) as error, chosen.make():
        pass
    return f"{type(error.value).__name__}: {error.value}"


def test_osworlds_server_starts_and_is_reset_by_a_hook(tmp_path: Path) -> None:
    server = Osworld(tmp_path)
    with served(server.app) as address, hook(server.reset) as reset:
        chosen = choice(tmp_path, address, dialect="osworld", reset={"url": reset, "seconds": 20})
        with chosen.make() as machine:
            machine.client.upload(str(server.home / "left.txt"), b"x")
            assert machine.client.file(str(server.home / "left.txt")) == b"x"
            machine.reset()
            assert machine.client.file(str(server.home / "left.txt")) is None
            assert machine.client.observe(["windows"]).windows
    assert server.resets == 3 and list(server.home.iterdir()) == [], "at the start, and once more; nothing of ours is left"


def test_windows_agent_arenas_server_starts_and_is_reset_by_a_command(tmp_path: Path) -> None:
    server = Waa(tmp_path)
    command = [sys.executable, "-c", f"import shutil; shutil.rmtree({str(server.home)!r}); import os; os.mkdir({str(server.home)!r})"]
    with served(server.app) as address:
        chosen = choice(tmp_path, address, platform="windows", home="C:\\Users\\Docker", reset={"command": command, "seconds": 20})
        with chosen.make() as machine:
            machine.client.act({"name": "move", "x": 7, "y": 9})
            machine.reset()
            machine.client.act({"name": "single_click"})
    assert server.done == [["moveTo", 7, 9], ["click"]]
    assert sum(path == "/update_computer" for path, _ in server.asked) == 2, "the server forgets its computer at a reset"


def forwarding(name: Callable[[], str]) -> Callable[[socket.socket, threading.Event], None]:
    """Sends a connection on to the Unix socket of that name."""

    def forward(connection: socket.socket, _: threading.Event) -> None:
        with socket.socket(socket.AF_UNIX) as inside:
            inside.connect(name())
            threads = [threading.Thread(target=_copied, args=ends, daemon=True) for ends in ((connection, inside), (inside, connection))]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    return forward


def _copied(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while more := source.recv(65536):
            target.sendall(more)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def test_our_own_server_in_a_sandbox_is_the_same_machine_over_the_network(image: Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[str, str]] = []
    over_socket = GuestClient.over_socket

    def kept(name: str, token: str) -> GuestClient:
        made.append((name, token))
        return over_socket(name, token)

    monkeypatch.setattr(GuestClient, "over_socket", kept)
    with Sandbox(image) as sandbox:

        def reset() -> None:
            sandbox.reset()
            monkeypatch.setenv("GUEST_TOKEN", made[-1][1])

        monkeypatch.setenv("GUEST_TOKEN", made[-1][1])
        with raw(forwarding(lambda: made[-1][0])) as address, hook(reset) as url:
            offers = image.offers
            chosen = choice(
                tmp_path, address, token_variable="GUEST_TOKEN", home=offers.home, screen=dict(zip(("width", "height"), offers.screen, strict=True)), reset={"url": url, "seconds": 60},
                programs={"notes": {"command": ["mousepad"], "window_class": "Mousepad"}},
            )  # fmt: skip
            machine: Machine = chosen.make()
            with machine:
                machine.client.act({"name": "open_program", "program": "notes"})
                assert _elements(machine.client, offers.screen)
                machine.reset()
                assert machine.client.observe(["windows"]).windows == ()
                monkeypatch.setenv("GUEST_TOKEN", "guess")
                assert "refuses the token in GUEST_TOKEN" in _refused(chosen)


def _refused(chosen: MachineChoice) -> str:
    machine = chosen.make()
    with pytest.raises(MachineNeeds) as error:
        machine._connected()  # type: ignore[attr-defined]
    return str(error.value)


def _elements(client: Client, screen: tuple[int, int]) -> bool:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if any(one.role == "text" for one in read_elements(client.observe(["tree"]).tree or "", screen)):
            return True
        time.sleep(0.1)
    return False


def test_a_machine_that_was_not_reset_is_found_out(tmp_path: Path) -> None:
    server = Osworld(tmp_path)
    with served(server.app) as address:
        said = started(choice(tmp_path, address, reset={"command": ["echo", "all is well"], "seconds": 1}))
    assert "MachineError: the machine was not reset within 1 s: the file " in said and "is still there. The reset said: all is well" in said


def test_a_reset_that_takes_its_time_is_waited_for(tmp_path: Path) -> None:
    server = Osworld(tmp_path)
    later = [sys.executable, "-c", f"import os, subprocess, sys\nsubprocess.Popen(['sh', '-c', 'sleep 0.7; rm -rf {server.home}/.deskmill*'])"]
    with served(server.app) as address, choice(tmp_path, address, reset={"command": later, "seconds": 20}).make() as machine:
        assert machine.client.observe(["windows"]).windows


@pytest.mark.parametrize(
    ("reset", "said"),
    [
        ({"command": ["sh", "-c", "echo no such domain; exit 3"]}, "the command of the reset ended with 3; it said: no such domain"),
        ({"command": ["sh", "-c", "sleep 60"], "seconds": 0.5}, "the command of the reset did not end within 0.5 s"),
        ({"url": "http://127.0.0.1:9/reset"}, "the hook of the reset does not answer: ConnectError"),
    ],
)
def test_a_reset_that_fails_is_told_with_what_it_said(reset: dict[str, Any], said: str, tmp_path: Path) -> None:
    with served(Osworld(tmp_path).app) as address:
        assert said in started(choice(tmp_path, address, reset=reset))


def test_a_hook_that_wants_a_token_gets_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Osworld(tmp_path)
    monkeypatch.setenv("HOOK_TOKEN", "secret")
    with served(server.app) as address, hook(server.reset) as url:
        assert "the hook of the reset answered 403: who are you?" in started(choice(tmp_path, address, reset={"url": url}))
        with choice(tmp_path, address, reset={"url": url, "token_variable": "HOOK_TOKEN"}).make() as machine:
            assert machine.client.observe(["windows"]).windows


def _http(content: bytes, status: str = "200 OK") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(content)}\r\nConnection: close\r\n\r\n".encode() + content


def _dripping(connection: socket.socket, ended: threading.Event) -> None:
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while not ended.wait(0.05):
        connection.sendall(b" ")


def _answering(content: bytes) -> Callable[[socket.socket, threading.Event], None]:
    def answer(connection: socket.socket, _: threading.Event) -> None:
        connection.recv(65536)
        connection.sendall(content)

    return answer


def _silent(_: socket.socket, ended: threading.Event) -> None:
    ended.wait(60)


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (_answering(_http(b"<html>It works!</html>")), "no guest server that is known answers there: /probe gave 200 '<html>It works!</html>'"),
        (_answering(_http(b"gone", "404 Not Found")), "no guest server that is known answers there: /probe gave 404 'gone'"),
        (_answering(b"SSH-2.0-OpenSSH_9.2\r\n"), "the machine does not answer: RemoteProtocolError"),
        (_answering(b""), "the machine does not answer: RemoteProtocolError"),
        (_silent, "the machine does not answer: ReadTimeout"),
        (_dripping, "the machine does not answer: ReadTimeout"),
    ],
    ids=["another server", "nothing known", "not HTTP", "hangs up", "silent", "dripping"],
)
def test_what_is_no_guest_server_is_a_fault_of_the_machine(behaviour: Any, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("machines.remote.dialect._SECONDS", 0.4)
    with raw(behaviour) as address:
        told = started(choice(tmp_path, address, reset={"command": ["true"], "seconds": 0.5}))
    assert told.startswith("MachineError: the machine was not reset within 0.5 s: ") and said in told


def test_nothing_at_the_address_is_a_fault_of_the_machine(tmp_path: Path) -> None:
    told = started(choice(tmp_path, "http://127.0.0.1:9", reset={"command": ["echo", "reverted"], "seconds": 0.5}))
    assert "the machine does not answer: ConnectError" in told and "The reset said: reverted" in told


def test_a_machine_that_is_switched_off_is_switched_on_by_its_first_reset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_machine, "_FIRST_SECONDS", 0.2)
    server = Osworld(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with contextlib.ExitStack() as stack:
        on: list[str] = []

        def reset() -> None:
            server.reset()
            if not on:
                on.append(stack.enter_context(served(server.app, port)))

        url = stack.enter_context(hook(reset))
        with choice(tmp_path, f"http://127.0.0.1:{port}", reset={"url": url, "seconds": 20}).make() as machine:
            assert machine.client.observe(["windows"]).windows


def test_a_machine_that_an_agent_has_broken_is_reset_all_the_same(tmp_path: Path) -> None:
    """Where nothing can be written, the file that checks the reset cannot be written either."""
    server = Osworld(tmp_path)
    with served(server.app) as address, hook(server.reset) as url:
        server.is_full = True
        with choice(tmp_path, address, reset={"url": url, "seconds": 20}).make() as machine:
            server.is_full = True
            machine.reset()
            assert machine.client.observe(["windows"]).windows and not server.is_full
    assert server.resets == 5, "made new, and twice two resets: one that mends, and one that is checked"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"platform": "windows", "home": "C:\\x"}, "platform windows, but it has linux"),
        ({"screen": {"width": 1, "height": 1}}, r"screen (1, 1), but it has (200, 100)"),
        ({"dialect": "waa"}, "dialect waa, but it has osworld"),
    ],
)
def test_a_machine_that_is_not_as_declared_is_the_users_to_correct(more: dict[str, Any], said: str, tmp_path: Path) -> None:
    with served(Osworld(tmp_path).app) as address:
        told = started(choice(tmp_path, address, **more))
        assert told.startswith("MachineNeeds") and said in told
        with pytest.raises(MachineNeeds) as error:
            choice(tmp_path, address, **more).check()
    assert said in str(error.value), "before anything starts, too"
    choice(tmp_path, address, **more).check()  # nothing answers there now: the first reset may switch it on


def test_a_wrong_token_is_the_users_to_correct(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GUEST_TOKEN", "guess")
    with serving(app_of(guest(tmp_path)[1])) as address:
        more: dict[str, Any] = {"platform": "windows", "home": "C:\\x"}
        assert (
            "MachineNeeds" in (told := started(choice(tmp_path, address, token_variable="GUEST_TOKEN", **more)))
            and "refuses the token in GUEST_TOKEN" in told
        )
        assert "refuses requests without a token: declare token_variable" in started(choice(tmp_path, address, **more))


def test_an_answer_has_an_end_in_time_and_in_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "_SECONDS", 0.3)
    with raw(_dripping) as address, pytest.raises(MachineError, match="does not answer: ReadTimeout"):
        GuestClient(network.client_of(address, None)).state()
    monkeypatch.setattr(network, "_LARGEST", 1000)
    with raw(_answering(_http(b"x" * 5000))) as address, pytest.raises(MachineError, match="larger than 1000 bytes"):
        GuestClient(network.client_of(address, None)).state()


def test_a_guest_server_that_cannot_leave_the_pointer_out_is_told_to_be_updated() -> None:
    """An earlier version of ours leaves out what it does not know."""
    with (
        raw(_answering(_http(b'{"seconds": 0}'))) as address,
        pytest.raises(MachineError, match="cannot leave the pointer out of pictures: update it"),
    ):
        GuestClient(network.client_of(address, None)).observe(["screenshot_without_pointer"])


def test_a_picture_that_is_cut_off_is_a_fault_of_the_machine() -> None:
    from machines.remote.osworld import OsworldGuest

    with raw(_answering(_http(png()[:-5]))) as address, pytest.raises(MachineError, match="no whole PNG"):
        OsworldGuest(network.client_of(address, None), "linux", SCREEN, {}).observe(["screenshot"])


def test_one_machine_is_used_by_one_episode_at_a_time(tmp_path: Path) -> None:
    """The second one waits for the first, also in another process; an owner that is killed leaves no lock."""
    server = Osworld(tmp_path)
    with served(server.app) as address, hook(server.reset) as url:
        chosen = choice(tmp_path, address, reset={"url": url, "seconds": 20})
        code = f"from machines.remote.machine import _locked\nfrom pathlib import Path\n_locked(Path({str(tmp_path)!r}), {address!r})\nprint('has it', flush=True)\ninput()"
        other = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert other.stdout is not None and other.stdout.readline() == "has it\n"
        order: list[str] = []

        def play() -> None:
            with chosen.make():
                order.append("played")

        waiting = threading.Thread(target=play)
        waiting.start()
        time.sleep(0.5)
        order.append("other ended")
        other.kill()
        other.wait()
        waiting.join(30)
    assert order == ["other ended", "played"]


def test_no_lock_and_no_connection_is_left_after_a_start_in_vain(tmp_path: Path) -> None:
    server = Osworld(tmp_path)
    with served(server.app) as address:
        assert "not reset" in started(choice(tmp_path, address, reset={"command": ["true"], "seconds": 0.3}))
        with hook(server.reset) as url, choice(tmp_path, address, reset={"url": url, "seconds": 20}).make() as machine:
            assert json.dumps(machine.identity, sort_keys=True) == json.dumps(chosen_identity(tmp_path, address), sort_keys=True)
        with pytest.raises(MachineError, match="not running"):
            _ = machine.client


def chosen_identity(tmp_path: Path, address: str) -> Any:
    return choice(tmp_path, address).make().identity
