"""Running code of an agent: a process of the agent's user, bounded in time and in what it may say.

The code acts by calls. The server hands them to the host one after another, which carries them out as it does every action: `begin` and `answer`
return the next call, or the end of the code. What asks and changes nothing is answered here.
"""

import contextlib
import json
import queue
import secrets
import signal
import socketserver
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from machines.guest.code.calling import LONGEST
from machines.guest.platform import Platform

Json = dict[str, Any]
SECONDS = 20.0  # less than a step has of the clock that ends a hanging episode
_UP_SECONDS = 20.0
_MOST_SAID, _HEAD = 4_000, 2_000  # characters of what code says, and how many of them are its beginning when it says more
_PACKAGES = Path(__file__).parents[3]
# The folder of the user is no place for the imports of the child: a file there may be called as a module of Python's.
_CHILD = f"import sys; sys.path[0] = {str(_PACKAGES)!r}; from machines.guest.code.child import main; sys.path[0] = ''; main({{}}, {{!r}})"


@dataclass(frozen=True)
class _Call:
    """A call of the code, and where its answer goes."""

    asked: Json
    answer: "queue.SimpleQueue[Json]"


class Running:
    """The code that runs on a machine: one at a time."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._came: queue.SimpleQueue[_Call | Json] = queue.SimpleQueue()  # calls, and in the end how the code ended
        self._open: _Call | None = None

    def begin(self, code: str, seconds: float = SECONDS) -> Json:
        """Start the code, and return its first call or its end."""
        self._came, self._open = queue.SimpleQueue(), None
        threading.Thread(target=self._run, args=(code, seconds, self._came), name="code", daemon=True).start()
        return self._next()

    def answer(self, said: Json) -> Json:
        """Give the open call its answer (`value` or `refused`), and return the next call or the end."""
        if self._open is not None:
            self._open.answer.put(said)
        return self._next()

    def _next(self) -> Json:
        came = self._came.get()
        if isinstance(came, _Call):
            self._open = came
            return {"call": {key: came.asked[key] for key in ("name", "given", "named")}}
        return {"ended": came}

    def _run(self, code: str, seconds: float, came: "queue.SimpleQueue[_Call | Json]") -> None:
        word = secrets.token_hex(8)
        known: dict[str, Callable[[], Any]] = {
            "code": lambda: code,
            "size": lambda: [self._platform.screen.width, self._platform.screen.height],
            "position": lambda: list(self._platform.input.position()),
            "clipboard": self._platform.copied,
        }
        try:
            with _listening(word, known, came) as port:
                done = self._platform.run([sys.executable, "-u", "-c", _CHILD.format(port, word)], seconds, ends_forks=True)
            end = {"said": _bounded(done.stdout), "why": _why(done.returncode)}
        except subprocess.TimeoutExpired as error:
            end = {"said": _bounded(error.output or b""), "why": f"it was ended after {seconds:g} s"}
        except OSError as error:
            end = {"said": "", "why": f"it could not be started: {error}"}
        self._platform.wait_until_up(_UP_SECONDS)  # code may have ended the desktop too
        came.put(end)


@contextlib.contextmanager
def _listening(word: str, known: dict[str, Callable[[], Any]], came: "queue.SimpleQueue[_Call | Json]") -> Iterator[int]:
    """Take calls, and yield the port where they come; calls that are open at the end get no answer."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            asked = _read(self.rfile.readline(LONGEST + 1))
            if asked is None or asked["word"] != word:
                return
            self.wfile.write(json.dumps(self.said(asked)).encode() + b"\n")

        def said(self, asked: Json) -> Json:
            if asked["name"] in known:
                try:
                    return {"value": known[asked["name"]]()}
                except Exception as error:  # the desktop may be gone for a moment
                    return {"refused": f"{asked['name']}: {error}"}
            answer: queue.SimpleQueue[Json] = queue.SimpleQueue()
            came.put(_Call(asked, answer))
            return answer.get()

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *_: object) -> None:
            """Say nothing: code may break its connection off."""

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), name="calls", daemon=True).start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


def _read(line: bytes) -> Json | None:
    """Return a call; None for a line that is none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    kinds = {"word": str, "name": str, "given": list, "named": dict}
    return found if isinstance(found, dict) and all(isinstance(found.get(key), kind) for key, kind in kinds.items()) else None


def _bounded(said: bytes) -> str:
    """Return what code said: its beginning and its end, if it said too much."""
    text = said.decode(errors="replace").replace("\0", "\ufffd")
    left_out = len(text) - _MOST_SAID
    return text if left_out <= 0 else f"{text[:_HEAD]}\n... {left_out:,} characters left out ...\n{text[_HEAD - _MOST_SAID :]}"


def _why(status: int) -> str:
    """Return why code did not run to its end; empty if it did."""
    if status >= 0:
        return f"it ended with status {status}" if status else ""
    by = signal.Signals(-status)
    return f"it was ended by {by.name}{', maybe since it used too much memory' if by == signal.SIGKILL else ''}"
