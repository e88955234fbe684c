"""Protects drawings in DXF: geometry counts, whatever entities it is made of, and a near miss is told from it."""

from math import pi
from typing import Any

import pytest

from eval_flows.episodes.checkers.drafting import drawing
from eval_flows.episodes.checkers.outlines import covers, largest_area
from eval_flows.episodes.tasks.makers.maker import made_file
from tests.eval_flows.episodes.tasks.examples import got

CORNERS = [(0, 0), (30, 0), (30, 20), (0, 20)]


def dxf(*entities: Any, **asked: Any) -> bytes:
    return made_file("dxf", {"path": "a.dxf", "entities": list(entities), **asked})


AS_LINES = dxf(*({"line": [*one, *other], "layer": "Plate"} for one, other in zip(CORNERS, [*CORNERS[1:], CORNERS[0]], strict=True)))
AS_POLYLINE = dxf({"polyline": CORNERS, "closed": True, "layer": "PLATE"})
IN_PIECES = dxf(
    {"line": [0, 0, 12, 0], "layer": "plate"},
    {"line": [30, 0, 10, 0], "layer": "plate"},
    {"polyline": [[30, 0], [30, 20], [0, 20], [0, 0]], "layer": "plate"},
)


@pytest.mark.parametrize("content", [AS_LINES, AS_POLYLINE, IN_PIECES])
def test_an_outline_counts_whatever_it_is_made_of(content: bytes) -> None:
    assert all(drawing(content, f"covered.{a},{b},{c},{d}:plate") for (a, b), (c, d) in zip(CORNERS, [*CORNERS[1:], CORNERS[0]], strict=True))
    assert drawing(content, "bounds.:plate") == pytest.approx([0, 0, 30, 20])
    assert not drawing(content, "covered.0,0,31,0:plate") and not drawing(content, "covered.0,0,30,20:plate")
    assert not drawing(content, "covered.0,0,30,0:other")


def test_an_area_is_that_of_a_closed_chain() -> None:
    assert drawing(AS_LINES, "area.:plate") == pytest.approx(600) == drawing(AS_POLYLINE, "area.:plate")
    assert drawing(dxf({"line": [0, 0, 30, 0]}, {"line": [30, 0, 30, 20]}, {"line": [30, 20, 0, 20.5]}), "area.") == 0
    assert drawing(dxf({"circle": [5, 5, 2]}), "area.") == pytest.approx(4 * pi)


def test_holes_lengths_and_dimensions() -> None:
    content = dxf(
        {"circle": [40, 40, 9]},
        {"arc": [80, 40, 9, 0, 180]},
        {"arc": [80, 40, 9, 180, 360]},
        {"arc": [0, 0, 10, 0, 90], "layer": "swing"},
        {"dimension": [0, 0, 300, 0], "away": -20, "layer": "dim"},
        {"text": "Scale  1:50", "at": [0, 0]},
        layers={"dim": 2, "swing": 3},
        unit="cm",
    )
    assert (
        drawing(content, "hole.40,40,9")
        and drawing(content, "hole.80,40,9")
        and not drawing(content, "hole.40,40,18")
        and not drawing(content, "hole.0,0,10")
    )
    assert drawing(content, "length.:swing") == pytest.approx(5 * pi) and drawing(content, "bounds.:swing") == pytest.approx([0, 0, 10, 10])
    assert drawing(content, "dimensions.:dim") == [300] == drawing(content, "dimensions.") and drawing(content, "dimensions.:0") == []
    assert drawing(content, "texts.") == ["Scale 1:50"] and drawing(content, "unit") == "cm" and drawing(content, "colour.dim") == 2
    assert drawing(content, "layers") == ["dim", "swing"] and drawing(content, "count.ARC") == 3 and drawing(content, "linetype.dim") == "CONTINUOUS"


@pytest.mark.parametrize("content", [b"", b"no drawing", b"\0" * 1000, b"  0\nSECTION\n  2\nENTITIES\n  0\nLINE\n"])
def test_a_broken_drawing_counts_as_nothing(content: bytes) -> None:
    assert got("dxf", content, what="count.LINE") in (None, 0)


def test_stretches_are_covered_in_any_pieces_but_not_over_a_gap() -> None:
    pieces = [((0.0, 0.0), (4.0, 3.0)), ((8.0, 6.0), (3.9, 2.925))]
    assert covers(pieces, ((0, 0), (8, 6))) and covers(pieces, ((6, 4.5), (1, 0.75)))
    assert (
        not covers([pieces[0], ((8.0, 6.0), (4.2, 3.15))], ((0, 0), (8, 6)))
        and not covers(pieces, ((0, 0), (8, 6.5)))
        and not covers([], ((0, 0), (1, 1)))
    )
    assert largest_area([]) == 0 and largest_area(pieces) == 0
