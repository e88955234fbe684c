"""Protects electronics: a value means the same however it is written, and nets are found by their pins."""

import pytest

from eval_flows.episodes.checkers.schematics import netlist, schematic
from eval_flows.episodes.tasks.makers.maker import made_file
from tests.eval_flows.episodes.checkers.whole_files import NETS
from tests.eval_flows.episodes.tasks.examples import EXAMPLES

FILTER = made_file("schematic", EXAMPLES["schematic"])


def with_value(text: str) -> bytes:
    return FILTER.replace(b'"4.7k"', f'"{text}"'.encode())


@pytest.mark.parametrize("text", ["4.7k", "4k7", "4,7 k", "4700", "4.7 kOhm", "0.0047M"])
def test_an_amount_is_the_same_however_it_is_written(text: str) -> None:
    assert schematic(with_value(text), "value.R1") == text and schematic(with_value(text), "amount.R1") == pytest.approx(4700)


@pytest.mark.parametrize(("text", "amount"), [("4.7", 4.7), ("4.7m", 0.0047), ("100n", 1e-7), ("red", None), ("", None)])
def test_another_unit_is_another_amount(text: str, amount: float | None) -> None:
    assert schematic(with_value(text), "amount.R1") == (amount if amount is None else pytest.approx(amount))


def test_a_schematic_is_read() -> None:
    assert made_file("schematic", EXAMPLES["schematic"]) == FILTER, "the same bytes each time"
    assert schematic(FILTER, "references") == ["C1", "R1"] and schematic(FILTER, "wires") == 1 and schematic(FILTER, "title") == ""
    titled = FILTER.replace(b'(paper "A4")', b'(paper "A4") (title_block (title "Low-pass") (rev "B"))')
    assert schematic(titled, "title") == "Low-pass" and schematic(titled, "revision") == "B" and schematic(titled, "company") == ""
    unnumbered = FILTER.replace(b'"R1"', b'"R?"').replace(b'"C1"', b'"C?"')
    assert schematic(unnumbered, "references") == ["C?1", "R?0"]
    with pytest.raises(KeyError):
        schematic(FILTER, "value.R9")


def test_what_stands_beside_the_parts_is_read() -> None:
    assert schematic(FILTER, "labels") == ["OUT"] and schematic(FILTER, "texts") == [] and schematic(FILTER, "paper") == "A4"
    assert schematic(FILTER, "in_bom.R1") == "yes" and schematic(FILTER.replace(b"in_bom yes", b"in_bom no"), "in_bom.R1") == "no"
    noted = FILTER.replace(b'(paper "A4")', b'(paper "A3") (text "to be checked" (at 10 10 0))')
    assert schematic(noted, "texts") == ["to be checked"] and schematic(noted, "paper") == "A3"


def test_nets_are_found_by_their_pins() -> None:
    assert (
        netlist(NETS, "references") == ["C1", "R1"] and netlist(NETS, "net_of.C1.1") == ["C1.1", "R1.2"] and netlist(NETS, "net_of.R1.1") == ["R1.1"]
    )
    assert netlist(NETS, "net_of.C1.2") == [] and netlist(NETS, "nets") == 2 and netlist(NETS, "amount.C1") == pytest.approx(1e-7)


def test_what_is_no_schematic_is_refused() -> None:
    for content in (b"(", NETS, b"(kicad_pcb)", FILTER[:300]):
        with pytest.raises(Exception, match=r"."):
            schematic(content, "references")
    with pytest.raises(ValueError, match="too large"):
        netlist(b" " * 2_000_001, "nets")
