"""Protects the sandbox: it comes up, does what it is told once, begins anew, and leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psutil  # type: ignore[import-untyped]
import pytest

from machines.client import GuestClient, as_windows
from machines.errors import MachineError, MachineNeeds, RefusedAction
from machines.image import Image, find_image
from machines.observation import Element, read_elements
from machines.sandbox import Sandbox
from tests.conftest import REPOSITORY, workers_and_machines

SCREEN = (1280, 800)
WAIT = 30.0


def opened(machine: Sandbox, program: str) -> list[Element]:
    """Open a program, and give what shows once it is there."""
    machine.client.act({"name": "open_program", "program": program})
    return until(machine, lambda seen: [one for one in seen if one.role == "frame"])


def until(machine: Sandbox, wanted: object) -> list[Element]:
    """Look until something is there; the elements on the screen."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        seen = machine.client.observe(["tree"])
        elements = read_elements(seen.tree or "", SCREEN)
        if wanted(elements):  # type: ignore[operator]
            return elements
        time.sleep(0.05)
    raise AssertionError(f"it did not come; there are {[(one.role, one.name, one.text) for one in elements]}")


def text_of(elements: list[Element]) -> str:
    return next(one.text for one in elements if one.role == "text")


def test_an_editor_opens_and_takes_what_is_typed(image: Image) -> None:
    with Sandbox(image) as machine:
        assert machine.client.observe(["windows"]).windows == ()
        opened(machine, "mousepad")
        machine.client.act({"name": "write", "text": 'Zoë said: "5 €", ✓'})
        assert text_of(until(machine, lambda seen: any("✓" in one.text for one in seen))) == 'Zoë said: "5 €", ✓'
        seen = machine.client.observe(["screenshot", "windows", "clipboard"])
        assert seen.screenshot is not None and seen.screenshot.startswith(b"\x89PNG")
        assert [window.window_class for window in seen.windows or ()] == ["Mousepad"] and seen.windows and seen.windows[0].is_active
        machine.reset()
        assert machine.client.observe(["windows"]).windows == ()


def test_the_screen_is_not_settled_while_a_process_has_work_to_do(machine: Sandbox) -> None:
    assert machine.client.settle(0.1, 20.0)
    machine.client.launch(["sh", "-c", "while :; do :; done"])
    assert not machine.client.settle(0.1, 1.0), "nothing moves, but something may yet"
    machine.client.execute(["pkill", "-f", "while :"])
    assert machine.client.settle(0.1, 20.0)


def test_no_program_reads_all_fonts_anew(machine: Sandbox) -> None:
    """The caches of the image counted as old, so that each desktop wrote its own; that was half of what a start costs."""
    found = machine.client.execute(["sh", "-c", "ls /home/agent/.cache/fontconfig; fc-list : family"])
    assert "DejaVu Sans" in found["output"] and "No such file" in found["error"], found


def test_an_action_that_is_sent_twice_is_done_once(image: Image) -> None:
    with Sandbox(image) as machine:
        opened(machine, "mousepad")
        client = machine.client
        for _ in range(3):
            client._http.post("/act", json={"action": {"name": "write", "text": "once "}}, headers={"Request-Id": "the same"}).raise_for_status()
        client.act({"name": "write", "text": "again"})
        assert text_of(until(machine, lambda seen: any("again" in one.text for one in seen))) == "once again"


def test_what_cannot_be_done_is_said_and_not_done(machine: Sandbox) -> None:
    for action, said in (
        ({"name": "explode"}, "there is no action 'explode'"),
        ({"name": "open_program", "program": "photoshop"}, "no program 'photoshop' is installed; there are galculator, mousepad, thunar"),
        ({"name": "press", "combination": "ctrl+hyper9"}, "'hyper9' is no key"),
        ({"name": "switch_to_app", "window": "nowhere"}, "no window is called 'nowhere'"),
        ({"name": "move", "x": "left"}, "move:"),
    ):
        with pytest.raises(RefusedAction, match=said):
            machine.client.act(action)


def test_nothing_is_answered_without_the_token(machine: Sandbox) -> None:
    transport = machine.client._http._transport
    with httpx.Client(transport=transport, base_url="http://guest") as stranger:
        assert stranger.get("/probe").json()["ready"] is True
        assert stranger.get("/screenshot").status_code == 401
        assert stranger.post("/execute", json={"command": "true"}, headers={"Authorization": "Bearer guess"}).status_code == 401


def test_it_speaks_the_protocol_of_the_published_systems(machine: Sandbox) -> None:
    http = machine.client._http
    assert http.post("/execute", json={"command": ["sh", "-c", "echo out; echo err >&2; exit 3"]}).json() == {
        "status": "success", "output": "out\n", "error": "err\n", "returncode": 3,
    }  # fmt: skip
    assert http.post("/execute", json={"command": "echo $HOME", "shell": True}).json()["output"] == "/home/agent\n"
    assert http.post("/run_python", json={"code": "print(6 * 7)"}).json()["output"] == "42\n"
    assert http.get("/platform").text == "Linux" and http.post("/screen_size").json() == {"width": 1280, "height": 800}
    assert http.get("/screenshot").content.startswith(b"\x89PNG") and http.get("/accessibility").json()["AT"].startswith("<desktop-frame")
    assert len(http.get("/cursor_position").json()) == 2
    http.post("/setup/upload", data={"file_path": "Documents/a/b.txt"}, files={"file_data": b"content"}).raise_for_status()
    assert http.post("/file", data={"file_path": "/home/agent/Documents/a/b.txt"}).content == b"content"
    assert http.post("/file", data={"file_path": "nowhere"}).status_code == 404
    tree = http.post("/list_directory", json={"path": "/home/agent/Documents"}).json()["directory_tree"]["children"]
    assert [(child["type"], child["name"]) for child in tree] == [("directory", "a")]
    assert http.get("/folder_exists", params={"path": "Documents/a"}).status_code == 200
    assert http.get("/file_exists", params={"path": "Documents/c"}).status_code == 400
    assert http.post("/setup/launch", json={"command": ["no-such-program"]}).status_code in (200, 400)
    assert http.post("/setup/activate_window", json={"window_name": "nowhere"}).status_code == 400
    assert http.post("/setup/download_file", json={"url": "http://x", "path": "y"}).status_code == 501
    assert set(http.get("/obs_winagent").json()) >= {"image", "window_title", "rect", "window_names_str", "computer_clipboard", "status"}


