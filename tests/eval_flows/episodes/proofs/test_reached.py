"""Protects what the record of proofs rests on: a change that a checker or a maker reaches is seen, and no other one is."""

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from eval_flows.episodes.checkers.checker import CHECKERS, known
from eval_flows.episodes.proofs import reached
from eval_flows.episodes.proofs.reached import code_of
from eval_flows.episodes.tasks.makers.maker import family_of, makers

SHAPES = '''
"""Getters of shapes."""
from machines.own_measures import area
_EDGES = 4
def _corners(content: bytes) -> int:
    """Return how many."""
    return len(content) * _EDGES
def _colour(content):
    return "red"
CHECKERS = Checkers(of_files={"corners": lambda content, _: _corners(content), "colour": lambda content, _: _colour(content), "area": area})
'''
MEASURES = """
_UNIT = 1
def area(content, asked):
    return _UNIT
def length(content):
    return 2
"""

Hashes = Callable[[str, str], dict[str, str]]


@pytest.fixture
def hashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hashes]:
    """The hashes of the three getters of a module that uses another one."""
    paths = {"machines.own_shapes": tmp_path / "shapes.py", "machines.own_measures": tmp_path / "measures.py"}
    monkeypatch.setattr(reached, "_path", paths.__getitem__)
    monkeypatch.setattr(reached, "_is_package", lambda _: False)

    def made(shapes: str, measures: str) -> dict[str, str]:
        (tmp_path / "shapes.py").write_text(shapes)
        (tmp_path / "measures.py").write_text(measures)
        reached._module.cache_clear()
        code_of.cache_clear()
        return {name: code_of("machines.own_shapes", name) for name in ("corners", "colour", "area")}

    yield made
    reached._module.cache_clear()
    code_of.cache_clear()


@pytest.mark.parametrize(
    ("old", "new", "void"),
    [
        ("_EDGES = 4", "_EDGES = 5", {"corners"}),
        ("len(content) *", "len(content) +", {"corners"}),
        ('return "red"', 'return "blue"', {"colour"}),
        ('"colour": lambda content, _: _colour(content)', '"colour": lambda content, _: _colour(content[1:])', {"colour"}),
        ("_UNIT = 1", "_UNIT = 2", {"area"}),
        ("return 2", "return 3", set()),
        ("Return how many.", "Return how many there are.", set()),
        ("-> int", "-> float", set()),
        ("def _colour", "# the colour\ndef _colour", set()),
    ],
)
def test_a_change_is_seen_where_it_is_reached(hashes: Hashes, old: str, new: str, void: set[str]) -> None:
    before = hashes(SHAPES, MEASURES)
    after = hashes(SHAPES.replace(old, new), MEASURES.replace(old, new))
    assert SHAPES.count(old) + MEASURES.count(old) == 1 and {name for name in before if before[name] != after[name]} == void


def test_a_name_that_stands_in_no_table_as_it_is_rests_on_its_whole_module(hashes: Hashes) -> None:
    tables = SHAPES.replace('"colour": lambda content, _: _colour(content)', "**more()")
    before, after = hashes(tables, MEASURES), hashes(tables.replace("_EDGES = 4", "_EDGES = 5"), MEASURES)
    assert {name for name in before if before[name] != after[name]} == {"corners", "colour"}


def test_every_checker_and_maker_stands_in_a_table_as_it_is() -> None:
    """Otherwise it would rest on its whole module, and any change there would void its proofs."""
    everything = known()
    places = {name: CHECKERS.plugin(family).place.partition(":")[0] for name, family in everything.family.items()}
    places |= {name: family_of(name) for table in (makers().of_files, makers().of_state) for name in table}
    assert not [name for name, module in places.items() if type(reached._entry(module, name)).__name__ == "Module"]


@pytest.mark.parametrize(
    ("module", "name", "definition"),
    [
        ("eval_flows.episodes.checkers.workbooks", "formula", "eval_flows.episodes.checkers.care.unpacked"),
        ("eval_flows.episodes.checkers.documents", "document", "eval_flows.episodes.checkers.pictures.of_picture"),
        ("eval_flows.episodes.checkers.metrics", "comes_to", "eval_flows.episodes.checkers.arithmetic.outcome"),
    ],
)
def test_what_other_modules_do_for_a_checker_belongs_to_it(module: str, name: str, definition: str) -> None:
    found = reached._reached(module, reached._entry(module, name))
    other, _, wanted = definition.rpartition(".")
    assert (other, wanted) in found and hasattr(importlib.import_module(other), wanted)


def test_the_files_of_a_material_belong_to_its_maker() -> None:
    module = "eval_flows.episodes.tasks.makers.schematics"
    assert (module, "_SYMBOLS") in reached._reached(module, reached._entry(module, "schematic"))
    told = list(reached._materials(reached._module(module).definitions["_SYMBOLS"]))
    assert told and all(one.startswith("kicad/") for one in told)
