"""The reception of a desk: other processes of the same user on this host reach an episode here.

Both sides prove by a challenge that they know its key. A card in the folder `live` of a run, readable by its owner alone, says where an episode is
reached. It is there as long as the episode is played.
"""

import contextlib
import json
import os
import secrets
import socket
import struct
import threading
from collections.abc import Iterator, Sequence
from datetime import datetime
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, Listener, answer_challenge, deliver_challenge
from multiprocessing.reduction import recv_handle, send_handle
from pathlib import Path
from typing import Any, Self

from eval_flows.episodes.environment import Environment
from eval_flows.episodes.people.desk import Desk
from eval_flows.episodes.people.events import Event
from machines.actions import Action
from machines.errors import MachineError

Json = dict[str, Any]
FOLDER = "live"  # within the folder of a run
_KEY_BYTES = 32
_ANSWER_SECONDS = 20  # for a desk, at most: it only waits for a picture
_ASKED = frozenset({"state", "take", "holds", "picture", "acted", "noted", "back", "finish"})  # the methods of a desk that other processes call


@contextlib.contextmanager
def received(desk: Desk, environment: Environment, card: Path) -> Iterator[None]:
    """Receive people at a desk as long as the context lasts; then whoever still visits is told that the episode is over."""
    reception = _Reception(desk, environment)
    _write_card(card, reception.name, reception.key)
    try:
        yield
    finally:
        desk.end()
        card.unlink(missing_ok=True)
        reception.close()


def _write_card(card: Path, name: str, key: bytes) -> None:
    card.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    aside = card.with_suffix(".tmp")
    aside.unlink(missing_ok=True)
    with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump({"name": name, "key": key.hex()}, file)
    aside.replace(card)


class _Reception:
    """Receives each visiting process in a thread of its own."""

    def __init__(self, desk: Desk, environment: Environment) -> None:
        self.name, self.key = f"\0deskmill-people-{secrets.token_hex(8)}", secrets.token_bytes(_KEY_BYTES)
        self._desk = desk
        self._environment = environment
        self._has_ended = False
        self._visiting: set[Connection[Any, Any]] = set()
        self._lock = threading.Lock()
        self._listener = Listener(self.name, "AF_UNIX", backlog=16)
        threading.Thread(target=self._accept, name="reception", daemon=True).start()

    def close(self) -> None:
        """Receive nobody any more, and hang up."""
        with self._lock:
            self._has_ended = True
            for connection in self._visiting:
                with contextlib.suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as same:
                    same.shutdown(socket.SHUT_RDWR)  # a mere close would not wake the thread that reads
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as last:
            last.connect(self.name)  # the thread that accepts keeps the place open until somebody comes
        self._listener.close()

    def _accept(self) -> None:
        while not self._has_ended:
            with contextlib.suppress(OSError):
                threading.Thread(target=self._serve, args=(self._listener.accept(),), name="visitor", daemon=True).start()

    def _serve(self, connection: "Connection[Any, Any]") -> None:
        """Serve one visiting process until it hangs up. Then the machine goes back from those who came by it."""
        viewers: set[str] = set()
        with self._lock:
            if self._has_ended:
                connection.close()
                return
            self._visiting.add(connection)
        try:
            with contextlib.suppress(OSError, EOFError, AuthenticationError), connection:
                deliver_challenge(connection, self.key)
                answer_challenge(connection, self.key)
                while True:
                    self._answer(connection, viewers)
        finally:
            with self._lock:
                self._visiting.discard(connection)
            for viewer in viewers:
                self._desk.back(viewer)

    def _answer(self, connection: "Connection[Any, Any]", viewers: set[str]) -> None:
        name, arguments = connection.recv()
        if name == "screen":
            _send_screen(connection, self._environment)
        elif name in _ASKED:
            viewers |= {arguments[0]} if name == "take" else set()
            connection.send(getattr(self._desk, name)(*arguments))


def _send_screen(connection: "Connection[Any, Any]", environment: Environment) -> None:
    try:
        screen = environment.live_screen()
    except MachineError as error:
        connection.send(str(error))
        return
    with screen:
        connection.send("")
        send_handle(connection, screen.fileno(), None)


class Visit:
    """A visit of another process to a desk. It ends with an `EpisodeGone` of any method: the episode is over, or does not answer."""

    def __init__(self, card: Path) -> None:
        """Go to the desk that a card tells."""
        self._lock = threading.Lock()
        try:
            told = json.loads(card.read_text())
            key = bytes.fromhex(told["key"])
            self._connection = _connected(told["name"])
            answer_challenge(self._connection, key)
            deliver_challenge(self._connection, key)
        except (OSError, ValueError, KeyError, EOFError, AuthenticationError) as error:
            raise _failure(error) from error

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self.close()

    def close(self) -> None:
        """End the visit."""
        self._connection.close()

    def state(self) -> Json:
        """Return the state of the episode."""
        state: Json = self._asked("state")
        return state

    def take(self, viewer: str, person: str) -> str:
        """Take over for a viewer, and return what came of it."""
        return str(self._asked("take", viewer, person))

    def holds(self, viewer: str) -> bool:
        """Tell whether what a viewer does may reach the machine."""
        return bool(self._asked("holds", viewer))

    def picture(self, viewer: str) -> bytes | None:
        """Return the screen before what a viewer does now (PNG); None if they may do nothing."""
        picture: bytes | None = self._asked("picture", viewer)
        return picture

    def acted(self, viewer: str, action: Action, at: datetime, picture: bytes) -> bool:
        """Tell an act of a viewer with the screen before it, and whether it counts."""
        return bool(self._asked("acted", viewer, action, at, picture))

    def noted(self, viewer: str, events: Sequence[Event]) -> bool:
        """Tell events of a viewer that the machine got, and whether they count."""
        return bool(self._asked("noted", viewer, events))

    def back(self, viewer: str, note: str = "") -> bool:
        """Hand back for a viewer, and tell whether they had the machine."""
        return bool(self._asked("back", viewer, note))

    def finish(self, viewer: str, end: str) -> bool:
        """End a demonstration, and tell whether the viewer could."""
        return bool(self._asked("finish", viewer, end))

    def screen(self) -> socket.socket:
        """Return a connection on which a VNC server of the screen speaks; `MachineError` if there is none."""
        with self._lock, self._gone():
            self._connection.send(("screen", ()))
            if failure := self._connection.recv():
                raise MachineError(str(failure))
            return socket.socket(fileno=recv_handle(self._connection))

    def _asked(self, name: str, *arguments: Any) -> Any:
        with self._lock, self._gone():
            self._connection.send((name, arguments))
            return self._connection.recv()

    @contextlib.contextmanager
    def _gone(self) -> Iterator[None]:
        try:
            yield
        except (OSError, EOFError) as error:
            self.close()  # an answer that comes late would be taken for that to the next question
            raise _failure(error) from error


class EpisodeGone(Exception):
    """The episode is over, or its process has ended."""


class EpisodeSilent(EpisodeGone):
    """The process of the episode does not answer."""


def _failure(error: Exception) -> EpisodeGone:
    return EpisodeSilent("the episode does not answer") if isinstance(error, BlockingIOError) else EpisodeGone("the episode is over")


def _connected(name: str) -> "Connection[Any, Any]":
    """Return a connection on which whoever waits for the other side gets a `BlockingIOError` after a while."""
    with socket.socket(socket.AF_UNIX) as way:
        for limit in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            way.setsockopt(socket.SOL_SOCKET, limit, struct.pack("ll", _ANSWER_SECONDS, 0))
        way.connect(name)
        return Connection(way.detach())