def test_four_at_once_do_not_mix(image: Image) -> None:
    def typed(number: int) -> str:
        with Sandbox(image) as machine:
            opened(machine, "mousepad")
            machine.client.act({"name": "write", "text": f"machine {number}"})
            return text_of(until(machine, lambda seen: any(f"machine {number}" == one.text for one in seen)))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(typed, range(4))) == [f"machine {number}" for number in range(4)]


def test_nothing_is_left_when_it_stops(image: Image, tmp_path: Path) -> None:
    before, mounts = workers_and_machines(), Path("/proc/self/mounts").read_text()
    with Sandbox(image) as machine:
        opened(machine, "mousepad")
        machine.client.execute(["sh", "-c", "setsid sleep 1000 & setsid sleep 1000 &"])
        own = workers_and_machines() - before
        inside = {child.pid for pid in own for child in psutil.Process(pid).children(recursive=True)}
        assert own and inside
    wait_for(lambda: not any(psutil.pid_exists(pid) for pid in own | inside))
    assert Path("/proc/self/mounts").read_text() == mounts


def test_nothing_is_left_when_its_owner_is_killed(image: Image) -> None:
    script = (
        "import sys, time; from pathlib import Path; from machines.image import Image; from machines.sandbox import Sandbox\n"
        f"machine = Sandbox(Image({image.name!r}, Path({str(image.machines)!r}), {image.identity!r})); machine.start(); print(machine._process.pid, flush=True); time.sleep(600)"
    )
    owner = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=REPOSITORY)
    assert owner.stdout is not None
    sandbox = int(owner.stdout.readline())
    inside = {child.pid for child in psutil.Process(sandbox).children(recursive=True)}
    assert inside
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    wait_for(lambda: not any(psutil.pid_exists(pid) for pid in {sandbox, *inside}))


def wait_for(holds: object) -> None:
    end = time.monotonic() + WAIT
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_machine_that_dies_is_a_fault_of_the_infrastructure(image: Image) -> None:
    with Sandbox(image) as machine:
        assert machine._process is not None
        os.kill(machine._process.pid, signal.SIGKILL)
        with pytest.raises(MachineError, match="the guest does not answer"):
            machine.client.observe(["screenshot"])


def test_what_answers_garbage_is_a_fault_of_the_infrastructure() -> None:
    def garbage(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, text="<html>" if request.url.path == "/observe" else '{"settled": "perhaps", "windows": 3}')

    client = GuestClient(httpx.Client(transport=httpx.MockTransport(garbage), base_url="http://guest"))
    with pytest.raises(MachineError, match="not JSON"):
        client.observe(["tree"])
    with pytest.raises(MachineError, match="accessibility tree cannot be read"):
        read_elements("<a><b></a>", SCREEN)


def test_an_image_that_is_not_there_is_said_with_what_makes_it(tmp_path: Path) -> None:
    with pytest.raises(MachineNeeds, match="deskmill machine build smoke"):
        Sandbox(find_image("smoke", tmp_path)).start()
    with pytest.raises(MachineNeeds, match="there is no image 'windows'"):
        find_image("windows", tmp_path)


@pytest.mark.slow
def test_a_thousand_steps_leak_nothing(image: Image) -> None:
    with Sandbox(image) as machine:
        opened(machine, "mousepad")

        def open_files() -> int:
            return len(machine.client.listing("/proc/1/fd") or [])

        for step in range(1000):
            machine.client.act({"name": "move", "x": 400 + step % 300, "y": 300})
            machine.client.observe(["windows", *(["screenshot"] if step % 10 == 0 else [])])
            if step == 100:
                early = open_files()
        machine.client.observe(["tree"])
        assert open_files() <= early + 3


def test_a_machine_ends_when_its_host_closes_the_line(image: Image) -> None:
    """As it does when the host is killed before bubblewrap has asked to be told of that."""
    with Sandbox(image) as machine:
        process = machine._process
        assert process is not None and process.stdin is not None and process.poll() is None
        process.stdin.close()
        assert process.wait(10) != 0


def test_the_list_of_windows_that_is_sent_to_other_guest_servers_is_that_of_our_own(image: Image) -> None:
    script = (REPOSITORY / "machines/guest/on_linux/window_list.py").read_text()
    with Sandbox(image) as machine:
        opened(machine, "mousepad")
        own = machine.client.observe(["windows"]).windows
        sent = json.loads(machine.client.execute(["python3", "-c", script])["output"])
    assert own and as_windows(sent) == own
