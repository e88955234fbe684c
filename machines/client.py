"""The client of our guest server, over a socket that the sandbox inherits or over the network. `machines.remote` has clients of other servers.

An action is sent with an id, so that the guest does it once even if it is sent again. A failure on the way is a `MachineError`.
"""

import base64
import contextlib
import json
import secrets
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx
from pydantic import TypeAdapter, ValidationError

from machines.errors import LeftUnreadable, MachineError, RefusedAction
from machines.guest.relay import START

Json = dict[str, Any]
_TRIES = 3
_ASK_EVERY = 0.02
_CODE_SECONDS = 60.0  # to wait for the next call of code: more than the guest gives it
_WINDOW_SECONDS = 60.0  # to wait until a file is opened: more than the guest waits for its window
WITHOUT_POINTER = "screenshot_without_pointer"
_PNG, _END_OF_PNG = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"
T = TypeVar("T")


@dataclass(frozen=True)
class Window:
    """A window of the guest; its place is in pixels."""

    title: str
    window_class: str
    process: int | None
    x: int
    y: int
    width: int
    height: int
    is_active: bool


@dataclass(frozen=True)
class PageElement:
    """What can be used on the page of a browser, with a role of `machines/trees/roles.yaml`; its place is in pixels of the screen."""

    role: str
    name: str
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class Observed:
    """The parts of an observation; a part that was not asked for is None. `screenshot` is PNG, `tree` is XML, `windows` are lowest first,
    `dom` is of the page in front and empty if no browser is in front.

    `is_still` tells whether all parts are of one moment, and `has_changed` whether anything but the pointer looks different since the last
    observation with a tree; None if the guest cannot tell.
    """

    screenshot: bytes | None = None
    tree: str | None = None
    windows: tuple[Window, ...] | None = None
    clipboard: str | None = None
    is_still: bool = True
    has_changed: bool | None = None
    dom: tuple[PageElement, ...] | None = None


@dataclass(frozen=True)
class CodeEnd:
    """How the code of an agent ended: what it said, with its beginning and its end if it said too much, and why it did not run to its end, if so."""

    said: str
    why: str


