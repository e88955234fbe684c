"""Protects the gateway where no real machine is needed: paths and commands, places and their machines, refusals in words, films, and forwarding."""

import contextlib
import io
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient
from PIL import Image

from machines.actions import ACTIONS
from machines.client import GuestClient, Observed, Window
from machines.errors import MachineError, MachineNeeds
from machines.gateway import recording
from machines.gateway.commands import Commands
from machines.gateway.forwarding import forward
from machines.gateway.place import Place, Ports
from machines.gateway.places import AllInUse, NoSuchMachine, Places, create_control
from machines.gateway.protocol import create_gateway
from machines.gateway.recording import Recording
from machines.gateway.serve import Served, serve_machines
from machines.gateway.terminal import shown_in_terminal
from machines.machine import Client, Machine, MachineChoice, Offers
from machines.remote.network import client_of
from tests.machines.guest.fake import app_of, guest, serving
from tests.machines.remote.test_declaration import SOUND, declared

OFFERS = Offers("linux", "agent", "/home/agent", (1280, 800), {}, frozenset(ACTIONS))
_STATES = "https://accessibility.ubuntu.example.org/ns/state"


def png(colour: str, size: tuple[int, int] = (64, 49)) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, "PNG")
    return file.getvalue()


class Guest:
    """A client of a machine that notes what it runs; `ends` is what commands end with."""

    def __init__(self) -> None:
        self.ran: list[list[str]] = []
        self.launched: list[list[str]] = []
        self.files: dict[str, bytes] = {}
        self.ends = 0
        self.looks = 0

    def execute(self, command: Any, shell: bool = False) -> dict[str, Any]:
        if not shell:
            self.ran.append(command[4:])
        return {"output": "", "error": "no", "returncode": self.ends}

    def launch(self, command: Any, shell: bool = False) -> None:
        self.launched.append(command[4:])

    def upload(self, path: str, content: bytes) -> None:
        self.files[path] = content

    def open_file(self, path: str) -> None:
        self.launched.append([path])

    def file(self, path: str) -> bytes | None:
        return self.files.get(path)

    def activate_window(self, name: str, strict: bool = False, by_class: bool = False) -> bool:
        return name == "Notes"

    def observe(self, what: Any) -> Observed:
        self.looks += 1
        return Observed(png("red"), "<desktop-frame/>", (Window("Notes", "Editor", 1, 0, 0, 640, 480, True),))


class Counted(Machine):
    """A machine that counts how often it was started, reset and stopped."""

    def __init__(self, fails: bool = False, offers: Offers = OFFERS) -> None:
        self.guest = Guest()
        self.life: list[str] = []
        self.fails = fails
        self._offers = offers

    @property
    def client(self) -> Client:
        return cast("Client", self.guest)

    @property
    def offers(self) -> Offers:
        return self._offers

    @property
    def identity(self) -> dict[str, Any]:
        return {}

    def check(self) -> None:
        return None

    def start(self) -> None:
        if self.fails:
            raise MachineError("it does not come up")
        self.life.append("start")

    def reset(self) -> None:
        self.life.append("reset")

    def stop(self) -> None:
        self.life.append("stop")


def place_of(machine: Counted, name: str = "1") -> Place:
    return Place(name, machine, Ports(5001, 5002, 5003))


@pytest.fixture
def machine() -> Counted:
    return Counted()


@pytest.fixture
def http(machine: Counted) -> TestClient:
    place = place_of(machine)
    place.start()
    machine.guest.ran.clear()
    return TestClient(create_gateway(place), raise_server_exceptions=False)


@pytest.mark.parametrize(
    ("text", "here"),
    [
        ("/home/user/Desktop/a.txt", "/home/agent/Desktop/a.txt"),
        ("cp /home/user/a '/home/user/b c' && ls /home/user", "cp /home/agent/a '/home/agent/b c' && ls /home/agent"),
        ("~/a.txt", "/home/agent/a.txt"),
        ("/home/user2/a /home/user.bak /home/user-old", "/home/user2/a /home/user.bak /home/user-old"),
        ("echo ~/a", "echo ~/a"),
    ],
)
def test_paths_of_their_user_are_those_of_the_machine(text: str, here: str) -> None:
    assert Commands(cast("Client", Guest()), "/home/agent").here(text) == here
    assert Commands(cast("Client", Guest()), "/home/user").here(text) == text.replace("~/a.txt", "/home/user/a.txt"), (
        "where it is the same, nothing changes"
    )


