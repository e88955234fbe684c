"""What OSWorld's harness asks of a machine, written from its documentation: the requests of its controllers, with their prefix before each program."""

from typing import Any

import httpx

_PREFIX = "import pyautogui; import pyperclip; import time; pyautogui.FAILSAFE = False; {command}"


class Controller:
    """A machine at an address, as the harness drives it. No request has a token."""

    def __init__(self, address: str) -> None:
        self.http = httpx.Client(base_url=address, timeout=120.0)

    def get(self, path: str) -> httpx.Response:
        return self.http.get(path).raise_for_status()

    def post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        return self.http.post(path, json=body)

    def form(self, path: str, fields: dict[str, str]) -> httpx.Response:
        return self.http.post(path, data=fields)

    def act(self, command: str) -> str:
        """Run a program of an agent, and return what it printed."""
        done = self.post("/execute", {"command": ["python", "-c", _PREFIX.format(command=command)], "shell": False}).raise_for_status().json()
        assert done["status"] == "success" and done["returncode"] == 0, done
        return str(done["output"])

    def setup(self, name: str, **parameters: Any) -> httpx.Response:
        """Carry out a step of a task's configuration."""
        return self.post(f"/setup/{name}", parameters)

    def upload(self, path: str, content: bytes) -> str:
        answer = self.http.post("/setup/upload", data={"file_path": path}, files={"file_data": (path.rpartition("/")[2], content)})
        return answer.raise_for_status().text

    def file(self, path: str) -> bytes | None:
        answer = self.form("/file", {"file_path": path})
        return answer.content if answer.status_code == 200 else None