class GuestClient:
    """Talks to one guest server. `_knows_ids` tells whether it does a request once even if it is sent again."""

    _knows_ids = True

    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    @classmethod
    def over_socket(cls, name: str, token: str) -> "GuestClient":
        """Return a client over a Unix socket, with its token."""
        headers = {"Authorization": f"Bearer {token}"}
        way = httpx.HTTPTransport(uds=name, verify=False)  # reading the host's certificates takes 0.1 s, and none is used
        return cls(httpx.Client(transport=way, base_url="http://guest", headers=headers, timeout=30.0))

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def wait_until_ready(self, seconds: float, is_alive: Callable[[], bool]) -> None:
        """Wait for the readiness probe; `MachineError` when the time is over or the machine has ended."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if not is_alive():
                raise MachineError("the machine ended before it was ready")
            if self._is_ready():
                return
            time.sleep(_ASK_EVERY)
        raise MachineError(f"the machine was not ready within {seconds:.0f} s")

    def _is_ready(self) -> bool:
        try:
            said = as_json(self._http.get("/probe", timeout=2.0).content)
        except (httpx.RequestError, ValueError):
            return False
        return isinstance(said, dict) and bool(said.get("ready"))

    def observe(self, what: Iterable[str]) -> Observed:
        """Return an observation with any of `screenshot` or `screenshot_without_pointer`, `tree`, `windows`, `clipboard` and `dom`."""
        wanted = sorted(what)
        found = self._json("/observe", {"what": wanted})
        if WITHOUT_POINTER in wanted and WITHOUT_POINTER not in found:
            raise MachineError("the guest server of this machine is of an earlier version, which cannot leave the pointer out of pictures: update it")
        part = WITHOUT_POINTER if WITHOUT_POINTER in found else "screenshot"
        try:
            screenshot = as_png(base64.b64decode(_part(found, part, str))) if part in found else None
            windows = as_windows(found["windows"]) if "windows" in found else None
            dom = as_page(found["dom"]) if "dom" in found else None
        except ValueError as error:
            raise MachineError(f"the guest answered an observation that cannot be read: {error}") from error
        tree, clipboard = (_part(found, name, str) if name in found else None for name in ("tree", "clipboard"))
        is_still = _part(found, "is_still", bool) if "is_still" in found else True
        has_changed = _part(found, "has_changed", bool) if found.get("has_changed") is not None else None
        return Observed(screenshot, tree, windows, clipboard, is_still, has_changed, dom)

    def act(self, action: Json) -> None:
        """Carry out an action once; `RefusedAction` with the guest's words if it refuses."""
        answer = self._post("/act", {"action": action}, once=True)
        if answer.status_code == 400:
            raise RefusedAction(str(self._read(answer).get("message", "refused")))
        self._checked(answer)

    def run_code(self, code: str, carry_out: Callable[[str, list[Any], Json], str]) -> CodeEnd:
        """Run code of an agent as its user, and return how it ended; the guest ends it after a time.

        Its calls of actions come to `carry_out` one after another, with their name and arguments; it returns why a call is refused, if it is.
        """
        said = self._post("/code/begin", {"code": code}, once=True, timeout=_CODE_SECONDS)
        if said.status_code == 404:
            raise MachineError("the guest server of this machine is of an earlier version, which runs no code: update it")
        while "call" in (step := self._read(self._checked(said))):
            call = _part(step, "call", dict)
            refused = carry_out(_part(call, "name", str), _part(call, "given", list), _part(call, "named", dict))
            said = self._post("/code/answer", {"refused": refused} if refused else {"value": None}, once=True, timeout=_CODE_SECONDS)
        end = _part(step, "ended", dict)
        return CodeEnd(_part(end, "said", str), _part(end, "why", str))

    def settle(self, quiet: float = 0.1, limit: float = 3.0) -> bool:
        """Wait until the screen has not changed for `quiet` seconds; tell whether that happened within `limit` seconds."""
        return _part(self._json("/settle", {"quiet": quiet, "limit": limit}, timeout=limit + 10), "settled", bool)

    def file(self, path: str) -> bytes | None:
        """Return the content of a regular file; None if there is none that can be read: a folder, a pipe, a forbidden or a huge file too."""
        answer = self._post_form("/file", {"file_path": path})
        if answer.status_code == 404:
            return None
        return self._checked(answer).content

    def listing(self, path: str) -> list[Json] | None:
        """Return the files and folders below a folder, nested; None if there is none, `LeftUnreadable` if it is forbidden, or holds too much.

        Folders below that are so, or are very deep, have no children.
        """
        answer = self._post("/list_directory", {"path": path})
        if answer.status_code == 400:
            return None
        if answer.status_code == 403:
            raise LeftUnreadable(str(self._read(answer).get("message", "the folder cannot be listed")))
        return _part(_part(self._read(self._checked(answer)), "directory_tree", dict), "children", list)

    def upload(self, path: str, content: bytes) -> None:
        """Write a file, and make the folders that it is in."""
        answer = self._http_call(lambda: self._http.post("/setup/upload", data={"file_path": path}, files={"file_data": content}))
        self._checked(answer)

    def execute(self, command: list[str] | str, shell: bool = False) -> Json:
        """Run a command as the agent's user until it ends, and return its `output`, `error` and `returncode`."""
        return self._read(self._checked(self._post("/execute", {"command": command, "shell": shell}, once=True, timeout=130)))

    def launch(self, command: list[str] | str, shell: bool = False) -> None:
        """Start a command and leave it running."""
        self._checked(self._post("/setup/launch", {"command": command} | ({"shell": True} if shell else {}), once=True))

    def activate_window(self, name: str, strict: bool = False, by_class: bool = False) -> bool:
        """Bring the highest window with this in its title, or in its class, to the front; `strict` compares all of it. Tell whether there is one."""
        return self._on_window("/setup/activate_window", name, strict, by_class)

    def close_window(self, name: str, strict: bool = False, by_class: bool = False) -> bool:
        """Ask such a window to close, and tell whether there is one."""
        return self._on_window("/setup/close_window", name, strict, by_class)

    def open_file(self, path: str) -> None:
        """Open a file with the application that the desktop has for it, and wait for its window."""
        self._checked(self._post("/setup/open_file", {"path": path}, once=True, timeout=_WINDOW_SECONDS))

    def close_all(self) -> None:
        """Ask every window to close."""
        self._checked(self._post("/setup/close_all", {}, once=True))

    def _on_window(self, path: str, name: str, strict: bool, by_class: bool) -> bool:
        answer = self._post(path, {"window_name": name, "strict": strict, "by_class": by_class}, once=True)
        if answer.status_code in (400, 404):
            return False
        self._checked(answer)
        return True

    @contextlib.contextmanager
    def connection(self, port: int) -> Iterator[socket.socket]:
        """Connect to a port of the machine's own loopback; `MachineError` if nothing answers there."""
        headers = {"Connection": "Upgrade", "Upgrade": "tcp"}
        try:
            with self._http.stream("POST", "/forward", json={"port": port}, headers=headers) as answer:
                if answer.status_code != 101:
                    raise MachineError(f"the guest answered {answer.status_code}: {answer.read().decode(errors='replace')[:500]}")
                there: socket.socket = answer.extensions["network_stream"].get_extra_info("socket")
                there.settimeout(None)
                there.sendall(START)
                yield there
        except httpx.RequestError as error:
            raise MachineError(f"the guest does not answer: {type(error).__name__} {error}") from error

    def state(self) -> Json:
        """Return the windows, the cursor, and how often the desktop was started."""
        return self._read(self._checked(self._http_call(lambda: self._http.get("/state"))))

    def _json(self, path: str, body: Json, timeout: float = 30.0) -> Json:
        return self._read(self._checked(self._post(path, body, timeout=timeout)))

    def _post(self, path: str, body: Json, once: bool = False, timeout: float = 30.0) -> httpx.Response:
        headers = {"Request-Id": secrets.token_hex(12)} if once else {}
        tries = 1 if once and not self._knows_ids else _TRIES
        return self._http_call(lambda: self._http.post(path, json=body, headers=headers, timeout=timeout), tries)

    def _post_form(self, path: str, form: dict[str, str]) -> httpx.Response:
        return self._http_call(lambda: self._http.post(path, data=form))

    def _http_call(self, call: Callable[[], httpx.Response], tries: int = _TRIES) -> httpx.Response:
        """Return the answer; ask again if the connection failed. That is safe: actions carry an id, and other requests change nothing twice.

        A request that never reached the guest is sent again however many tries there are.
        """
        for number in range(_TRIES):
            try:
                return call()
            except httpx.RequestError as error:
                may_have_arrived = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
                if number + 1 == _TRIES or (may_have_arrived and number + 1 >= tries):
                    raise MachineError(f"the guest does not answer: {type(error).__name__} {error}") from error
        raise AssertionError("unreachable")

    def _checked(self, answer: httpx.Response) -> httpx.Response:
        if not answer.is_success:
            raise MachineError(f"the guest answered {answer.status_code}: {answer.text[:500]}")
        return answer

    def _read(self, answer: httpx.Response) -> Json:
        try:
            found = as_json(answer.content)
        except ValueError:
            raise MachineError(f"the guest's answer is not JSON: {answer.text[:200]!r}") from None
        if not isinstance(found, dict):
            raise MachineError(f"the guest's answer is {found!r:.200}, not an object")
        return found


