"""Protects that a text layer of GIMP's projects is read with and without markup, in the file formats before and after long pointers."""

import struct
from typing import Any

import pytest

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.checkers.getters import get
from tests.eval_flows.episodes.desktops import desktop

_PARASITES, _OPACITY, _VISIBLE, _OFFSETS = 21, 6, 8, 15


def told(content: bytes, what: str) -> Any:
    return get(desktop({"f": content}), "project", {"path": "f", "what": what})


def text(said: str) -> bytes:
    return struct.pack(">I", len(said.encode()) + 1) + said.encode() + b"\0"


def number(value: int) -> bytes:
    return struct.pack(">I", value)


def prop(kind: int, data: bytes) -> bytes:
    return number(kind) + number(len(data)) + data


def layer(name: str, said: str = "", opacity: int = 255, more: bytes = b"") -> bytes:
    """A layer of 9 x 7 pixels; one with text keeps it in a parasite, beside one of another kind."""
    data = f'{said}\n(font "Sans-serif")\n'.encode() + b"\0"
    parasites = text("other") + number(0) + number(3) + b"abc" + text("gimp-text-layer") + number(1) + number(len(data)) + data
    return (
        number(9)
        + number(7)
        + number(1)
        + text(name)
        + prop(_OPACITY, number(opacity))
        + more
        + (prop(_PARASITES, parasites) if said else b"")
        + prop(0, b"")
    )


def project(layers: list[bytes], version: bytes = b"v011") -> bytes:
    long = version == b"v011"
    head = b"gimp xcf " + version + b"\0" + number(400) + number(300) + number(0) + (number(150) if long else b"") + prop(19, bytes(8)) + prop(0, b"")
    size = 8 if long else 4
    at = len(head) + size * (len(layers) + 2)
    pointers = b""
    for one in layers:
        pointers += at.to_bytes(size, "big")
        at += len(one)
    return head + pointers + bytes(size * 2) + b"".join(layers)


@pytest.mark.parametrize("version", [b"file", b"v003", b"v011"])
def test_layers_and_their_texts_are_read(version: bytes) -> None:
    layers = [
        layer("Plain", '(text "Open House")'),
        layer("Marked", '(markup "<markup><b>Open</b> <span font=\\"Serif\\">&amp; free</span></markup>")'),
        layer("Escaped", '(text "Caf\\303\\251 \\"one\\"\\nline two")'),
        layer("soap_box.png"),
    ]
    content = project(layers, version)
    assert told(content, "layers") == ["Plain", "Marked", "Escaped", "soap_box.png"]
    assert told(content, "texts") == ["Open House", "Open & free", 'Café "one"\nline two']
    assert (told(content, "width"), told(content, "height")) == (400, 300)


def test_texts_that_nobody_can_see_are_told_apart() -> None:
    def at(x: int, y: int) -> bytes:
        return prop(_OFFSETS, struct.pack(">2i", x, y))

    shown = {"Plain": layer("a", '(text "Plain")'), "Edge": layer("b", '(text "Edge")', more=prop(_VISIBLE, number(1)) + at(-8, 299))}
    unseen = {
        "Hidden": layer("c", '(text "Hidden")', more=prop(_VISIBLE, number(0))),
        "Clear": layer("d", '(text "Clear")', opacity=0),
        "Right": layer("e", '(text "Right")', more=at(400, 10)),
        "Above": layer("f", '(text "Above")', more=at(10, -7)),
    }
    content = project([*shown.values(), *unseen.values(), layer("soap_box.png")])
    assert told(content, "seen_texts") == [*shown] and told(content, "texts") == [*shown, *unseen]


def test_what_is_no_whole_project_is_nothing() -> None:
    whole = project([layer("Plain", '(text "Open House")')])
    assert told(b"PNG", "layers") is None and told(whole[: len(whole) // 2], "layers") is None


def test_everything_that_the_getter_is_said_to_tell_is_told(catalog: Catalog) -> None:
    assert all(told(project([layer("Plain")]), what) is not None for what in catalog.checkers.getters["project"].what)
