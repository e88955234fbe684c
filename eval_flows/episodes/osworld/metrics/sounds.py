"""How alike two sound files are: their timbre in the course of time, with time stretched where that helps."""

from itertools import islice

import miniaudio  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import NDArray
from scipy.fft import dct

from eval_flows.episodes.osworld.metrics.metric import Metrics
from eval_flows.episodes.osworld.metrics.reading import Place, content

Frames = NDArray[np.float64]
_RATE, _WINDOW, _HOP = 22_050, 2048, 512  # samples
_BANDS, _KEPT = 128, 20
_DYNAMIC = 80.0  # dB below the loudest
_MOST_SECONDS, _PIECE = 600, 4096
_AT_ONCE = 1000  # windows, for the memory's sake
_MOST_FRAMES = 3000  # more are averaged


def sounds_alike(result: Place, expected: Place) -> float:
    """How alike two sound files are: e to the minus mean cosine distance of their MFCC, aligned by dynamic time warping."""
    one, other = (_timbre(content(place)) for place in (result, expected))
    step = -(-max(len(one), len(other)) // _MOST_FRAMES)
    return float(np.exp(-_warped(_averaged(one, step), _averaged(other, step))))


def _timbre(sound: bytes) -> Frames:
    """Return mel-frequency cepstral coefficients (frames, 20), each scaled to at most 1; `ValueError` if there is no sound."""
    decoded = miniaudio.stream_memory(sound, miniaudio.SampleFormat.FLOAT32, 1, _RATE, _PIECE)
    heard = np.concatenate([np.array(piece) for piece in islice(decoded, _MOST_SECONDS * _RATE // _PIECE)])
    if not heard.size:
        raise ValueError("the file holds no sound")
    loudness = 10 * np.log10(np.maximum(_bands() @ _strengths(heard), 1e-10))
    found = dct(np.maximum(loudness, loudness.max() - _DYNAMIC), axis=0, norm="ortho")[:_KEPT].T
    most = np.abs(found).max(axis=0)
    scaled: Frames = found / np.where(most > 0, most, 1)
    return scaled


def _strengths(heard: NDArray[np.float32]) -> Frames:
    """Return how strong each frequency is (frequencies, frames) in windows around places at equal distances."""
    padded = np.pad(heard, _WINDOW // 2)
    windows = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW)[::_HOP]
    shape = np.hanning(_WINDOW + 1)[:-1]
    pieces = (windows[at : at + _AT_ONCE] * shape for at in range(0, len(windows), _AT_ONCE))
    return np.concatenate([np.abs(np.fft.rfft(piece)) ** 2 for piece in pieces]).T


def _bands() -> Frames:
    """Return the triangles by which frequencies become bands of the mel scale (128, frequencies)."""
    edges = 700 * (10 ** (np.linspace(0, 2595 * np.log10(1 + _RATE / 2 / 700), _BANDS + 2) / 2595) - 1)
    at = np.linspace(0, _RATE / 2, _WINDOW // 2 + 1)
    rising = (at - edges[:-2, None]) / np.diff(edges)[:-1, None]
    falling = (edges[2:, None] - at) / np.diff(edges)[1:, None]
    found: Frames = np.maximum(0, np.minimum(rising, falling))
    return found


def _averaged(frames: Frames, step: int) -> Frames:
    whole = frames[: len(frames) // step * step] if len(frames) >= step else frames[:1].repeat(step, axis=0)
    found: Frames = whole.reshape(-1, step, frames.shape[1]).mean(axis=1)
    return found


def _warped(one: Frames, other: Frames) -> float:
    """Return the mean cosine distance along the best alignment (dynamic time warping, Sakoe and Chiba 1978), one diagonal at a time."""
    one, other = (each / np.maximum(np.linalg.norm(each, axis=1, keepdims=True), 1e-12) for each in (one, other))
    rows, columns = len(one), len(other)
    nothing = np.full((rows + 1, 2), np.inf)
    before, last = nothing.copy(), nothing.copy()  # by row: the distance so far, and the steps
    for diagonal in range(rows + columns - 1):
        first, end = max(0, diagonal - columns + 1), min(rows, diagonal + 1)
        row = np.arange(first, end)
        here = 1 - np.einsum("ij,ij->i", one[row], other[diagonal - row])
        ways = np.stack([before[row], last[row], last[row + 1]])  # from the corner, from above, from the left
        best = np.take_along_axis(ways, ways[..., 0].argmin(axis=0)[None, :, None], axis=0)[0] if diagonal else np.zeros((1, 2))
        before, last = last, nothing.copy()
        last[row + 1] = best + np.stack([here, np.ones_like(here)], axis=1)
    total, steps = last[rows]
    return float(total / steps)


METRICS: Metrics = {"compare_audios": sounds_alike}
