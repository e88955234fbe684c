"""Protects that a frame written as PNG is read as the same picture, whatever was written before."""

import io
import zlib

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from machines.guest.frame import Frame
from machines.guest.png import PngWriter

SIZES = st.tuples(st.integers(1, 5), st.sampled_from([1, 39, 40, 41, 80, 97]))
CHANGES = st.lists(st.tuples(st.integers(0, 96), st.binary(min_size=3, max_size=3)), max_size=4)


def read(png: bytes) -> tuple[str, tuple[int, int], bytes]:
    data = png.index(b"IDAT")
    zlib.decompress(png[data + 4 : data + 4 + int.from_bytes(png[data - 4 : data])])  # fails if the checksum of the whole is wrong
    picture = Image.open(io.BytesIO(png))
    return picture.mode, picture.size, picture.tobytes()


@given(st.lists(st.tuples(SIZES, CHANGES), min_size=1, max_size=5))
def test_each_frame_is_read_as_it_was(frames: list[tuple[tuple[int, int], list[tuple[int, bytes]]]]) -> None:
    """Frames of one size share what did not change; those of another size share nothing."""
    writer = PngWriter()
    for size, changes in frames:
        picture = Image.new("RGB", size, (250, 249, 248))
        for row, colour in changes:
            picture.putpixel((row % size[0], row % size[1]), (colour[0], colour[1], colour[2]))
        assert read(writer.png(Frame.of(picture))) == ("RGB", size, picture.tobytes())


def test_a_large_picture_of_noise_keeps_its_checksum() -> None:
    noise = Image.effect_noise((1280, 800), 90).convert("RGB")
    writer = PngWriter()
    assert read(writer.png(Frame.of(noise)))[2] == noise.tobytes()
    noise.paste((1, 2, 3), (100, 100, 400, 130))
    assert read(writer.png(Frame.of(noise)))[2] == noise.tobytes()
