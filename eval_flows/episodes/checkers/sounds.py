"""Getters of sound files, decoded outside the machine: they listen to the sound itself, not to file names or first bytes."""

from itertools import islice
from typing import Any

import miniaudio  # type: ignore[import-untyped]
import numpy

from eval_flows.episodes.checkers.checker import Checkers

_RATE = 8000  # samples a second after decoding, all channels mixed
_PIECE = 4096  # samples decoded at a time
_MOST_SECONDS = 600  # silence compresses so well that a small file may hold weeks
_FORMATS = {
    "FLAC": miniaudio.flac_get_info,
    "WAV": miniaudio.wav_get_info,
    "OGG": miniaudio.vorbis_get_info,
    "MP3": miniaudio.mp3_get_info,
}


def of_sound(content: bytes, what: str) -> Any:
    """Return a property of a sound file: `format` (FLAC, WAV, OGG or MP3), `seconds`, or the `pitch` of its strongest tone in Hz."""
    return {"format": _format, "seconds": _seconds, "pitch": _pitch}[what](content)


def _format(content: bytes) -> str | None:
    for name, info in _FORMATS.items():
        try:
            info(content)
        except miniaudio.DecodeError:
            continue
        return name
    return None


def _seconds(content: bytes) -> float:
    return len(_heard(content)) / _RATE


def _pitch(content: bytes) -> float | None:
    """Return the pitch of the strongest tone in Hz; None in silence."""
    heard = _heard(content)
    strengths = numpy.abs(numpy.fft.rfft(heard))[1:]
    return float((strengths.argmax() + 1) * _RATE / len(heard)) if strengths.any() else None


def _heard(content: bytes) -> "numpy.ndarray[Any, Any]":
    decoded = miniaudio.stream_memory(content, miniaudio.SampleFormat.SIGNED16, 1, _RATE, _PIECE)
    return numpy.concatenate([numpy.array(piece) for piece in islice(decoded, _MOST_SECONDS * _RATE // _PIECE)])


CHECKERS = Checkers(
    of_files={
        "sound": lambda content, asked: of_sound(content, asked["what"]),
    }
)
