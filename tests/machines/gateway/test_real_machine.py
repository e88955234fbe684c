"""Protects that OSWorld's harness, unchanged, drives a real machine: a client written to its documented protocol does what the harness does."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image as Picture

from machines.image import Image
from machines.machine import Program
from machines.observation import read_elements
from machines.remote.dialect import dialect_of, platform_of, screen_of
from machines.remote.network import client_of
from machines.remote.osworld import OsworldGuest
from tests.conftest import REPOSITORY
from tests.machines.gateway.harness import Controller

pytestmark = pytest.mark.slow
WAIT = 60.0
SCREEN = (1280, 800)


@pytest.fixture(scope="module")
def control(image: Image) -> Iterator[str]:
    """The address where machines are asked for, of a server with room for one."""
    command = [sys.executable, "-m", "deskmill", "machine", "serve", "smoke", "--port", "0"]
    around = {**os.environ, "DESKMILL_DATA": str(REPOSITORY / "data"), "PYTHONPATH": str(REPOSITORY)}
    server = subprocess.Popen(command, cwd=REPOSITORY, env=around, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().strip()
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(WAIT) is not None
        server.stdout.close()


@pytest.fixture
def taken(control: str) -> Iterator[dict[str, Any]]:
    """A machine as it is at its start."""
    found = httpx.post(f"{control}/machines", timeout=WAIT).raise_for_status().json()
    yield found
    httpx.delete(f"{control}/machines/{found['machine']}", timeout=WAIT)


@pytest.fixture
def machine(taken: dict[str, Any]) -> Controller:
    return Controller(taken["url"])


def until(wanted: Callable[[], Any]) -> Any:
    end = time.monotonic() + WAIT
    while not (found := wanted()):
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.1)
    return found


def editor(machine: Controller) -> None:
    """Open an editor, and point into its text."""
    assert machine.setup("launch", command=["mousepad"]).status_code == 200
    until(lambda: machine.form("/window_size", {"app_class_name": "mousepad"}).status_code == 200)
    until(lambda: text_of(machine) is not None)
    machine.act("pyautogui.click(x=400, y=300)")


def text_of(machine: Controller) -> str | None:
    seen = read_elements(machine.get("/accessibility").json()["AT"], SCREEN)
    return next((one.text for one in seen if one.role == "text"), None)


def test_programs_of_an_agent_type_click_hold_and_copy(machine: Controller) -> None:
    editor(machine)
    machine.act("pyautogui.typewrite('if a < b: Zoë + 5'); pyautogui.press('enter'); pyautogui.hotkey('shift', 'x')")
    assert until(lambda: "\n" in (text_of(machine) or "") and text_of(machine)) == "if a < b: Zoë + 5\nX"
    machine.act("pyautogui.keyDown('shift')")
    machine.act("pyautogui.press('left', presses=2)")
    machine.act("pyautogui.keyUp('shift')")
    machine.act("pyautogui.hotkey('ctrl', 'x')")
    assert machine.act("print(repr(pyperclip.paste()))") == "'\\nX'\n", "keys stay down from one program to the next"
    machine.act("pyperclip.copy('✓ two\\nlines'); pyautogui.hotkey('ctrl', 'v')")
    assert until(lambda: "✓" in (text_of(machine) or "") and text_of(machine)) == "if a < b: Zoë + 5✓ two\nlines"


def test_a_button_stays_down_from_one_program_to_the_next(machine: Controller) -> None:
    editor(machine)
    machine.act("pyautogui.write('abc def ghi')")
    until(lambda: "ghi" in (text_of(machine) or ""))
    box = next(one for one in read_elements(machine.get("/accessibility").json()["AT"], SCREEN) if one.role == "text")
    x, y = box.box[0] + 2, box.box[1] + 10
    machine.act(f"pyautogui.moveTo({x}, {y}, 0.7, pyautogui.easeInBounce)")
    assert machine.act("print(*pyautogui.position(), *pyautogui.size())") == f"{x} {y} 1280 800\n"
    assert machine.get("/cursor_position").json() == [x, y]
    machine.act("pyautogui.mouseDown()")
    machine.act(f"pyautogui.moveTo({x + 500}, {y})")
    machine.act("pyautogui.mouseUp(); pyautogui.press('delete')")
    assert until(lambda: (text := text_of(machine)) is not None and "ghi" not in text) and text_of(machine) == ""
    machine.act("pyautogui.vscroll(-3); pyautogui.hscroll(2); pyautogui.dragTo(300, 300, duration=1.0, button='left', mouseDownUp=True)")


def test_a_program_that_cannot_be_run_says_why(machine: Controller) -> None:
    done = machine.post("/execute", {"command": ["python", "-c", "import pyautogui; pyautogui.press('no_such_key')"]}).json()
    assert done["returncode"] == 1 and "'no_such_key' is no key" in done["error"]
    for command in (["no_such_program", "x"], "no_such_program x"):
        answer = machine.post("/execute", {"command": command})
        assert answer.status_code == 500 and "no_such_program" in answer.json()["message"]
    assert machine.setup("launch", command=["no_such_program"]).status_code == 500
    assert machine.post("/execute", {"command": "echo 'unclosed"}).status_code == 400
    assert machine.setup("activate_window", window_name="nowhere").status_code == 404


def test_what_a_machine_shows_has_the_form_of_theirs(machine: Controller) -> None:
    assert machine.get("/platform").text == "Linux"
    assert Picture.open(io.BytesIO(machine.get("/screenshot").content)).size == SCREEN
    assert machine.http.post("/screen_size").json() == {"width": 1280, "height": 800}
    assert machine.get("/terminal").json() == {"output": None, "status": "success"}
    assert machine.http.post("/desktop_path").json() == {"desktop_path": "/home/agent/Desktop"}
    assert machine.act("import platform; print(platform.system())") == "Linux\n"
    assert machine.http.post("/wallpaper").status_code == 404
    assert machine.http.get("/probe").status_code == 404, "theirs has none: so the dialect is told apart"


def test_a_picture_is_put_behind_the_desktop(machine: Controller) -> None:
    file = io.BytesIO()
    Picture.new("RGB", (40, 30), (200, 30, 30)).save(file, "PNG")
    machine.upload("/home/user/red.png", file.getvalue())
    assert machine.setup("change_wallpaper", path="/home/user/none.png").status_code == 404
    assert machine.setup("change_wallpaper").status_code == 400
    said = machine.setup("change_wallpaper", path="/home/user/red.png")
    assert said.status_code == 200, said.text
    assert machine.http.post("/wallpaper").content == file.getvalue()
    screen = Picture.open(io.BytesIO(machine.get("/screenshot").content)).convert("RGB")
    assert screen.getpixel((SCREEN[0] // 4, SCREEN[1] // 4)) == (200, 30, 30)


def test_a_file_is_fetched_from_the_machine_itself_and_from_nowhere_else(machine: Controller) -> None:
    machine.upload("/home/user/page.txt", b"a page")
    machine.setup("launch", command=["python3", "-m", "http.server", "--directory", "/home/user", "8123"])
    address = "http://localhost:8123/page.txt"
    until(lambda: machine.setup("download_file", url=address, path="/home/user/new/copy.txt").status_code == 200)
    assert machine.file("/home/user/new/copy.txt") == b"a page"
    elsewhere = machine.setup("download_file", url="https://example.org/a", path="/home/user/a")
    assert elsewhere.status_code == 501 and "this machine fetches nothing from a network" in elsewhere.json()["message"]
    assert machine.setup("download_file", url=address).status_code == 400


def test_files_lie_where_their_tasks_say_and_commands_find_them(machine: Controller) -> None:
    assert machine.upload("/home/user/Desktop/deep/a.txt", b"pears\r\n\x00") == "File Uploaded"
    assert machine.file("/home/user/Desktop/deep/a.txt") == machine.file("~/Desktop/deep/a.txt") == b"pears\r\n\x00"
    assert machine.file("/home/user/nowhere") is None
    tree = machine.post("/list_directory", {"path": "/home/user/Desktop"}).json()["directory_tree"]
    assert (tree["type"], tree["name"], tree["children"][0]["name"], tree["children"][0]["children"][0]["name"]) == (
        "directory", "Desktop", "deep", "a.txt",
    )  # fmt: skip
    assert machine.post("/list_directory", {"path": "/home/user/nowhere"}).status_code == 400
    done = machine.setup("execute", command="wc -c < /home/user/Desktop/deep/a.txt; exit 3", shell=True).json()
    assert done == {"status": "success", "output": "8\n", "error": "", "returncode": 3}
    script = machine.post("/run_bash_script", {"script": "pwd\nls nowhere\nexit 2", "timeout": 30, "working_dir": "/home/user/Desktop/deep"}).json()
    assert script["status"] == "error" and script["returncode"] == 2
    assert script["output"].startswith("/home/agent/Desktop/deep\n") and "nowhere" in script["output"]
    assert machine.post("/run_bash_script", {"script": "sleep 60", "timeout": 1}).status_code == 500
    assert machine.post("/run_python", {"code": "import pyautogui\nprint(pyautogui.size().width)"}).json() == {
        "status": "success", "message": "1280\n", "need_more": False, "output": "1280\n", "error": "", "return_code": 0,
    }  # fmt: skip
    asked = {"command": ["sh", "-c", "sleep 1 && touch ~/made &"], "verification": {"command_success": "test -e ~/made"}, "max_wait_time": 20}
    assert machine.setup("execute_with_verification", **asked).json()["verification"] == "passed"


def test_windows_come_to_the_front_and_close(machine: Controller) -> None:
    machine.upload("/home/user/Desktop/notes.txt", b"hello")
    refused = machine.setup("open_file", path="/home/user/Desktop/notes.txt")
    assert refused.status_code == 500 and "no command xdg-open" in refused.json()["message"], "the small image lacks it"
    assert machine.setup("launch", command=["mousepad", "/home/user/Desktop/notes.txt"]).status_code == 200
    assert until(lambda: text_of(machine)) == "hello"
    assert machine.setup("activate_window", window_name="notes.txt", strict=False).status_code == 200
    assert machine.setup("close_window", window_name="Mousepad", by_class=True).status_code == 200
    until(lambda: machine.form("/window_size", {"app_class_name": "mousepad"}).status_code == 404)


def test_the_screen_is_recorded(machine: Controller) -> None:
    av = pytest.importorskip("av")
    assert machine.http.post("/end_recording").status_code == 400
    assert machine.http.post("/start_recording").json()["status"] == "success"
    assert machine.http.post("/start_recording").status_code == 400
    editor(machine)
    machine.act("pyautogui.write('recorded')")
    film = machine.http.post("/end_recording").content
    with av.open(io.BytesIO(film)) as opened:
        frames = [frame.to_image() for frame in opened.decode(video=0)]
    assert len(frames) >= 2 and frames[0].size == SCREEN
    assert frames[0].tobytes() != frames[-1].tobytes(), "the film begins before the editor is there and ends after it"


def test_a_port_leads_to_a_program_on_the_machine(machine: Controller, taken: dict[str, Any]) -> None:
    """As their harness asks VLC and Chrome itself."""
    host, _, chrome, _, vlc = taken["address"].split(":")
    machine.upload("/home/user/Desktop/page.txt", b"from inside" * 20_000)
    with pytest.raises(httpx.RequestError):
        httpx.get(f"http://{host}:{vlc}/page.txt", timeout=WAIT)
    for port, inside in ((vlc, "8080"), (chrome, "1337")):
        command = ["python3", "-m", "http.server", inside, "--bind", "127.0.0.1", "--directory", "/home/user/Desktop"]
        assert machine.setup("launch", command=command).status_code == 200

        def page(port: str = port) -> bytes | None:
            try:
                return httpx.get(f"http://{host}:{port}/page.txt", timeout=WAIT).content
            except httpx.RequestError:
                return None

        assert until(page) == b"from inside" * 20_000


def test_our_own_client_of_their_server_drives_it_too(machine: Controller, taken: dict[str, Any]) -> None:
    with client_of(taken["url"], None) as http:
        assert (dialect_of(http), platform_of(http), screen_of(http)) == ("osworld", "linux", SCREEN)
        client = OsworldGuest(http, "linux", SCREEN, {"mousepad": Program(command=["mousepad"], window_class="Mousepad")})
        client.act({"name": "open_program", "program": "mousepad"})
        until(lambda: client.observe(["windows"]).windows)
        until(lambda: text_of(machine) is not None)
        client.act({"name": "move", "x": 400, "y": 300})
        client.act({"name": "single_click"})
        client.act({"name": "write", "text": "a<b"})
        assert until(lambda: text_of(machine)) and client.settle(0.2, WAIT)
        client.act({"name": "press", "combination": "ctrl+a"})
        client.act({"name": "press", "combination": "ctrl+c"})
        assert client.observe(["clipboard"]).clipboard == "a<b"


_HARNESS = """
import json, sys
from desktop_env.providers import create_vm_manager_and_provider
import requests
manager, provider = create_vm_manager_and_provider("docker", None, use_proxy=False)
vm = manager.get_vm_path(os_type="Ubuntu", region=None, screen_size=(1920, 1080))
provider.start_emulator(vm, False, "Ubuntu")
ip, port, *others = provider.get_ip_address(vm).split(":")
run = lambda text: requests.post(f"http://{ip}:{port}/execute", json={"command": text, "shell": True}).json()["output"]
run("touch ~/mark")
before = run("ls ~/mark")
assert provider.revert_to_snapshot(vm, "init_state") == vm
provider.start_emulator(vm, False, "Ubuntu")
same = provider.get_ip_address(vm).split(":")[1] == port
after = run("ls ~/mark")
provider.stop_emulator(vm)
print(json.dumps([vm, [int(one) >= 0 for one in others], before, same, after, sys.argv[1:]]))
"""


def test_the_provider_of_the_page_plugs_machines_into_their_environment(control: str, tmp_path: Path) -> None:
    """The page has the file. Their package is here as their interface declares it: abstract classes, and the function that chooses a provider."""
    page = (REPOSITORY / "docs/imports.md").read_text()
    found = re.search(r"```python\n(\"\"\"Machines of Deskmill.*?)```", page, re.DOTALL)
    assert found is not None and sum(bool(line) for line in found[1].splitlines()) <= 40, "it stays short"
    providers = tmp_path / "desktop_env/providers"
    providers.mkdir(parents=True)
    (providers.parent / "__init__.py").write_text("")
    (providers / "__init__.py").write_text("def create_vm_manager_and_provider(name, region, use_proxy=False): raise NotImplementedError(name)\n")
    abstract = "".join(
        f"    @abstractmethod\n    def {name}(self, *given, **named): ...\n"
        for name in ("start_emulator", "get_ip_address", "save_state", "revert_to_snapshot", "stop_emulator")
    )
    managing = "".join(
        f"    @abstractmethod\n    def {name}(self, *given, **named): ...\n"
        for name in ("initialize_registry", "add_vm", "delete_vm", "occupy_vm", "list_free_vms", "check_and_clean", "get_vm_path")
    )
    init = "    def __init__(self, region=None): self.region = region\n"
    (providers / "base.py").write_text(
        f"from abc import ABC, abstractmethod\nclass Provider(ABC):\n{init}{abstract}class VMManager(ABC):\n{managing}"
    )
    (tmp_path / "deskmill_provider.py").write_text(found[1])
    (tmp_path / "run.py").write_text(_HARNESS)
    around = {**os.environ, "DESKMILL_MACHINES": control}
    done = subprocess.run(
        [sys.executable, "deskmill_provider.py", "run.py", "--provider_name", "docker"],
        cwd=tmp_path,
        env=around,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == ["1", [True, True, True], "/home/agent/mark\n", True, "", ["--provider_name", "docker"]]
    assert httpx.get(f"{control}/machines").json() == []
