"""Asking across hosts: a worker on any host asks the process of the run, which has the model's client, over a connection.

So limits, budget and cache are one for the whole run, wherever its workers are. Both sides prove by a challenge that they know the key of the run;
what they send is not hidden from who can listen in between.
"""

import contextlib
import os
import queue
import secrets
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener, answer_challenge, deliver_challenge
from types import TracebackType
from typing import Any, Self

from eval_flows.episodes.runs.workers import Reply, Respond
from machines.errors import MachineError

_KEY_BYTES = 32
_CLOSING_SECONDS = 5.0
_KEPT_ALIVE = {socket.TCP_KEEPIDLE: 60, socket.TCP_KEEPINTVL: 20, socket.TCP_KEEPCNT: 6}  # a host that is gone says nothing: it is asked for a sign


@dataclass(frozen=True)
class Place:
    """Where to ask: the address and port of the run's process, and the key of the run, which is not shown."""

    address: tuple[str, int]
    key: bytes

    def __repr__(self) -> str:
        """Return it without the key."""
        return f"{self.address[0]}:{self.address[1]}"


class AnswerServer:
    """Answers workers of other hosts. An exception as the answer ends the run: it is kept in `ended_by`, and who asked learns nothing more."""

    def __init__(self, respond: Respond, host: str) -> None:
        """Take what answers questions, and the address of this host at which workers reach it."""
        self.ended_by: BaseException | None = None
        self._respond = respond
        self._has_ended = False
        self._connections: set[Connection[Any, Any]] = set()
        self._lock = threading.Lock()
        self._accepting = threading.Thread(target=self._accept, name="answers", daemon=True)
        self._listener = Listener((host, 0), backlog=64)
        address: Any = self._listener.address
        self.place = Place(address, secrets.token_bytes(_KEY_BYTES))

    def __enter__(self) -> Self:
        """Begin to answer."""
        self._accepting.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Answer no more, and hang up: a worker that waits for an answer learns that the run has ended."""
        with self._lock:
            self._has_ended = True
            for connection in self._connections:
                with contextlib.suppress(OSError):
                    _hang_up(connection)
        with contextlib.suppress(OSError):  # the thread that accepts keeps the place open until somebody comes
            socket.create_connection(self.place.address, _CLOSING_SECONDS).close()
        self._listener.close()
        self._accepting.join(_CLOSING_SECONDS)

    def _accept(self) -> None:
        while not self._has_ended:
            with contextlib.suppress(OSError):
                connection = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), name="answer", daemon=True).start()

    def _serve(self, connection: "Connection[Any, Any]") -> None:
        """Answer one worker until it hangs up; who does not know the key is not heard."""
        with contextlib.suppress(OSError, EOFError, AuthenticationError), connection:
            with self._lock:
                if self._has_ended:
                    return
                self._connections.add(connection)
            try:
                _keep_alive(connection)
                deliver_challenge(connection, self.place.key)
                answer_challenge(connection, self.place.key)
                while True:
                    answer = self._answer(connection.recv())
                    if isinstance(answer, BaseException):
                        self.ended_by = self.ended_by or answer
                        return
                    connection.send(answer)
            finally:
                with self._lock:
                    self._connections.discard(connection)

    def _answer(self, question: Any) -> Any:
        """Return the answer; an exception if there is none."""
        answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        try:
            self._respond(question, answers.put)
        except Exception as error:
            return error
        return answers.get()


def _hang_up(connection: "Connection[Any, Any]") -> None:
    """End a connection that another thread may be reading from: a mere close would not wake that thread."""
    with socket.socket(fileno=os.dup(connection.fileno())) as same:
        same.shutdown(socket.SHUT_RDWR)


def _keep_alive(connection: "Connection[Any, Any]") -> None:
    """Let whoever reads from a connection learn within minutes that the other host is gone."""
    with socket.socket(fileno=os.dup(connection.fileno())) as same:
        same.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in _KEPT_ALIVE.items():
            same.setsockopt(socket.IPPROTO_TCP, option, value)


@contextlib.contextmanager
def asking(place: Place) -> Iterator[Respond]:
    """Yield what answers a worker of this host by asking at that place; it has replied when it returns.

    `MachineError` if the process of the run cannot be reached; the same as the reply if it has ended.
    """
    try:
        connection = Client(place.address, authkey=place.key)
        _keep_alive(connection)
    except (OSError, EOFError, AuthenticationError, AssertionError) as error:  # the last: something else listens there by now
        raise MachineError(f"the process of the run does not answer at {place} ({type(error).__name__}: {error})") from error
    with connection:

        def respond(question: Any, reply: Reply) -> None:
            try:
                connection.send(question)
                reply(connection.recv())
            except (OSError, EOFError):
                reply(MachineError(f"the process of the run at {place} has ended"))

        yield respond
