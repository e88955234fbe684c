"""A bridge between a viewer in a browser (RFB over a WebSocket) and the VNC server of a machine's screen.

Pictures pass always. Pointer and keys pass only while the viewer holds the machine. Each event that passes and each act that they make is told to the
desk. However the viewer ends, no key or button stays down on the machine, and the desk is told all that the machine got.
"""

import asyncio
import contextlib
import fcntl
import socket
import struct
import termios
import time
from datetime import UTC, datetime

from starlette.websockets import WebSocket, WebSocketDisconnect

from eval_flows.episodes.people.events import Event
from eval_flows.episodes.people.gestures import Gesture, Gestures
from eval_flows.episodes.people.keysyms import is_known, repeats
from eval_flows.episodes.people.reception import EpisodeGone, Visit
from eval_flows.episodes.people.rfb import FromViewer, Key, Message, Pointer, WrongMessage, key_message, pointer_message

_PART = 65_536  # bytes that are passed on at once, at most
_DUE_EVERY = 0.1  # seconds
_TOLD_SECONDS = 20.0  # to tell the last acts of somebody who hands back, at most
_TAKEN_SECONDS, _ASK_EVERY = 3.0, 0.005  # for the machine to take what was sent, at most; and how often that is asked
_REPEATED_EVERY = 0.25  # seconds: the age of a picture that is recent enough for a key that repeats, since to take one delays the key


class Bridge:
    """The bridge of one viewer. `is_holder` says whether they hold the machine."""

    def __init__(self, websocket: WebSocket, visit: Visit, viewer: str, screen: tuple[int, int]) -> None:
        self.is_holder = False
        self.received = 0  # bytes from the viewer
        self._websocket = websocket
        self._visit = visit
        self._viewer = viewer
        self._gestures = Gestures(screen)
        self._events: list[Event] = []  # what the machine got since the desk was told last
        self._untold: asyncio.Queue[Gesture | list[Event]] = asyncio.Queue()
        self._writer: asyncio.StreamWriter | None = None
        self._keys: set[int] = set()
        self._pointer = Pointer(0, 0, 0)
        self._looked_at = 0.0

    async def run(self, connection: socket.socket) -> None:
        """Pass pictures and events on until one side ends; then let go of the machine."""
        reader, self._writer = await asyncio.open_unix_connection(sock=connection)
        telling = asyncio.ensure_future(self._tell())
        tasks = [asyncio.ensure_future(way) for way in (self._pictures(reader), self._pass_all(), self._due())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await _cancelled(*tasks)
            with contextlib.suppress(OSError):  # the machine may be gone
                await self.let_go()
                await self._writer.drain()
            await _cancelled(telling)
            self._writer.close()

    async def let_go(self) -> None:
        """Let go of every key and button on the machine, and tell the desk what is still open: the viewer hands back, or is gone."""
        self.is_holder = False
        for key in sorted(self._keys):
            self._send(Key(False, key))
        if self._pointer.buttons:
            self._send(Pointer(0, self._pointer.x, self._pointer.y))
        self._note(self._gestures.flushed())
        self._note_events()
        self._gestures = Gestures(self._gestures.screen)
        await self._taken()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._untold.join(), _TOLD_SECONDS)

    async def _taken(self) -> None:
        """Wait until the VNC server has read all that was sent: else the agent would act before what the person did last."""
        assert self._writer is not None
        handle, transport = self._writer.get_extra_info("socket").fileno(), self._writer.transport
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_TAKEN_SECONDS):
                while not transport.is_closing() and (transport.get_write_buffer_size() or _unread(handle)):
                    await asyncio.sleep(_ASK_EVERY)

    async def _pictures(self, reader: asyncio.StreamReader) -> None:
        while part := await reader.read(_PART):
            await self._websocket.send_bytes(part)

    async def _pass_all(self) -> None:
        assert self._writer is not None
        viewer = FromViewer()
        with contextlib.suppress(WebSocketDisconnect, WrongMessage, KeyError):  # the last: a text where bytes belong
            while True:
                part = await self._websocket.receive_bytes()
                for message in viewer.read(part):
                    await self._pass(message)
                self.received += len(part)
                await self._writer.drain()

    async def _pass(self, message: Message) -> None:
        event, now = message.event, time.time()
        if event is None:
            assert self._writer is not None
            self._writer.write(message.content)
            return
        if not self.is_holder or (isinstance(event, Key) and not is_known(event.symbol)):
            return
        is_repeated = isinstance(event, Key) and event.is_down and event.symbol in self._keys and repeats(event.symbol)
        picture = None
        if self._gestures.begins(event, now) and not (is_repeated and now - self._looked_at < _REPEATED_EVERY):
            picture = await self._look()
            if not self.is_holder:
                return
        if is_repeated and isinstance(event, Key):
            self._send(Key(False, event.symbol))  # a browser repeats the press of a held key, and a screen counts a press after a release
        self._send(event)
        self._note(self._gestures.take(event, now, picture))

    async def _look(self) -> bytes | None:
        """Return the screen before what the viewer does now. If they may do nothing any more, the machine goes back."""
        picture = None
        with contextlib.suppress(EpisodeGone):
            picture = await asyncio.to_thread(self._visit.picture, self._viewer)
        if picture is None:
            await self._give_back()
        self._looked_at = time.time()
        return picture

    def _send(self, event: Key | Pointer) -> None:
        """Give the machine an event, and keep it."""
        assert self._writer is not None
        if isinstance(event, Pointer):
            self._writer.write(pointer_message(event.buttons, event.x, event.y))
            self._pointer = event
        else:
            self._writer.write(key_message(event.symbol, event.is_down))
            (self._keys.add if event.is_down else self._keys.discard)(event.symbol)
        self._events.append(Event(time.time(), event))

    async def _due(self) -> None:
        """Tell what is over, and let go of a machine that the desk calls back."""
        while True:
            await asyncio.sleep(_DUE_EVERY)
            self._note(self._gestures.due(time.time()))
            self._note_events()
            if self.is_holder and not await self._holds():
                await self._give_back()

    async def _holds(self) -> bool:
        with contextlib.suppress(EpisodeGone):
            return await asyncio.to_thread(self._visit.holds, self._viewer)
        return False

    async def _give_back(self) -> None:
        await self.let_go()
        with contextlib.suppress(EpisodeGone):
            await asyncio.to_thread(self._visit.back, self._viewer)

    def _note(self, gestures: list[Gesture]) -> None:
        for one in gestures:
            self._untold.put_nowait(one)

    def _note_events(self) -> None:
        if self._events:
            self._untold.put_nowait(self._events)
            self._events = []

    async def _tell(self) -> None:
        """Tell acts and events to the desk, in their order."""
        while True:
            one = await self._untold.get()
            try:
                if isinstance(one, Gesture):
                    began = datetime.fromtimestamp(one.began, UTC)
                    await asyncio.to_thread(self._visit.acted, self._viewer, one.action, began, one.picture)
                else:
                    await asyncio.to_thread(self._visit.noted, self._viewer, one)
            except EpisodeGone:
                self.is_holder = False
            finally:
                self._untold.task_done()


def _unread(handle: int) -> int:
    """Return how much of what was sent on a Unix socket the other side has not read yet; 0 if nothing is left."""
    (left,) = struct.unpack("i", fcntl.ioctl(handle, termios.TIOCOUTQ, bytes(4)))
    return int(left)


async def _cancelled(*tasks: "asyncio.Future[None]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
