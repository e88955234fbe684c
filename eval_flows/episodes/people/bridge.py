"""A bridge between a viewer in a browser (RFB over a WebSocket) and the VNC server of a machine's screen.

Pictures pass always. Pointer and keys pass only while the viewer holds the machine, and each of their acts is told to the desk.
"""

import asyncio
import contextlib
import socket
import time
from datetime import UTC, datetime

from starlette.websockets import WebSocket, WebSocketDisconnect

from eval_flows.episodes.people.gestures import Gesture, Gestures
from eval_flows.episodes.people.keysyms import is_known, repeats
from eval_flows.episodes.people.reception import EpisodeGone, Visit
from eval_flows.episodes.people.rfb import FromViewer, Key, Message, Pointer, WrongMessage, key_message, pointer_message

_PART = 65_536  # bytes that are passed on at once, at most
_DUE_EVERY = 0.1  # seconds
_TOLD_SECONDS = 20.0  # to tell the last acts of somebody who hands back, at most


class Bridge:
    """The bridge of one viewer. `is_holder` says whether they hold the machine."""

    def __init__(self, websocket: WebSocket, visit: Visit, viewer: str, screen: tuple[int, int]) -> None:
        self.is_holder = False
        self.received = 0  # bytes from the viewer
        self._websocket = websocket
        self._visit = visit
        self._viewer = viewer
        self._gestures = Gestures(screen)
        self._untold: asyncio.Queue[Gesture] = asyncio.Queue()  # to tell one takes a picture long: events do not wait for it
        self._writer: asyncio.StreamWriter | None = None
        self._keys: set[int] = set()
        self._pointer = Pointer(0, 0, 0)

    async def run(self, connection: socket.socket) -> None:
        """Pass pictures and events on until one side ends."""
        reader, self._writer = await asyncio.open_unix_connection(sock=connection)
        ways = [self._pictures(reader), self._events(), self._due(), self._tell()]
        tasks = [asyncio.ensure_future(way) for way in ways]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._writer.close()

    async def let_go(self) -> None:
        """Let go of every key and button on the machine, and tell the desk what is still open: the viewer hands back."""
        self.is_holder = False
        held = [key_message(key, False) for key in sorted(self._keys)]
        if self._pointer.buttons:
            held.append(pointer_message(0, self._pointer.x, self._pointer.y))
        self._keys.clear()
        if self._writer is not None and held:
            self._writer.write(b"".join(held))
        self._note(self._gestures.flushed())
        self._gestures = Gestures(self._gestures.screen)
        with contextlib.suppress(TimeoutError):  # a picture of each takes that long: whoever hands back does not wait for more
            await asyncio.wait_for(self._untold.join(), _TOLD_SECONDS)

    async def _pictures(self, reader: asyncio.StreamReader) -> None:
        while part := await reader.read(_PART):
            await self._websocket.send_bytes(part)

    async def _events(self) -> None:
        assert self._writer is not None
        viewer = FromViewer()
        with contextlib.suppress(WebSocketDisconnect, WrongMessage, KeyError):  # the last: a text where bytes belong
            while True:
                part = await self._websocket.receive_bytes()
                for message in viewer.read(part):
                    self._pass(message, self._writer)
                self.received += len(part)
                await self._writer.drain()

    def _pass(self, message: Message, writer: asyncio.StreamWriter) -> None:
        event = message.event
        if event is None:
            writer.write(message.content)
            return
        if not self.is_holder or (isinstance(event, Key) and not is_known(event.symbol)):
            return
        if isinstance(event, Key) and event.is_down and event.symbol in self._keys and repeats(event.symbol):
            writer.write(key_message(event.symbol, False))  # a browser repeats the press of a held key, and a screen counts a press after a release
        writer.write(message.content)
        if isinstance(event, Pointer):
            self._pointer = event
        elif event.is_down:
            self._keys.add(event.symbol)
        else:
            self._keys.discard(event.symbol)
        self._note(self._gestures.take(event, time.time()))

    async def _due(self) -> None:
        while True:
            await asyncio.sleep(_DUE_EVERY)
            self._note(self._gestures.due(time.time()))

    def _note(self, gestures: list[Gesture]) -> None:
        for one in gestures:
            self._untold.put_nowait(one)

    async def _tell(self) -> None:
        """Tell acts to the desk, in their order; whoever does not hold the machine any more acts no more."""
        while True:
            one = await self._untold.get()
            try:
                counts = await asyncio.to_thread(self._visit.acted, self._viewer, one.action, datetime.fromtimestamp(one.began, UTC))
                self.is_holder = self.is_holder and counts
            except EpisodeGone:
                self.is_holder = False
            finally:
                self._untold.task_done()
