"""Protects that the layers of GIMP's projects are read with their pixels, however they are packed, and that broken ones are nothing."""

import struct
import tracemalloc
import zlib
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.checkers import projects
from eval_flows.episodes.checkers.projects import near_colour_in_layers
from tests.eval_flows.episodes.checkers.xcf import Layer, Pixels, in_runs, number, project, prop
from tests.eval_flows.episodes.tasks.examples import got

SAVED = Path(__file__).parent / "saved"  # as GIMP 2.10 saved them: a layer with a red rectangle of 20 x 26 pixels over one of 70 x 66
VERSIONS = [b"file", b"v003", b"v011"]
RED = [224, 0, 0]
_OFFSETS, _EXACT_OPACITY = 15, 33


def flat(colour: list[int], width: int = 70, height: int = 66) -> Pixels:
    return np.tile(np.array(colour, np.uint8), (height, width, 1))


def with_red(pixels: Pixels, width: int, height: int) -> Pixels:
    """The same with a red rectangle in its lower right corner, which lies in several tiles."""
    pixels = pixels.copy()
    pixels[-height:, -width:, :3] = RED
    return pixels


def reds(content: bytes, levels: int = 10) -> Any:
    return got("layer_colour", content, colour="#e00000", levels=levels)


@st.composite
def pictures(draw: st.DrawFn) -> Pixels:
    """Pixels of few colours, in stretches of any length, so that all kinds of runs come up."""
    width, height, channels = draw(st.integers(1, 130)), draw(st.integers(1, 70)), draw(st.sampled_from([3, 4]))
    colours = draw(st.lists(st.sampled_from([0, 1, 127, 128, 224, 255]), min_size=channels, max_size=4 * channels))
    lengths = draw(st.lists(st.sampled_from([1, 1, 2, 3, 60, 127, 128, 129, 500, 4000]), min_size=1, max_size=40))
    values = np.concatenate([np.full(length, colours[n % len(colours)], np.uint8) for n, length in enumerate(lengths)])
    return np.resize(values, (height, width, channels))


@settings(max_examples=50, deadline=None)
@given(pictures(), st.sampled_from([0, 1, 2]), st.sampled_from(VERSIONS))
def test_pixels_are_read_back_however_they_are_packed(pixels: Pixels, compression: int, version: bytes) -> None:
    content = project([Layer(pixels, type=pixels.shape[2] - 3)], compression, version)
    for colour in {tuple(one) for one in pixels.reshape(-1, pixels.shape[2])[:5]}:
        is_same = (pixels[..., :3] == colour[:3]).all(axis=2) & (pixels[..., -1] > 127 if pixels.shape[2] == 4 else True)
        assert got("layer_colour", content, colour="#{:02x}{:02x}{:02x}".format(*colour[:3]), levels=0) == [is_same.sum()]


@pytest.mark.parametrize(("compression", "version"), product([0, 1, 2], VERSIONS))
def test_every_layer_is_told_of_the_topmost_first(compression: int, version: bytes) -> None:
    ring, ground = with_red(flat([0, 0, 0, 0]), 30, 20), flat([200, 220, 210])
    ring[-20:, -30:, 3] = 255
    ring[-1, -30:, 3] = 127
    content = project([Layer(ring, type=1), Layer(ground), Layer(with_red(ground, 5, 1))], compression, version)
    assert reds(content) == [30 * 19, 0, 5], "a row is more than half transparent"
    assert [got("layer_colour", content, colour="#d80a00", levels=levels) for levels in (9, 10)] == [[0, 0, 0], [570, 0, 5]]
    assert got("layers", content, what="sizes") == [[70, 66]] * 3


@pytest.mark.parametrize("name", ["colours.xcf", "indexed.xcf"])
def test_what_gimp_itself_saved_is_read(name: str) -> None:
    content = (SAVED / name).read_bytes()
    assert reds(content, levels=0) == [20 * 26, 0] and got("layer_colour", content, colour="#dfe8d2", levels=0) == [0, 70 * 66]
    told = {what: got("layers", content, what=what) for what in ("opacities", "offsets", "sizes")}
    assert told == {"opacities": [60, 100], "offsets": [[5, -3], [0, 0]], "sizes": [[68, 66], [70, 66]]}
    assert got("project", content, what="layers") == ["sign", "map"]