@pytest.mark.parametrize(
    ("asked", "ran"),
    [
        ({"command": ["python", "-c", "print('/home/user/a')"]}, ["python", "-c", "print('/home/agent/a')"]),
        ({"command": "ls -l '/home/user/a b'"}, ["ls", "-l", "/home/agent/a b"]),
        ({"command": "ls | wc -l", "shell": True}, ["/bin/sh", "-c", "ls | wc -l"]),
        ({"command": ["ls", "|", "wc", "-l"], "shell": True}, ["/bin/sh", "-c", "ls | wc -l"]),
    ],
)
def test_a_command_is_run_as_the_harness_means_it(http: TestClient, machine: Counted, asked: dict[str, Any], ran: list[str]) -> None:
    assert http.post("/execute", json=asked).json() == {"status": "success", "output": "", "error": "no", "returncode": 0}
    assert machine.guest.ran == [ran]
    assert http.post("/setup/launch", json=asked).status_code == 200 and machine.guest.launched == [ran]


@pytest.mark.parametrize("asked", [{}, {"command": 5}, {"command": [1]}, {"command": "a 'b"}, {"command": ""}, [], "x"])
def test_what_is_no_command_is_refused_with_words(http: TestClient, machine: Counted, asked: Any) -> None:
    answer = http.post("/execute", json=asked)
    assert answer.status_code == 400 and answer.json()["message"] and machine.guest.ran == []


def test_a_command_that_does_not_exist_is_an_error_and_one_that_fails_is_none(http: TestClient, machine: Counted) -> None:
    machine.guest.ends = 127
    assert http.post("/execute", json={"command": ["nowhere"]}).status_code == 500
    assert http.post("/execute", json={"command": "nowhere", "shell": True}).json()["returncode"] == 127
    machine.guest.ends = 1
    assert http.post("/execute", json={"command": ["false"]}).json()["returncode"] == 1
    assert http.post("/setup/launch", json={"command": ["nowhere"]}).status_code == 500 and machine.guest.launched == []


def test_a_file_is_opened_where_anything_opens_files(http: TestClient, machine: Counted) -> None:
    assert http.post("/setup/open_file", json={"path": "/home/user/a.txt"}).status_code == 200 and machine.guest.launched == [["/home/agent/a.txt"]]
    machine.guest.ends = 1
    refused = http.post("/setup/open_file", json={"path": "/home/user/a.txt"})
    assert refused.status_code == 500 and "no command xdg-open" in refused.json()["message"] and len(machine.guest.launched) == 1


def test_a_body_need_not_say_that_it_is_json_and_a_broken_one_is_refused(http: TestClient) -> None:
    assert http.post("/execute", content=b'{"command": ["ls"]}').status_code == 200
    assert http.post("/execute", content=b'{"command": ').status_code == 400
    assert http.post("/setup/upload", data={"file_path": "/a"}).status_code == 400
    assert http.post("/file", data={}).status_code == 400
    assert http.post("/window_size", data={"app_class_name": "EDITOR"}).json() == {"width": 640, "height": 480}
    asked = ({"strict": True}, {"window_name": "Notes"}, {"window_name": "nowhere"})
    assert [http.post("/setup/activate_window", json=one).status_code for one in asked] == [400, 200, 404]


def test_files_come_and_go_by_forms(http: TestClient, machine: Counted) -> None:
    assert http.post("/setup/upload", data={"file_path": "/home/user/a"}, files={"file_data": ("a", b"\x00\r\n")}).text == "File Uploaded"
    assert machine.guest.files["/home/agent/a"] == b"\x00\r\n" == http.post("/file", data={"file_path": "/home/user/a"}).content
    assert http.post("/file", data={"file_path": "/home/user/b"}).json() == {"error": "File not found"}


