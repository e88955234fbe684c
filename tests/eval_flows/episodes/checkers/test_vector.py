"""Protects vector graphics: places and sizes on the page are found whatever units, transforms and groups stand in the file."""

import pytest

from eval_flows.episodes.checkers.vector import vector
from eval_flows.episodes.tasks.makers.maker import made_file
from tests.eval_flows.episodes.tasks.examples import got

NAMES = 'xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"'
PLAIN = made_file("svg", {"path": "a", "size": [100, 50], "shapes": [{"rect": [10, 12, 20, 5], "id": "bar", "style": "fill:#f00"}]})
MOVED = (
    f'<svg {NAMES} width="100mm" height="50mm" viewBox="0 0 100 50"><g transform="translate(5,2)">'
    '<rect id="bar" x="5" y="10" width="20" height="5" fill="red"/></g></svg>'
).encode()
IN_PIXELS = (
    f'<svg {NAMES} width="377.952756" height="188.976378"><path id="bar" style="fill:rgb(255,0,0)" d="M 37.7952756,45.3543307 h 75.5905512 v 18.8976378 h -75.5905512 z"/></svg>'
).encode()


@pytest.mark.parametrize("content", [PLAIN, MOVED, IN_PIXELS])
def test_a_box_is_the_same_whatever_the_file_is_made_of(content: bytes) -> None:
    assert vector(content, "box.bar") == pytest.approx([10, 12, 20, 5], abs=0.01)
    assert vector(content, "fill.bar") == "#ff0000" and vector(content, "width") == pytest.approx(100, abs=0.01)
    assert vector(content, "area.bar") == pytest.approx(100, abs=0.5) == vector(content, "enclosed") and vector(content, "count") == 1


def test_groups_layers_order_and_style() -> None:
    content = (
        f'<svg {NAMES} width="10mm" height="10mm" viewBox="0 0 10 10"><defs><radialGradient id="g"/></defs>'
        '<g inkscape:groupmode="layer" inkscape:label="Back" style="display:none"><g id="pair" style="stroke:#0000ff;opacity:.5">'
        '<rect id="a" x="0" y="0" width="4" height="4" style="fill:url(#g);stroke-width:.5;stroke-dasharray:1,1"/><circle id="b" cx="7" cy="7" r="2"/></g></g>'
        '<text id="t" x="1" y="9" style="font-family:\'Noto Sans\';font-size:3px">two <tspan>words</tspan></text></svg>'
    ).encode()
    assert vector(content, "grouped.a,b") and not vector(content, "grouped.a,t") and vector(content, "group_of.a") == "pair"
    assert (
        vector(content, "layers") == ["Back"]
        and vector(content, "layer_of.b") == "Back"
        and vector(content, "hidden.Back")
        and vector(content, "layer_of.t") is None
    )
    assert (
        vector(content, "order") == ["a", "b", "t"]
        and vector(content, "kind.b") == "ellipse"
        and vector(content, "boxes.ellipse") == [pytest.approx([5, 5, 4, 4], abs=0.01)]
    )
    assert vector(content, "gradient.a") == "radial" and vector(content, "gradient.b") is None and vector(content, "stroke.b") == "#0000ff"
    assert (
        vector(content, "opacity.b") == 0.5
        and vector(content, "dashed.a")
        and not vector(content, "dashed.b")
        and vector(content, "stroke_width.a") == pytest.approx(0.5, abs=0.01)
    )
    assert (
        vector(content, "texts") == ["two words"]
        and vector(content, "font.two") == "Noto Sans"
        and vector(content, "font_size.words") == pytest.approx(3, abs=0.01)
    )
    assert vector(content, "extent.rect") == pytest.approx([0, 0, 4, 4], abs=0.01) and vector(content, "extent.star") is None


@pytest.mark.parametrize("content", [b"", b"<svg", b"<html/>", b"\xff\xfe"])
def test_a_broken_drawing_counts_as_nothing(content: bytes) -> None:
    assert got("svg", content, what="box.bar") is None
