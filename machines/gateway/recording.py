"""A film of a machine's screen: pictures of it, taken a few times a second on the host, as H.264 in MP4."""

import io
import threading
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib.util import find_spec
from typing import Any

from PIL import Image

from machines.errors import MachineError, MachineNeeds

_EVERY = 0.5  # seconds between pictures
_LONGEST = 4 * 3600.0  # seconds: the film is in memory, and who began it may never ask for it
_TICK = Fraction(1, 1000)  # the unit of time in the film, in seconds
_PACKAGE = "av"


class Recording:
    """A recording, from when it is made until `end`, or for four hours.

    `picture` returns the screen as PNG; while it raises `MachineError`, the last one is shown.

    `MachineNeeds` if this host cannot make films.
    """

    def __init__(self, picture: Callable[[], bytes]) -> None:
        if find_spec(_PACKAGE) is None:
            raise MachineNeeds("recording needs the Python package av on the host of the machines: pip install 'deskmill[osworld]'")
        self._picture = picture
        self._film: bytes | None = None
        self._failure = "the machine gave no picture while it was recorded"
        self._has_ended = threading.Event()
        self._thread = threading.Thread(target=self._record, name="recording", daemon=True)
        self._thread.start()

    def abandon(self) -> None:
        """Stop; nobody wants the film."""
        self._has_ended.set()
        self._thread.join()

    def end(self) -> bytes:
        """Stop, and return the film; `MachineError` if the machine gave no picture at all, or one that cannot be read."""
        self.abandon()
        if self._film is None:
            raise MachineError(self._failure)
        return self._film

    def _record(self) -> None:
        try:
            self._film = film_of(self._pictures())
        except Exception as error:  # who asks for the film has to hear of it, not this thread
            self._failure = f"the film could not be made: {type(error).__name__}: {error}"

    def _pictures(self) -> Iterator[tuple[int, bytes]]:
        """Yield pictures that show something new, each with its millisecond, and at the end the last one once more."""
        begun, last, pause, is_over = time.monotonic(), b"", 0.0, False
        while not is_over:
            is_over, pause = self._has_ended.wait(pause) or time.monotonic() - begun > _LONGEST, _EVERY
            try:
                picture = self._picture()
            except MachineError:
                picture = last
            if picture and (picture != last or is_over):
                yield round((time.monotonic() - begun) / _TICK), picture
            last = picture


def film_of(pictures: Iterator[tuple[int, bytes]]) -> bytes | None:
    """Return a film of PNG pictures, each with the millisecond at which it begins to be shown; None if there is no picture."""
    import av

    frame_of: Any = av.VideoFrame.from_image
    file, stream = io.BytesIO(), None
    with av.open(file, "w", format="mp4") as film:
        last = -1
        for at, content in pictures:
            picture = Image.open(io.BytesIO(content)).convert("RGB")
            if stream is None:
                stream = _stream(film, picture)
            frame = frame_of(picture.crop((0, 0, stream.width, stream.height)))
            last = max(at, last + 1)
            frame.pts, frame.time_base = last, _TICK
            film.mux(stream.encode(frame))
        if stream is None:
            return None
        film.mux(stream.encode(None))
    return file.getvalue()


def _stream(film: Any, picture: Image.Image) -> Any:
    stream = film.add_stream("libx264", rate=round(1 / _EVERY), options={"preset": "veryfast"})
    stream.width, stream.height = (side - side % 2 for side in picture.size)  # the format wants even sides
    stream.pix_fmt = "yuv420p"
    stream.codec_context.time_base = _TICK
    return stream
