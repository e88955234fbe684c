"""The element source `icons`: icons and framed boxes in the picture, found by the edges of what is drawn."""

import io
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from PIL import Image
from scipy import ndimage

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.element_source import Found
from machines.trees.elements import Box

Mask = np.ndarray[tuple[int, int], np.dtype[np.bool_]]
_EDGE = 24  # of 255: a smaller step between neighbours is a shade
_GAP = 3  # pixels between parts of one icon
_ICON = (9, 64)  # pixels of its shorter and its longer side
_LONGEST_TO_SHORTEST = 1.8  # of the sides of an icon; words are longer
_FULLEST = 0.15  # share of edges in the box of an icon, at least
_FRAME = ((24, 600), (16, 64))  # pixels: width and height of a button or a field
_CLOSED = 0.85  # share of each side of a frame that is drawn, at least
_EVERYWHERE = np.ones((3, 3), dtype=bool)


@dataclass(frozen=True)
class Icons:
    """Finds icons, and boxes with a frame such as buttons and fields."""

    wants = frozenset({"screenshot"})
    content = ""

    def find(self, situation: Situation) -> list[Found]:
        """Return an entry without text for each."""
        if situation.observation.screenshot is None:
            return []
        edges = _edges(np.asarray(Image.open(io.BytesIO(situation.observation.screenshot)).convert("L"), dtype=np.int16))
        frames = [Found(box, "", "push button", "icons", 0.5) for box in _frames(edges)]
        return [*frames, *(Found(box, "", "icon", "icons", 0.5) for box in _icons(edges))]


def _edges(grey: np.ndarray[tuple[int, int], np.dtype[np.int16]]) -> Mask:
    """Tell of each pixel whether it differs from the one at its right or below it."""
    edges = np.zeros(grey.shape, dtype=bool)
    edges[:, :-1] |= np.abs(np.diff(grey, axis=1)) > _EDGE
    edges[:-1, :] |= np.abs(np.diff(grey, axis=0)) > _EDGE
    return edges


def _boxes(mask: Mask) -> Iterator[Box]:
    """Yield the boxes of connected parts."""
    parts, _ = ndimage.label(mask, structure=_EVERYWHERE)
    for rows, columns in ndimage.find_objects(parts):
        yield columns.start, rows.start, columns.stop - columns.start, rows.stop - rows.start


def _icons(edges: Mask) -> Iterator[Box]:
    lines = ndimage.binary_opening(edges, np.ones((1, 65), dtype=bool)) | ndimage.binary_opening(edges, np.ones((65, 1), dtype=bool))
    joined = ndimage.binary_closing(edges & ~lines, np.ones((_GAP, _GAP), dtype=bool))
    for x, y, width, height in _boxes(joined):
        shorter, longer = sorted((width, height))
        is_of_size = shorter >= _ICON[0] and longer <= _ICON[1] and longer <= _LONGEST_TO_SHORTEST * shorter
        if is_of_size and edges[y : y + height, x : x + width].mean() >= _FULLEST:
            yield x, y, width, height


def _frames(edges: Mask) -> Iterator[Box]:
    (narrowest, widest), (lowest, highest) = _FRAME
    for x, y, width, height in _boxes(edges):
        if narrowest <= width <= widest and lowest <= height <= highest:
            inner = edges[y : y + height, x : x + width]
            sides = (inner[:2].any(0), inner[-2:].any(0), inner[:, :2].any(1), inner[:, -2:].any(1))
            if all(side.mean() >= _CLOSED for side in sides):
                yield x, y, width, height