def test_modules_are_put_into_every_machine_that_begins(machine: Counted) -> None:
    place = place_of(machine)
    for begin in (place.start, place.reset):
        machine.guest.files.clear()
        begin()
        assert {Path(path).name for path in machine.guest.files} == {"pyautogui.py", "pyperclip.py"}
    machine.guest.ends = 1
    with pytest.raises(MachineError, match="no python3"):
        place.reset()
    assert machine.life == ["start", "reset", "reset", "stop"] and not place.is_started
    assert TestClient(create_gateway(place)).get("/screenshot").status_code == 503


def test_machines_are_taken_reset_and_given_back() -> None:
    machines = [Counted(), Counted()]
    places = Places([place_of(machine, str(number)) for number, machine in enumerate(machines, 1)], 1800)
    with TestClient(create_control(places)) as http:
        first = http.post("/machines").json()
        assert (first["machine"], first["address"], first["home"]) == ("1", "testserver:5001:5002:0:5003", "/home/agent"), "where it was asked"
        assert http.post("/machines").json()["machine"] == "2" and [one["machine"] for one in http.get("/machines").json()] == ["1", "2"]
        full = http.post("/machines")
        assert full.status_code == 503 and "all 2 machines are in use" in full.json()["error"] and full.headers["Retry-After"]
        assert http.post("/machines/1/reset").json() == first == http.get("/machines/1").json()
        assert http.delete("/machines/1").json() == {"machine": "1"}
        gone = http.get("/machines/1")
        assert gone.status_code == 404 and "there are 2" in gone.json()["error"]
        assert http.post("/machines").json()["machine"] == "1"
    assert machines[0].life == ["start", "reset", "stop", "start", "stop"] and machines[1].life == ["start", "stop"], "the end stops all"


def test_an_idle_machine_is_given_to_the_next_and_a_busy_one_is_not(machine: Counted) -> None:
    place = place_of(machine)
    places = Places([place], 100)
    places.take()
    place.used -= 99
    with pytest.raises(AllInUse):
        places.take()
    place.used -= 2
    assert places.take() is place and machine.life == ["start", "reset"], "as new"


