"""Questions to other programs over D-Bus, hundreds at a time: they are sent together, and their answers are collected until a deadline."""

import select
import struct
import time
from collections.abc import Callable, Iterable
from typing import Any

from machines.guest.on_linux.dbus_lines import Line, Lines
from machines.guest.on_linux.dbus_messages import ERROR, METHOD_RETURN, Answer, contents, method_call, reply_of

Reference = tuple[str, str]  # the name of a program on the bus, and the path of one of its objects
Question = tuple[Reference, str, str, str, tuple[Any, ...]]  # whom to ask, interface, method, signature of the arguments, the arguments
_Waiting = dict[int, tuple[int, str, Line]]  # by the number of a question: its place among the answers, the program, and the line it was asked on
_TOGETHER, _LEFT = 256, 128  # the most open questions, and how many are open when more are sent
_ASK_EVERY, _PATIENCE = 0.1, 1.0  # seconds: how often it is asked whether a program works, and the longest wait for answers while none does


class Calls:
    """Asks over some lines until a deadline; a program that did not answer in time is not asked again.

    In time is before the deadline, and while a program works: one that hangs is waited for only a moment. What it took is added to the deadline, so
    that it does not hide the others.
    """

    def __init__(self, lines: Lines, until: float, is_anyone_busy: Callable[[], bool]) -> None:
        self._lines = lines
        self._until = until
        self._is_anyone_busy = is_anyone_busy
        self.silent: set[str] = set()

    def all(self, questions: Iterable[Question]) -> list[Answer | None]:
        """Return the contents of the answers, in the order of the questions; None for an error or for no answer."""
        waiting: _Waiting = {}
        answers: list[Answer | None] = []
        unsent: dict[Line, bytearray] = {}
        for place, ((name, path), interface, method, signature, arguments) in enumerate(questions):
            answers.append(None)
            if name in self.silent:
                continue
            number, line = self._lines.number(), self._lines.of(name)
            unsent.setdefault(line, bytearray()).extend(method_call(number, name, path, interface, method, signature, arguments))
            waiting[number] = (place, name, line)
            if len(waiting) >= _TOGETHER:
                self._exchange(unsent, waiting, answers, _LEFT)
        self._exchange(unsent, waiting, answers, 0)
        return answers

    def leave_out_silent(self, programs: Iterable[str]) -> None:
        """Ask programs, by their names on the bus, whether they answer, and leave out those that do not do so at once."""
        until, self._until = self._until, time.monotonic() + _ASK_EVERY
        self.all([((name, "/"), "org.freedesktop.DBus.Peer", "Ping", "", ()) for name in programs])
        self._until = until

    def _exchange(self, unsent: dict[Line, bytearray], waiting: _Waiting, answers: list[Answer | None], left: int) -> None:
        """Send all messages, and read answers until only `left` questions are open."""
        begun = time.monotonic()
        try:
            for line in list(unsent):
                self._use(line, unsent, waiting, lambda line: line.send(unsent[line], self._until - begun))
            for messages in unsent.values():
                messages.clear()
            while len(waiting) > left:
                for line in self._arrived(list(unsent)):
                    for message in self._use(line, unsent, waiting, Line.received) or ():
                        _take(message, line, waiting, answers)
        except TimeoutError:
            self.silent |= {name for _, name, _ in waiting.values()}
            self._until += time.monotonic() - begun
            waiting.clear()
            unsent.clear()

    def _use(self, line: Line, unsent: dict[Line, bytearray], waiting: _Waiting, work: Callable[[Line], Any]) -> Any:
        """Return what `work` makes of a line; if it ends, nothing more is expected of its program. `ConnectionError` if the bus ends."""
        try:
            return work(line)
        except ConnectionError:
            self._lines.end(line)
            del unsent[line]
            for number in [number for number, (_, _, its_line) in waiting.items() if its_line is line]:
                del waiting[number]
            return None

    def _arrived(self, lines: list[Line]) -> list[Line]:
        """Return the lines on which something has arrived; `TimeoutError` at the deadline, or when no program has worked for a moment."""
        worked = now = time.monotonic()
        while now < self._until:
            ready, _, _ = select.select(lines, (), (), max(0.001, min(_ASK_EVERY, self._until - time.monotonic())))
            if ready:
                return ready
            now = time.monotonic()
            worked = now if self._is_anyone_busy() else worked
            if now - worked >= _PATIENCE:
                break
        raise TimeoutError


def _take(message: bytes, line: Line, waiting: _Waiting, answers: list[Answer | None]) -> None:
    """Put an answer in its place; skip a message that is not an answer, or that nobody waits for on this line: a program answers for itself alone."""
    kind = message[1]
    if kind not in (METHOD_RETURN, ERROR):
        return
    try:
        replied, signature, body = reply_of(message)
        place, _, asked_on = waiting.get(replied, (0, "", None))
        if asked_on is line:
            del waiting[replied]
            if kind == METHOD_RETURN:
                answers[place] = contents(signature, body)
    except (struct.error, IndexError, KeyError, UnicodeDecodeError, RecursionError):
        return  # an answer that cannot be read counts as no answer
