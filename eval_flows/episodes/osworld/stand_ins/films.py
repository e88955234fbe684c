"""The makers of films (MP4) and of music (MP3), which need the package `av` of the extra `osworld`."""

import io
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy
from PIL import Image, ImageDraw

Json = Mapping[str, Any]
_EXACT = {"fflags": "+bitexact"}
_RATE = 44100
_FRAME = 1152  # samples in a frame of MP3


def film(asked: Json) -> bytes:
    """Return a film of so many `seconds` in a `size`: a bar moves from left to right. `rate` is in frames a second (5)."""
    import av

    (width, height), rate = asked.get("size", (320, 240)), int(asked.get("rate", 5))
    file = io.BytesIO()
    with av.open(file, "w", format="mp4", options=_EXACT) as container:
        stream = container.add_stream("mpeg4", rate=rate)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for number in range(int(asked["seconds"]) * rate):
            shown = Image.new("RGB", (width, height), (40, 80, 120))
            left = number * 8 % width
            ImageDraw.Draw(shown).rectangle([left, 0, left + width // 10, height], fill="white")
            container.mux(stream.encode(av.VideoFrame.from_image(shown)))  # type: ignore[no-untyped-call]
        container.mux(stream.encode())
    return file.getvalue()


def music(asked: Json) -> bytes:
    """Return so many `seconds` of a tone of a `pitch` (440) as MP3."""
    import av

    file = io.BytesIO()
    with av.open(file, "w", format="mp3", options=_EXACT) as container:
        stream = container.add_stream("libmp3lame", rate=_RATE, layout="mono")
        for begin in range(0, int(asked["seconds"]) * _RATE, _FRAME):
            turns = numpy.arange(begin, begin + _FRAME) * float(asked.get("pitch", 440)) / _RATE
            samples = (8000 * numpy.sin(2 * numpy.pi * turns)).astype(numpy.int16)
            frame = av.AudioFrame.from_ndarray(samples[None, :], format="s16", layout="mono")
            frame.sample_rate, frame.pts, frame.time_base = _RATE, begin, Fraction(1, _RATE)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return file.getvalue()
