"""Protects what the gateway answers to the harness: paths, commands, files, and the terminal, where no real machine is needed."""

from pathlib import Path
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient

from machines.errors import MachineError
from machines.gateway.commands import Commands
from machines.gateway.protocol import create_gateway
from machines.gateway.terminal import shown_in_terminal
from machines.machine import Client
from tests.machines.gateway.counted import Counted, Guest, place_of

_STATES = "https://accessibility.ubuntu.example.org/ns/state"


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


def test_the_terminal_in_front_is_read_and_no_other() -> None:
    def tree(active: str, *focused: str) -> str:
        inside = "".join(f'<terminal st:focused="{one}">$ ls  \n\n</terminal>' for one in focused)
        return f'<desktop-frame xmlns:st="{_STATES}"><application name="t"><frame st:active="{active}"><panel>{inside}</panel></frame></application></desktop-frame>'

    assert shown_in_terminal(tree("true", "true", "false")) == "$ ls"
    assert [shown_in_terminal(one) for one in (tree("false", "true"), tree("true", "false"), tree("true", "true", "true"), "<no")] == [None] * 4