def test_a_recording_ends_with_its_user_and_keeps_no_machine_in_use(machine: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who gets a machine after a reset, or because nobody used it, records it anew; pictures for a film are no use of the machine."""
    monkeypatch.setattr(recording, "_EVERY", 0.01)
    pytest.importorskip("av")
    place = place_of(machine)
    places = Places([place], idle_seconds=100.0)
    harness = TestClient(create_gateway(places.take()))
    for begin_anew in (place.reset, places.take):
        assert harness.post("/start_recording").status_code == 200
        place.used = then = time.monotonic() - 200.0
        seen = machine.guest.looks
        while machine.guest.looks < seen + 3:
            time.sleep(0.01)
        assert place.used == then, "a harness that is gone keeps its machine as long as it records"
        begin_anew()
        assert not any(thread.name == "recording" for thread in threading.enumerate())
        assert harness.post("/end_recording").status_code == 400, "the film of another user"


def test_a_recording_that_nobody_ends_does_not_grow_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_EVERY", 0.01)
    monkeypatch.setattr(recording, "_LONGEST", 0.05)
    pytest.importorskip("av")
    recorded = Recording(lambda: png("red"))
    recorded._thread.join(30)
    assert not recorded._thread.is_alive() and recorded.end()


def test_a_machine_that_does_not_start_leaves_its_place_free() -> None:
    machine = Counted(fails=True)
    places = Places([place_of(machine)], 100)
    with pytest.raises(MachineError, match="it does not come up"):
        places.take()
    with pytest.raises(NoSuchMachine):
        places["1"]
    machine.fails = False
    assert places.take().is_started


def test_what_cannot_be_served_is_refused_before_anything_listens(tmp_path: Path) -> None:
    windows = MachineChoice("remote", "", tmp_path, {"file": str(declared(tmp_path, SOUND))})
    with pytest.raises(MachineNeeds, match="only machines with Linux"):
        serve_machines(Served(windows), print)


def test_a_port_that_is_taken_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(MachineChoice, "make", lambda _: Counted())
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(MachineNeeds, match=rf"cannot listen on 127.0.0.1:{port} .* ports {port} to {port + 3} are wanted"):
            serve_machines(Served(MachineChoice("sandbox", "smoke", tmp_path), port=port), print)
    monkeypatch.setattr(Counted, "exists_once", True)
    with pytest.raises(MachineNeeds, match="is not served again"):
        serve_machines(Served(MachineChoice("sandbox", "smoke", tmp_path)), print)


def test_the_terminal_in_front_is_read_and_no_other() -> None:
    def tree(active: str, *focused: str) -> str:
        inside = "".join(f'<terminal st:focused="{one}">$ ls  \n\n</terminal>' for one in focused)
        return f'<desktop-frame xmlns:st="{_STATES}"><application name="t"><frame st:active="{active}"><panel>{inside}</panel></frame></application></desktop-frame>'

    assert shown_in_terminal(tree("true", "true", "false")) == "$ ls"
    assert [shown_in_terminal(one) for one in (tree("false", "true"), tree("true", "false"), tree("true", "true", "true"), "<no")] == [None] * 4


def film(pictures: Callable[[], bytes]) -> bytes:
    recorded = Recording(pictures)
    return recorded.end()


def test_a_film_shows_what_changed_and_lasts_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    av = pytest.importorskip("av")
    monkeypatch.setattr(recording, "_EVERY", 0.01)
    shown: Iterator[bytes | MachineError] = iter([png("red"), png("red"), png("blue"), MachineError("it is reset"), png("blue")])
    enough = threading.Event()

    def picture() -> bytes:
        found = next(shown, None)
        if found is None:
            enough.set()
            return png("blue")
        if isinstance(found, MachineError):
            raise found
        return found

    begun = Recording(picture)
    assert enough.wait(60)
    with av.open(io.BytesIO(begun.end())) as opened:
        frames = [frame.to_image() for frame in opened.decode(video=0)]
    assert [frame.size for frame in frames] == [(64, 48)] * 3, "red, blue, and blue at the end; the sides are even"
    red, blue = (frame.getpixel((5, 5)) for frame in (frames[0], frames[-1]))
    assert red[0] - red[2] > 150 and blue[2] - blue[0] > 150


def test_a_film_needs_a_picture_and_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> bytes:
        raise MachineError("gone")

    pytest.importorskip("av")
    with pytest.raises(MachineError, match="gave no picture"):
        film(none)
    with pytest.raises(MachineError, match="could not be made: UnidentifiedImageError"):
        film(lambda: b"no picture")
    monkeypatch.setattr(recording, "find_spec", lambda name: None)
    with pytest.raises(MachineNeeds, match=r"pip install 'deskmill\[osworld\]'"):
        Recording(none)


@pytest.fixture
def echo() -> Iterator[int]:
    """The port of a program that sends back what it gets, twice."""
    listening = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection, contextlib.suppress(OSError):
                while came := connection.recv(65536):
                    connection.sendall(came * 2)

    threading.Thread(target=answer, daemon=True).start()
    yield listening.getsockname()[1]
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()


def test_a_connection_leads_through_the_guest_server_to_a_port_of_the_machine(echo: int, tmp_path: Path) -> None:
    with serving(app_of(guest(tmp_path)[1])) as address, client_of(address, "secret") as http:
        client = GuestClient(http)
        with client.connection(echo) as there:
            sent = bytes(range(256)) * 400
            threading.Thread(target=there.sendall, args=(sent,), daemon=True).start()
            came = b""
            while len(came) < 2 * len(sent):
                came += there.recv(65536)
        assert sorted(came) == sorted(sent * 2)
        with pytest.raises(MachineError, match="nothing answers at port 1"), client.connection(1):
            pass
        machine = Counted()
        machine.guest = cast("Any", client)
        place = place_of(machine)
        place._is_started = True
        with socket.create_server(("127.0.0.1", 0)) as listening:
            forward(listening, place, (1, echo))
            with socket.create_connection(listening.getsockname()) as connection:
                connection.sendall(b"once ")
                assert connection.recv(100) == b"once once ", "the second port is tried where nothing answers at the first"
            listening.shutdown(socket.SHUT_RDWR)


def test_nobody_is_led_anywhere_without_the_token(echo: int, tmp_path: Path) -> None:
    with serving(app_of(guest(tmp_path)[1])) as address, client_of(address, "wrong") as http:
        connection = GuestClient(http).connection(echo)
        with pytest.raises(MachineError, match="401"), connection:
            pass