_WINDOWS, _PAGE = TypeAdapter(tuple[Window, ...]), TypeAdapter(tuple[PageElement, ...])


def as_windows(found: object) -> tuple[Window, ...]:
    """Return windows from what JSON held; `ValueError` if they are none."""
    return _validated("windows", _WINDOWS, found)


def as_page(found: object) -> tuple[PageElement, ...]:
    """Return the elements of a page from what JSON held; `ValueError` if they are none."""
    return _validated("dom", _PAGE, found)


def _validated(part: str, kind: TypeAdapter[T], found: object) -> T:
    try:
        return kind.validate_python(found)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ValueError(f"{part}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def as_json(content: bytes | str) -> Any:
    """Return what JSON holds; `ValueError` if it is none, or nested too deeply."""
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def as_png(content: bytes) -> bytes:
    """Return a picture as it is; `ValueError` if it is no whole PNG file."""
    if not (content.startswith(_PNG) and content.endswith(_END_OF_PNG)):
        raise ValueError(f"the screenshot is no whole PNG file: it has {len(content)} bytes and begins with {content[:20]!r}")
    return content


def _part(found: Json, name: str, kind: type[T]) -> T:
    """Return a part of an answer; `MachineError` if it is missing or of another type."""
    part = found.get(name)
    if not isinstance(part, kind):
        raise MachineError(f"the guest's answer has no {kind.__name__} '{name}': {str(found)[:200]}")
    return part
