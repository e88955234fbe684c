"""The element source `ocr`: texts in the picture, read by Tesseract, which runs on this host."""

import io
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from csv import QUOTE_NONE, reader
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from statistics import fmean
from typing import Any

from PIL import Image

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.element_source import Found
from machines.errors import MachineError, PluginError
from machines.trees.elements import Box

_SCALE = 1.5  # texts of a screen are small for Tesseract; twice the size reads few words more, and takes longer
_BANDS = 4  # a band that is as it was before the step is not read again
_OVERLAP = 24  # pixels: a line is read whole in one of two bands
_KEPT_BANDS = 16
_AT_ONCE = 2
_LEAST_CONFIDENCE = 30  # of 100
_WIDEST_SPACE = 0.8  # heights of a line: what is further apart is two texts, such as two menus
_ENGLISH = "eng.traineddata"
_FOLDERS = ("/usr/share/tesseract-ocr/5/tessdata", "/usr/share/tesseract-ocr/4.00/tessdata", "/usr/share/tesseract/tessdata", "/usr/share/tessdata")
_NEEDED = "the element source 'ocr' needs tesserocr (pip install 'deskmill[ocr]') and Tesseract's English (apt-get install tesseract-ocr-eng)"
_of_thread = threading.local()
_readers = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="ocr")


@dataclass(frozen=True)
class Ocr:
    """Reads the texts of a screen. `folder` holds the English of Tesseract, `content` is the version of both."""

    folder: str
    content: str
    wants = frozenset({"screenshot"})

    def find(self, situation: Situation) -> list[Found]:
        """Return an entry for each piece of a line; `MachineError` if Tesseract fails."""
        return [] if situation.observation.screenshot is None else self.read(situation.observation.screenshot)

    def read(self, png: bytes) -> list[Found]:
        """Return an entry for each piece of a line in a picture; `MachineError` if Tesseract fails."""
        picture = Image.open(io.BytesIO(png)).convert("L")
        edges = [picture.height * number // _BANDS for number in range(_BANDS + 1)]
        read = _readers.map(lambda number: self._of_band(picture, edges[number], edges[number + 1]), range(_BANDS))
        return [_found(piece) for lines in read for line in lines for piece in _pieces(line)]

    def _of_band(self, picture: Image.Image, first: int, last: int) -> list[list["_Word"]]:
        """Return the words of each line whose middle lies between two rows."""
        top, bottom = max(0, first - _OVERLAP), min(picture.height, last + _OVERLAP)
        band = picture.crop((0, top, picture.width, bottom))
        own = (line for line in _read(self.folder, band.size, band.tobytes()) if first <= top + line[0].box[1] + line[0].box[3] // 2 < last)
        return [[_Word(word.text, (word.box[0], top + word.box[1], *word.box[2:]), word.confidence) for word in line] for line in own]


def ocr() -> Ocr:
    """Return the source; `PluginError` if tesserocr or the English of Tesseract is not installed."""
    folder = next((folder for folder in map(Path, _FOLDERS) if (folder / _ENGLISH).is_file()), None)
    try:
        import tesserocr
    except ImportError as error:
        raise PluginError(f"{_NEEDED}: {error}") from None
    if folder is None:
        raise PluginError(f"{_NEEDED}: there is no {_ENGLISH} in {', '.join(_FOLDERS)}")
    english = blake2b((folder / _ENGLISH).read_bytes(), digest_size=8).hexdigest()
    return Ocr(str(folder), f"{tesserocr.tesseract_version().partition(chr(10))[0]}, {english}")


@dataclass(frozen=True)
class _Word:
    text: str
    box: Box
    confidence: float


def _reader(folder: str) -> Any:
    """Return the Tesseract of this thread: making one takes longer than reading a line."""
    if getattr(_of_thread, "folder", None) != folder:
        import tesserocr

        tesserocr.set_leptonica_log_level(tesserocr.LeptLogLevel.NONE)  # it complains about boxes at the edge
        made = tesserocr.PyTessBaseAPI(path=folder, lang="eng", psm=tesserocr.PSM.SPARSE_TEXT, oem=tesserocr.OEM.LSTM_ONLY)
        _of_thread.folder, _of_thread.reader = folder, made
    return _of_thread.reader


@lru_cache(maxsize=_KEPT_BANDS)
def _read(folder: str, size: tuple[int, int], grey: bytes) -> tuple[tuple[_Word, ...], ...]:
    """Return the lines of words in a grey picture; what is read depends on the picture alone."""
    picture = Image.frombytes("L", size, grey).resize((round(size[0] * _SCALE), round(size[1] * _SCALE)), Image.Resampling.BILINEAR)
    try:
        tesseract = _reader(folder)
        tesseract.SetImage(picture)
        tesseract.SetSourceResolution(round(96 * _SCALE))
        table = tesseract.GetTSVText(0)
    except RuntimeError as error:
        raise MachineError(f"Tesseract cannot read the screen: {error}") from error
    lines: dict[tuple[str, ...], list[_Word]] = {}
    for level, _, block, paragraph, line, _, *place, confidence, text in reader(table.splitlines(), delimiter="\t", quoting=QUOTE_NONE):
        if level == "5" and float(confidence) >= _LEAST_CONFIDENCE and any(map(str.isalnum, text)):
            x, y, width, height = (round(int(one) / _SCALE) for one in place)
            lines.setdefault((block, paragraph, line), []).append(_Word(text.strip(), (x, y, width, height), float(confidence) / 100))
    return tuple(map(tuple, lines.values()))


def _pieces(line: list[_Word]) -> Iterator[list[_Word]]:
    """Yield the parts of a line that wide spaces separate."""
    piece: list[_Word] = []
    for word in sorted(line, key=lambda one: one.box[0]):
        if piece and word.box[0] - (piece[-1].box[0] + piece[-1].box[2]) > _WIDEST_SPACE * max(word.box[3], piece[-1].box[3]):
            yield piece
            piece = []
        piece.append(word)
    if piece:
        yield piece


def _found(piece: list[_Word]) -> Found:
    left, top = (min(word.box[side] for word in piece) for side in (0, 1))
    right, bottom = (max(word.box[side] + word.box[side + 2] for word in piece) for side in (0, 1))
    text = " ".join(word.text for word in piece)
    return Found((left, top, right - left, bottom - top), text, "label", "ocr", fmean(word.confidence for word in piece))
