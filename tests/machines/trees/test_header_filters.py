"""Protects that a click on a header of DB Browser sorts, and that the filter below it is listed: its tree tells of both as one."""

from dataclasses import replace

from machines.trees.elements import Element
from machines.trees.header_filters import with_header_filters

HEADER = Element(1, "column header", "joined", "", None, frozenset({"enabled", "showing"}), (130, 194, 40, 50), "w", "DB Browser for SQLite")


def test_a_header_with_a_filter_is_two_elements() -> None:
    """Found by players: a click on a header by its number landed in the filter."""
    header, entry = with_header_filters([HEADER])
    assert (header.name, header.box, entry.role, entry.description, entry.box) == (
        "joined", (130, 194, 40, 25), "entry", "Filter of joined", (130, 219, 40, 25),
    )  # fmt: skip
    assert (header.number, entry.number) == (1, 2)


def test_other_headers_stay_as_they_are() -> None:
    others = [replace(HEADER, box=(130, 194, 40, 25)), replace(HEADER, application="wireshark", number=2), replace(HEADER, role="table", number=3)]
    assert with_header_filters(others) == others
