"""The maker of electronics: schematics of KiCad with two-pin parts from its library, wires between them, and names of nets."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from eval_flows.episodes.tasks.makers.maker import Makers

_SYMBOLS = Path(__file__).parents[1] / "materials" / "kicad"
_TEXT = "(effects (font (size 1.27 1.27)))"
_HIDDEN = "(effects (font (size 1.27 1.27)) hide)"
_LYING = frozenset({"LED"})  # symbols whose pins lie side by side in KiCad's library: they are turned to stand upright
Json = Mapping[str, Any]


def _schematic(asked: Json) -> bytes:
    """Return a schematic. Parts stand upright: one pin is 3.81 mm above the place of a part, the other one as much below.

    Above is pin 1 of a resistor or a capacitor, and the anode of an LED.
    """
    kinds = sorted({part["kind"] for part in asked["parts"]})
    library = "\n".join((_SYMBOLS / f"{kind}.sexp").read_text() for kind in kinds)
    wires = "\n".join(_wire(*wire) for wire in asked.get("wires", ()))
    names = "\n".join(
        f'(label "{name}" (at {x} {y} 0) (effects (font (size 1.27 1.27)) (justify left bottom)) (uuid {_id(name)}))'
        for name, (x, y) in asked.get("nets", {}).items()
    )
    parts = "\n".join(_part(part) for part in asked["parts"])
    listed = "\n".join(
        f'(path "/{_id(part["name"])}" (reference "{part["name"]}") (unit 1) (value "{part["value"]}") (footprint ""))' for part in asked["parts"]
    )
    return (
        f'(kicad_sch (version 20211123) (generator eeschema)\n(uuid {_id("sheet")})\n(paper "A4")\n(lib_symbols\n{library}\n)\n'
        f'{wires}\n{names}\n{parts}\n(sheet_instances (path "/" (page "1")))\n(symbol_instances\n{listed}\n))\n'
    ).encode()


def _id(name: str) -> str:
    """Return an identity that is the same for a name each time."""
    return str(uuid5(NAMESPACE_OID, name))


def _wire(x0: float, y0: float, x1: float, y1: float) -> str:
    name = _id(f"{x0} {y0} {x1} {y1}")
    return f"(wire (pts (xy {x0} {y0}) (xy {x1} {y1})) (stroke (width 0) (type default) (color 0 0 0 0)) (uuid {name}))"


def _part(part: Json) -> str:
    (x, y), name = part["at"], part["name"]
    turn = 90 if part["kind"] in _LYING else 0  # texts turn with a symbol, so they are turned too, and can be read as before
    properties = [("Reference", name, x + 3, y - 1.27, _TEXT), ("Value", part["value"], x + 3, y + 1.27, _TEXT), ("Footprint", "", x, y, _HIDDEN)]
    written = "\n".join(
        f'(property "{key}" "{value}" (id {number}) (at {px} {py} {turn}) {how})' for number, (key, value, px, py, how) in enumerate(properties)
    )
    pins = " ".join(f'(pin "{pin}" (uuid {_id(f"{name} {pin}")}))' for pin in (1, 2))
    return (
        f'(symbol (lib_id "Device:{part["kind"]}") (at {x} {y} {turn}) (unit 1) (in_bom yes) (on_board yes)\n(uuid {_id(name)})\n{written}\n{pins})'
    )


MAKERS = Makers(of_files={"schematic": _schematic})
