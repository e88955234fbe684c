"""Protects that frames of the screen are compared as pictures of the library are."""

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops

from machines.guest.frame import Box, Frame

SIZE = (9, 7)
PIXELS = st.binary(min_size=3 * SIZE[0] * SIZE[1], max_size=3 * SIZE[0] * SIZE[1])
BOXES = st.lists(st.tuples(*(st.integers(-3, 12) for _ in range(4))).filter(lambda box: box[0] < box[2] and box[1] < box[3]), max_size=2)


def picture(pixels: bytes) -> Image.Image:
    return Image.frombytes("RGB", SIZE, pixels)


@given(PIXELS)
def test_a_frame_becomes_the_picture_again(pixels: bytes) -> None:
    assert Frame.of(picture(pixels)).picture().tobytes() == pixels


@given(PIXELS, st.lists(st.tuples(st.integers(0, 8), st.integers(0, 6)), max_size=3), BOXES)
def test_what_has_changed_is_what_the_library_finds(pixels: bytes, places: list[tuple[int, int]], besides: list[Box]) -> None:
    one, other = picture(pixels), picture(pixels)
    for place in places:
        red, green, blue = other.getpixel(place)  # type: ignore[misc]
        other.putpixel(place, (red ^ 1, green, blue))
    difference = ImageChops.difference(one, other)
    for box in besides:
        difference.paste((0, 0, 0), box)
    assert Frame.of(one).changed(Frame.of(other), besides) == difference.getbbox()


def test_a_byte_without_meaning_is_no_change() -> None:
    """Each pixel has four bytes, and the screen's memory may hold anything in the last one."""
    frame = Frame.of(picture(bytes(189)))
    other = bytearray(frame.pixels)
    other[3] ^= 0xFF
    assert frame.changed(Frame(bytes(other), SIZE), []) is None