def test_grey_and_indexed_layers_have_colours_too() -> None:
    grey = np.full((5, 8, 1), 224, np.uint8)
    both = np.concatenate([grey, np.full((5, 8, 1), 255, np.uint8)], axis=2)
    both[0, :, 1] = 0
    content = project([Layer(grey, type=2), Layer(both, type=3)])
    assert got("layer_colour", content, colour="#e0e0e0", levels=0) == [40, 32] and reds(content) == [0, 0]
    chosen = np.arange(40, dtype=np.uint8).reshape(5, 8, 1) % 2
    assert reds(project([Layer(chosen, type=4)], palette=[[1, 2, 3], RED])) == [20]
    assert reds(project([Layer(chosen + 1, type=4)], palette=[[1, 2, 3], RED])) is None, "the palette has no such colour"


def test_opacities_and_places_are_read() -> None:
    exact = prop(_EXACT_OPACITY, struct.pack(">f", 0.6))
    layers = [
        Layer(flat(RED, 150, 60), opacity=153, properties=exact + prop(_OFFSETS, struct.pack(">2i", 715, -20))),
        Layer(flat(RED, 9, 7), opacity=102),
        Layer(flat(RED)),
    ]
    content = project(layers)
    told = {what: got("layers", content, what=what) for what in ("opacities", "offsets", "sizes")}
    assert told == {"opacities": [60, 40, 100], "offsets": [[715, -20], [0, 0], [0, 0]], "sizes": [[150, 60], [9, 7], [70, 66]]}


def test_everything_that_the_getter_is_said_to_tell_is_told(catalog: Catalog) -> None:
    content = project([Layer(flat(RED))])
    assert all(got("layers", content, what=what) is not None for what in catalog.checkers.getters["layers"].what)
    assert got("layers", content, what="no such thing") is None


@pytest.mark.parametrize("compression", [0, 1, 2])
def test_what_is_cut_off_is_nothing(compression: int) -> None:
    content = project([Layer(flat(RED)), Layer(with_red(flat([9, 9, 9]), 20, 20))], compression)
    assert reds(content) == [4620, 400]
    needed = len(content) - 12 * (compression == 2)  # the last bytes of zlib are only its end and a checksum
    assert {reds(content[:length]) is None for length in (*range(0, needed, 97), needed - 1)} == {True}


def test_other_pixels_than_bytes_and_other_channels_than_the_type_has_are_nothing() -> None:
    assert reds(project([Layer(flat(RED))], precision=250)) is None and reds(project([Layer(flat(RED))], precision=100)) is None
    assert reds(project([Layer(flat(RED), type=1)])) is None and reds(project([Layer(flat([0, 0, 224, 0, 0]))])) is None
    assert reds(project([Layer(flat(RED), type=6)])) is None and reds(b"PNG") is None


@pytest.mark.parametrize("compression", [0, 1, 2])
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_no_damage_ever_breaks_it(compression: int, data: st.DataObject) -> None:
    content = bytearray(project([Layer(with_red(flat([0, 0, 0, 0]), 9, 9), type=1), Layer(flat([5, 5, 5]))], compression))
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(9, len(content) - 1))] = data.draw(st.integers(0, 255))
    for what in ("opacities", "offsets", "sizes"):
        got("layers", bytes(content), what=what)
    found = reds(bytes(content))
    assert found is None or all(isinstance(one, int) for one in found)


def test_huge_layers_are_refused_before_their_pixels_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def reads(*_: Any) -> None:
        raise AssertionError("its pixels were read")

    monkeypatch.setattr(projects, "pixels", reads)
    content = project([Layer(flat(RED))])
    for width, height in ((2**32 - 1, 2**32 - 1), (5000, 2001), (10_000_001, 1)):
        with pytest.raises(ValueError, match="too large to look at"):
            near_colour_in_layers(content.replace(number(70, 66, 0), number(width, height, 0)), "#e00000", 10)


def test_a_tile_that_unpacks_to_more_than_it_may_never_fills_the_memory() -> None:
    content, tile = project([Layer(flat(RED, 1, 1))], compression=2), zlib.compress(bytes(RED))
    assert content.endswith(tile)
    bomb = content.removesuffix(tile) + zlib.compress(bytes(RED) + bytes(50_000_000))
    tracemalloc.start()
    assert reds(bomb) == [1]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000


def test_runs_without_an_end_and_runs_beyond_their_tile_are_nothing() -> None:
    content = project([Layer(flat(RED, 64, 64))])
    tile = in_runs(flat(RED, 64, 64))
    assert content.endswith(tile) and reds(content) == [4096]
    for packed in (b"\x7f\0\0" * 9000, b"\x80\0\0" * 9000, b"\x7f\xff\xff\xe0" * 3, tile[:4] + b"\x80\x20", tile[:-1]):
        assert reds(content.removesuffix(tile) + packed) is None
