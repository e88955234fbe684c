"""The getters of electronics: schematics and netlists of KiCad."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from eval_flows.episodes.checkers.checker import Checkers

_MOST_BYTES = 2_000_000
_SIZES = {"p": 1e-12, "n": 1e-9, "u": 1e-6, "µ": 1e-6, "m": 1e-3, "": 1.0, "R": 1.0, "k": 1e3, "K": 1e3, "M": 1e6}
_PLAIN = re.compile(r"\s*(\d+(?:[.,]\d+)?)\s*([pnuµmRkKM]?)\s*(?:F|H|V|Hz|Ω|ohm|Ohm)?\s*")
_LETTER_FOR_POINT = re.compile(r"\s*(\d+)([pnuµmRkKM])(\d+)\s*")  # as in 4k7
Node = list[Any]


def schematic(content: bytes, what: str) -> Any:
    """Return a property of a schematic; KeyError for a part that it does not have."""
    root = _read(content, "kicad_sch")
    kind, _, about = what.partition(".")
    return _OF_SCHEMATIC[kind](root, about)


def netlist(content: bytes, what: str) -> Any:
    """Return a property of a netlist; KeyError for a part that it does not have."""
    root = _read(content, "export")
    kind, _, about = what.partition(".")
    return _OF_NETLIST[kind](root, about)


def _read(content: bytes, kind: str) -> Node:
    import sexpdata

    if len(content) > _MOST_BYTES:
        raise ValueError("this file is too large")
    root = _plain(sexpdata.loads(content.decode()))
    if not isinstance(root, list) or root[:1] != [kind]:
        raise ValueError(f"this is no {kind}")
    return root


def _plain(read: Any) -> Any:
    """Return lists of texts and numbers for what the reader has its own classes for."""
    if isinstance(read, list):
        return [_plain(one) for one in read]
    return str(read.value()) if hasattr(read, "value") else read


def _all(node: Node, name: str) -> Iterator[Node]:
    return (one for one in node if isinstance(one, list) and one[:1] == [name])


def _one(node: Node, name: str) -> Node:
    return next(_all(node, name), [name])


def _symbols(root: Node) -> dict[str, Node]:
    """Return each part by its reference; a part without a number has the number of its place in the file."""
    found: dict[str, Node] = {}
    for number, symbol in enumerate(_all(root, "symbol")):
        name = _properties(symbol).get("Reference", "")
        found[f"{name}{number}" if name.endswith("?") or name in found else name] = symbol
    return found


def _properties(symbol: Node) -> dict[str, str]:
    return {str(one[1]): str(one[2]) for one in _all(symbol, "property")}


def _parts(root: Node) -> dict[str, dict[str, str]]:
    """Return the properties of each part by its reference."""
    return {name: _properties(symbol) for name, symbol in _symbols(root).items()}


def _amount(text: str) -> float | None:
    """Return the number that a value stands for: 4.7k, 4k7, 4700 and 4,7 kOhm are the same."""
    if found := _LETTER_FOR_POINT.fullmatch(text):
        return float(f"{found[1]}.{found[3]}") * _SIZES[found[2]]
    found = _PLAIN.fullmatch(text)
    return None if found is None else float(found[1].replace(",", ".")) * _SIZES[found[2]]


def _title(name: str) -> Callable[[Node, str], str]:
    return lambda root, _: str((_one(_one(root, "title_block"), name)[1:] or [""])[0])


def _nodes(net: Node) -> list[str]:
    return sorted(f"{_one(node, 'ref')[1]}.{_one(node, 'pin')[1]}" for node in _all(net, "node"))


def _net_of(root: Node, pin: str) -> list[str]:
    """Return all pins on the net of a pin, itself among them."""
    nets = [_nodes(net) for net in _all(_one(root, "nets"), "net")]
    return next((net for net in nets if pin in net), [])


def _components(root: Node) -> dict[str, str]:
    return {str(_one(one, "ref")[1]): str(_one(one, "value")[1]) for one in _all(_one(root, "components"), "comp")}


_OF_SCHEMATIC: Mapping[str, Callable[[Node, str], Any]] = {
    "references": lambda root, _: sorted(_parts(root)),
    "value": lambda root, name: _parts(root)[name]["Value"],
    "amount": lambda root, name: _amount(_parts(root)[name]["Value"]),
    "footprint": lambda root, name: _parts(root)[name].get("Footprint", ""),
    "in_bom": lambda root, name: str(_one(_symbols(root)[name], "in_bom")[1]),
    "labels": lambda root, _: sorted(str(one[1]) for one in _all(root, "label")),
    "texts": lambda root, _: sorted(str(one[1]) for one in _all(root, "text")),
    "paper": lambda root, _: str(_one(root, "paper")[1]),
    "wires": lambda root, _: sum(1 for _ in _all(root, "wire")),
    "title": _title("title"),
    "revision": _title("rev"),
    "company": _title("company"),
}
_OF_NETLIST: Mapping[str, Callable[[Node, str], Any]] = {
    "references": lambda root, _: sorted(_components(root)),
    "amount": lambda root, name: _amount(_components(root)[name]),
    "net_of": _net_of,
    "nets": lambda root, _: sum(1 for _ in _all(_one(root, "nets"), "net")),
}
CHECKERS = Checkers(
    of_files={
        "schematic": lambda content, asked: schematic(content, asked["what"]),
        "netlist": lambda content, asked: netlist(content, asked["what"]),
    }
)
