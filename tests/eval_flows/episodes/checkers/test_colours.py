"""Protects what checks say of colours in pictures: the worst spot counts, an area has its own edges, and what was there before is told apart."""

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from eval_flows.episodes.checkers.colours import apart
from tests.eval_flows.episodes.tasks.examples import got, made

SIZE = [40, 30]
BROWN = {"rectangle": [10, 5, 19, 14], "colour": "#804020"}
WHITE = {"fill": True, "colour": "white"}
DRAWING: dict[str, Any] = {"size": SIZE, "shapes": [WHITE, BROWN]}
PICTURE = made("picture", path="a.png", **DRAWING)
SIDES = st.integers(0, 11)
COLOURS = st.tuples(*[st.integers(0, 255)] * 3)
PIXELS = st.lists(COLOURS, min_size=144, max_size=144)


def png(picture: Image.Image) -> bytes:
    picture.save(file := io.BytesIO(), "PNG")
    return file.getvalue()


def painted(pixels: list[tuple[int, int, int]]) -> Image.Image:
    return Image.fromarray(np.array(pixels, np.uint8).reshape(12, 12, 3))


def off(content: bytes, **spots: Any) -> Any:
    return got("off_colour", content, spots=spots)


def drawing(pixels: list[tuple[int, int, int]]) -> dict[str, Any]:
    """The same picture as `painted` makes, as it would be declared."""
    colours = ["#{:02x}{:02x}{:02x}".format(*one) for one in pixels]
    return {"size": [12, 12], "shapes": [{"rectangle": [n % 12, n // 12, n % 12, n // 12], "colour": colour} for n, colour in enumerate(colours)]}


def test_the_worst_spot_counts_in_its_worst_channel() -> None:
    assert got("off_colour", PICTURE, spots={"#804020": [[10, 5], [19, 14]], "#ffffff": [[9, 5], ["50%", 14]]}) == 0
    assert got("off_colour", PICTURE, spots={"#804020": [[10, 5]], "#fefefa": [[0, 0], [39, 29]]}) == 5
    assert got("off_colour", PICTURE, spots={"#804020": [[10, 5], [20, 5]]}) == 0xFF - 0x20
    assert off(PICTURE, white=[["50%-1", "50%-1"]]) == 0xFF - 0x20, "this is the corner of the brown part"


def test_the_nearest_of_several_colours_counts_for_each_pixel() -> None:
    assert got("off_colour", PICTURE, spots={"#ffffff #824020": [[10, 5], [0, 0]]}) == 2
    assert got("off_colour", PICTURE, spots={"#ffffff #824020": [[0, 0, 40, 30]]}) == 2


def test_every_pixel_of_an_area_counts() -> None:
    assert got("off_colour", PICTURE, spots={"#804020": [[10, 5, 10, 10]]}) == 0
    for wider in ([9, 5, 10, 10], [10, 4, 10, 10], [10, 5, 11, 10], [10, 5, 10, 11]):
        assert got("off_colour", PICTURE, spots={"#804020": [wider]}) == 0xFF - 0x20
    assert off(PICTURE, white=[{"ring": [14.5, 9.5, 6.4, 9]}]) == 0 and off(PICTURE, white=[{"ring": [14.5, 9.5, 6, 9]}]) == 0xFF - 0x20


@pytest.mark.parametrize(
    "spot", [[40, 0], [0, 30], [-1, 0], [31, 0, 10, 1], [0, 0, 1, 31], {"ring": [5, 5, 0, 6]}, {"ring": [34, 10, 0, 6]}, ["x", 1], [1]]
)
def test_a_spot_beyond_the_edges_is_nothing(spot: Any) -> None:
    assert off(PICTURE, white=[[0, 0], spot]) is None


def test_opacity_counts_as_a_channel() -> None:
    picture = Image.open(io.BytesIO(PICTURE)).convert("RGBA")
    picture.putpixel((0, 0), (255, 255, 255, 0))
    picture.putpixel((1, 0), (255, 255, 255, 245))
    content = png(picture)
    assert off(content, transparent=[[0, 0]]) == 0 and off(content, transparent=[[0, 0], [1, 0]]) == 245
    assert off(content, white=[[0, 0]]) == 255 and off(content, white=[[1, 0], [2, 0]]) == 10
    assert off(PICTURE, transparent=[[0, 0]]) == 255, "a picture without opacity is opaque"
    palette = png(picture.convert("RGB").quantize(4))
    assert got("off_colour", palette, spots={"#804020": [[12, 7]]}) == 0


@settings(max_examples=40, deadline=None)
@given(PIXELS, COLOURS, st.integers(0, 255), SIDES, SIDES, SIDES, SIDES)
def test_pixels_near_a_colour_are_either_inside_or_outside(
    pixels: list[tuple[int, int, int]], colour: tuple[int, int, int], levels: int, x: int, y: int, width: int, height: int
) -> None:
    content, named = png(painted(pixels)), "#{:02x}{:02x}{:02x}".format(*colour)
    near = [max(abs(a - b) for a, b in zip(one, colour, strict=True)) <= levels for one in pixels]
    counted = {key: got("near_colour", content, colour=named, levels=levels, **{key: [x, y, width, height]}) for key in ("inside", "outside")}
    inside = [n for n, one in enumerate(near) if one and x <= n % 12 < x + width and y <= n // 12 < y + height]
    assert counted == {"inside": len(inside), "outside": sum(near) - len(inside)}
    assert got("near_colour", content, colour=named, levels=levels) == sum(near)
    farthest = max(max(abs(a - b) for a, b in zip(one, colour, strict=True)) for one in pixels)
    assert got("off_colour", content, spots={named: [[0, 0, 12, 12]]}) == farthest == apart(np.asarray(painted(pixels)), named).max()


def test_a_ring_has_an_inner_and_an_outer_edge() -> None:
    counted = [
        got("near_colour", PICTURE, colour="white", levels=0, inside={"ring": [30, 20, least, most]})
        for least, most in ((0, 0), (0, 1), (1, 1), (0.5, 1.5))
    ]
    assert counted == [1, 5, 4, 8]


@settings(max_examples=40, deadline=None)
@given(PIXELS, st.dictionaries(st.integers(0, 143), COLOURS, max_size=9), st.integers(0, 40))
def test_changed_pixels_are_counted(pixels: list[tuple[int, int, int]], changes: dict[int, tuple[int, int, int]], levels: int) -> None:
    after = [changes.get(n, one) for n, one in enumerate(pixels)]
    changed = [n for n in changes if max(abs(a - b) for a, b in zip(pixels[n], after[n], strict=True)) > levels]
    asked = {"before": drawing(pixels), "levels": levels}
    assert got("changed_pixels", png(painted(after)), **asked) == len(changed)
    assert got("changed_pixels", png(painted(pixels)), **asked | {"before": drawing(after)}) == len(changed)
    below = [n for n in changed if n // 12 >= 6]
    assert got("changed_pixels", png(painted(after)), **asked, outside=[0, 0, 12, 6]) == len(below)
    assert got("changed_pixels", png(painted(after)), **asked, inside=[0, 0, 12, 6]) == len(changed) - len(below)


def test_what_became_transparent_has_changed() -> None:
    picture = Image.open(io.BytesIO(PICTURE)).convert("RGBA")
    assert got("changed_pixels", png(picture), before=DRAWING, levels=8) == 0
    picture.putpixel((0, 0), (255, 255, 255, 200))
    assert got("changed_pixels", png(picture), before=DRAWING, levels=8) == 1


def test_a_colour_that_was_there_is_kept_in_part() -> None:
    moved = made("picture", path="a.png", size=SIZE, shapes=[WHITE, {**BROWN, "rectangle": [13, 5, 22, 14]}])
    asked = {"before": DRAWING, "colour": "#844424", "levels": 4}
    assert got("kept_colour", PICTURE, **asked) == 1 and got("kept_colour", moved, **asked) == pytest.approx(0.7)
    assert got("kept_colour", moved, **asked, inside=[0, 0, 14, 30]) == pytest.approx(0.25)
    assert got("kept_colour", moved, **asked, outside=[0, 0, 13, 30]) == 1
    assert got("kept_colour", moved, **asked | {"colour": "#0000ff"}) is None, "there was no blue"


@pytest.mark.parametrize(("getter", "asked"), [("changed_pixels", {}), ("kept_colour", {"colour": "white"})])
def test_pictures_that_cannot_be_compared_are_nothing(getter: str, asked: dict[str, Any]) -> None:
    asked |= {"before": DRAWING, "levels": 0}
    others = [b"", PICTURE[: len(PICTURE) // 2], made("picture", path="a.png", size=SIZE[::-1]), made("text")]
    assert got(getter, PICTURE, **asked) is not None and {got(getter, other, **asked) for other in others} == {None}
