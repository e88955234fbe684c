"""Protects maps: features and grids are read by place and value, whatever the format, and what is broken or huge is refused."""

import pytest

from eval_flows.episodes.checkers.geodata import features, grid
from eval_flows.episodes.tasks.makers.maker import made_file
from tests.eval_flows.episodes.checkers.whole_files import grid_file

PARCELS = made_file(
    "features",
    {
        "path": "a",
        "epsg": 25832,
        "features": [
            {"polygon": [[0, 0], [10, 0], [10, 5], [0, 5]], "name": "A", "people": 12},
            {"polygon": [[10, 0], [20, 0], [20, 5], [10, 5]], "name": "B", "people": None},
        ],
    },
)
WAYS = made_file("features", {"path": "a", "epsg": 4326, "features": [{"line": [[0, 0], [3, 4]], "name": "way"}, {"point": [7, 8], "name": "stop"}]})


def test_features_are_found_by_what_they_hold() -> None:
    assert features(PARCELS, "count") == 2 and features(PARCELS, "columns") == ["name", "people"] and features(PARCELS, "crs") == "EPSG:25832"
    assert features(PARCELS, "kinds") == ["polygon"] and features(PARCELS, "bounds") == [0, 0, 20, 5]
    assert features(PARCELS, "area") == 100 and features(PARCELS, "area.b") == 50 and features(PARCELS, "length.A") == 30
    assert features(PARCELS, "covering.10,2") == 2 and features(PARCELS, "covering.3,3") == 1 and features(PARCELS, "covering.3,9") == 0
    assert features(PARCELS, "value.people:A") == 12 and features(PARCELS, "column.People") == [12, None] and features(PARCELS, "sum.people") == 12
    assert features(WAYS, "kinds") == ["linestring", "point"] and features(WAYS, "length") == 5 and features(WAYS, "crs") == "EPSG:4326"
    for unknown in ("value.people:C", "column.trees", "area.C"):
        with pytest.raises(KeyError):
            features(PARCELS, unknown)


def test_what_is_no_map_is_refused() -> None:
    for content in (b"", b"no map", PARCELS[:100]):
        with pytest.raises(Exception, match=r"."):
            features(content, "count")
    with pytest.raises(ValueError, match="too large"):
        features(b" " * 20_000_001, "count")


def test_a_grid_is_read_by_place() -> None:
    content = grid_file()
    assert grid(content, "width") == 4 and grid(content, "height") == 3 and grid(content, "cell") == 10
    assert grid(content, "value.505,625") == 0 and grid(content, "value.525,615") == 6 and grid(content, "value.535,605") is None
    assert grid(content, "smallest") == 0 and grid(content, "largest") == 10 and grid(content, "mean") == 5


def test_made_heights_are_bells_on_a_slope() -> None:
    asked = {
        "path": "a",
        "corner": [100, 200],
        "cell": 10,
        "size": [5, 3],
        "base": 40,
        "slope": 0.1,
        "hills": [{"at": [125, 215], "height": 20, "width": 10}],
    }
    lines = made_file("heights", asked).decode().splitlines()
    assert lines[:2] == ["ncols 5", "nrows 3"] and len(lines) == 9
    rows = [[float(value) for value in line.split()] for line in lines[6:]]
    assert rows[1][2] == 62.5 and rows[0][0] == pytest.approx(40.5 + 20 * 2.718281828**-5, abs=0.01)
