"""Protects binding: values of one text come from one world where it has them, and columns and sheets are in their table."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from atomic_tasks.arguments.worlds import Table, World, fitting
from atomic_tasks.catalog import read_catalog
from atomic_tasks.schema import Argument
from compositions.binding import bind

CATALOG = read_catalog()[0]
SHOP = World(
    id="shop",
    who="owner of a small shop",
    values={"person": ("Ann Lee", "Bo Kim"), "company": ("Lee & Kim",)},
    tables=(
        Table(file="stock.xlsx", columns=("Item", "Shelf"), numbers=("Pieces",), groups=("Supplier",), sheets=("North", "South")),
        Table(file="sales.csv", columns=("Day", "Total"), numbers=("Total",), groups=("Day",)),
        Table(file="rota.xlsx", columns=("Shift",), numbers=("Hours",), groups=("Person",), sheets=("Week 1",)),
    ),
)
HOME = World(id="home", who="father of two children", values={"person": ("Cy Fox",)})
ARGUMENTS = {
    "column": Argument(generator="column_header"),
    "sheet": Argument(generator="sheet_name"),
    "workbook": Argument(generator="spreadsheet_file"),
    "sender": Argument(generator="person"),
    "receiver": Argument(generator="person"),
    "address": Argument(generator="email_address", of="receiver"),
    "color": Argument(generator="color"),
}


@given(st.integers(0, 10**9))
def test_what_a_world_has_comes_from_it_and_fits_together(seed: int) -> None:
    values = bind(ARGUMENTS, CATALOG.generators, "en", Random(seed), SHOP)
    table = next(table for table in SHOP.tables if table.file == values["workbook"])
    assert values["workbook"].endswith(".xlsx") and values["column"] in table.columns and values["sheet"] in table.sheets
    assert {values["sender"], values["receiver"]} <= {"Ann Lee", "Bo Kim"}
    assert values["receiver"].split()[0].lower()[0] == values["address"][0], "a tied value follows the other"
    assert list(values) == list(ARGUMENTS)


def test_without_a_world_the_generators_draw() -> None:
    values = bind(ARGUMENTS, CATALOG.generators, "en", Random(1))
    assert values["workbook"] not in {table.file for table in SHOP.tables} and set(values) == set(ARGUMENTS)


def test_the_worlds_that_fit_are_those_with_most_values() -> None:
    person, both = {"person": Argument(generator="person")}, {"person": Argument(generator="person"), "firm": Argument(generator="company")}
    assert fitting([SHOP, HOME], person, ["excel"]) == [SHOP, HOME] and fitting([SHOP, HOME], both, ["excel"]) == [SHOP]
    assert fitting([SHOP, HOME], {"color": Argument(generator="color")}, ["excel"]) == []


def test_a_special_application_is_used_only_in_worlds_that_declare_it() -> None:
    person = {"person": Argument(generator="person")}
    developer = HOME.model_copy(update={"id": "developer", "applications": ("putty", "github")})
    assert fitting([SHOP, developer], person, ["putty", "excel"]) == [developer]
    assert fitting([SHOP, developer], person, ["excel"]) == [SHOP, developer], "developers use ordinary applications too"
    assert fitting([SHOP, HOME], person, ["putty"]) == [SHOP, HOME], "no world declares it, so it is not special"


def test_every_world_of_the_catalog_has_values_of_its_own() -> None:
    for world in CATALOG.worlds:
        assert world.values and len({*world.values}) == len(world.values), world.id
