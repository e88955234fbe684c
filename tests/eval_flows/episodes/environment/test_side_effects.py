"""Protects what side effects are: every part of a file that no task may change is compared, and a program that saves what it opened changes nothing."""

import io
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.styles import Font
from openpyxl.workbook.defined_name import DefinedName
from PIL import Image as Picture

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.environment.side_effects import spoil
from eval_flows.episodes.environment.side_effects.compare import KINDS, kind_of, side_effects
from eval_flows.episodes.environment.side_effects.documents import FREE_FORMATS
from eval_flows.episodes.environment.side_effects.documents import FREE_PARTS as DOCUMENT_PARTS
from eval_flows.episodes.environment.side_effects.home import Entry, Home, look_at_home
from eval_flows.episodes.environment.side_effects.workbooks import FREE_PARTS as WORKBOOK_PARTS
from eval_flows.episodes.tasks.changes import Changes
from tests.eval_flows.episodes.desktops import desktop
from tests.eval_flows.episodes.environment.homes import Json, told
from tests.eval_flows.episodes.made_files import MADE, made

SAVED = Path(__file__).parent / "saved"


def in_workbook(change: Callable[[Any], None]) -> bytes:
    workbook = openpyxl.load_workbook(io.BytesIO(made("sales.xlsx")))
    change(workbook)
    file = io.BytesIO()
    workbook.save(file)
    return file.getvalue()


def in_database(script: str, tmp: Path) -> bytes:
    tmp.write_bytes(made("shop.db"))
    connection = sqlite3.connect(tmp)
    connection.executescript(script)
    connection.commit()
    connection.close()
    return tmp.read_bytes()


def in_picture(at: tuple[int, int]) -> bytes:
    picture = Picture.open(io.BytesIO(made("red.png")))
    picture.putpixel(at, (0, 0, 255))
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def bold_price(workbook: Any) -> None:
    workbook["Sales"]["C1"].font = Font(bold=True)


def set_cell(at: str, value: Any) -> Callable[[Any], None]:
    return lambda workbook: workbook["Sales"].__setitem__(at, value)


IN_WORKBOOKS: list[tuple[Callable[[Any], Any], Json, list[str]]] = [
    (lambda one: None, {}, []),
    (set_cell("B2", 4), {}, ["cell Sales!B2 changed from 3.0 to 4.0"]),
    (set_cell("B2", 4), {"sheet": "Sales", "cells": ["A1:B2"]}, []),
    (set_cell("C3", 80), {"sheet": "Sales", "cells": ["A1:B2"]}, ['cell Sales!C3 changed from "=B2*80" to 80.0']),
    (set_cell("D9", "x"), {"sheet": "Sales", "cells": ["B2"]}, ['cell Sales!D9 added: "x"']),
    (bold_price, {}, ["cell Sales!C1, bold added: True"]),
    (bold_price, {"sheet": "Sales", "cells": ["C1"]}, []),
    (lambda one: one.create_sheet("More"), {}, ["sheets changed from ['Sales', 'Notes'] to ['Sales', 'Notes', 'More']"]),
    (lambda one: one.create_sheet("More"), {"sheet": "More"}, []),
    (lambda one: one.remove(one["Notes"]), {"sheet": "Notes"}, []),
    (lambda one: one["Sales"].merge_cells("A1:B1"), {"sheet": "Sales", "cells": ["A1:B1"]}, ["merged of Sales changed"]),
    (lambda one: setattr(one["Sales"], "freeze_panes", "A2"), {}, ["freeze of Sales changed from nothing to"]),
    (lambda one: setattr(one["Sales"], "freeze_panes", "A2"), {"sheet": "Sales", "parts": ["freeze"]}, []),
    (lambda one: setattr(one["Sales"].column_dimensions["B"], "hidden", True), {"sheet": "Sales", "columns": ["C"]}, ["hidden columns of Sales"]),
    (lambda one: setattr(one["Sales"].column_dimensions["C"], "hidden", True), {"sheet": "Sales", "columns": ["C"]}, []),
    (lambda one: one.defined_names.add(DefinedName("All", attr_text="Sales!$A$1")), {}, ["name All added"]),
    (lambda one: one.defined_names.add(DefinedName("All", attr_text="Sales!$A$1")), {"parts": ["names"]}, []),
]  # fmt: skip


@pytest.mark.parametrize(("change", "free", "wanted"), IN_WORKBOOKS)
def test_a_workbook_is_compared_cell_by_cell_and_by_its_layout(change: Callable[[Any], Any], free: Json, wanted: list[str]) -> None:
    asked = {"workbook": {"path": "sales.xlsx", **(free or {"parts": []})}}
    found = told({"sales.xlsx": made("sales.xlsx")}, {"sales.xlsx": in_workbook(change)}, asked)
    assert bool(found) == bool(wanted), found
    assert all(any(one in line for line in found) for one in wanted), found


@pytest.mark.parametrize("name", ["report.docx", "sales.xlsx"])
def test_what_libreoffice_saves_unchanged_has_no_side_effects(name: str) -> None:
    """The files in saved/ are what LibreOffice 7.4 wrote of the made ones; it wrote nearly every byte anew."""
    saved = (SAVED / name).read_bytes()
    assert saved != made(name) and told({name: made(name)}, {name: saved}) == []


@pytest.mark.parametrize(
    ("script", "free", "wanted"),
    [
        ("select 1", [], []),
        ("update items set price = 30", [], ["shop.db: row of items changed", "shop.db: row of items changed"]),
        ("update items set price = 30 where id = 1", [{"table": "items", "where": "name = 'lamp'", "columns": ["price"]}], []),
        ("update items set price = 30", [{"table": "items", "where": "name = 'lamp'", "columns": ["price"]}], ["shop.db: row of items changed"]),
        (
            "update items set name = 'x' where id = 1",
            [{"table": "items", "where": "id = 1", "columns": ["price"]}],
            ["shop.db: row of items changed"],
        ),
        ("delete from items where id = 2", [{"table": "items", "where": "name = 'lamp'"}], ["shop.db: row of items deleted"]),
        ("delete from items where id = 1", [{"table": "items", "where": "name = 'lamp'"}], []),
        ("create table more (x)", [], ["shop.db: table more added"]),
        ("create table more (x)", [{"table": "more"}], []),
        ("alter table items add column size text", [{"table": "items", "columns": ["size"]}], []),
        ("alter table items add column size text", [], ["shop.db: table items changed", "shop.db: row of items", "shop.db: row of items"]),
        ("create index quick on items (name)", [{"table": "quick"}], []),
        ("create index quick on items (name)", [{"table": "slow"}], ["shop.db: index quick added"]),
        ("pragma user_version = 3", [], ["shop.db: user version changed from 0 to 3"]),
        ("pragma user_version = 3", [{"user_version": True}], []),
    ],
)
def test_a_database_is_compared_by_schema_and_rows(script: str, free: Sequence[Json], wanted: list[str], tmp_path: Path) -> None:
    after = in_database(script, tmp_path / "shop.db")
    found = told({"shop.db": made("shop.db")}, {"shop.db": after}, *({"database": {"path": "shop.db", **one}} for one in free))
    assert len(found) == len(wanted) and all(line.startswith(one) for line, one in zip(found, wanted, strict=True)), found


def test_pictures_captures_and_settings_are_compared_by_their_parts() -> None:
    before, red = {"red.png": made("red.png")}, {"red.png": in_picture((5, 5))}
    assert told(before, red)[0].startswith("red.png: pixels (their digest) changed")
    assert told(before, red, {"picture": {"path": "red.png", "area": [0, 0, 9, 9]}}) == []
    assert told(before, red, {"picture": {"path": "red.png", "area": [10, 0, 19, 9]}}) != []
    lan = {"lan.pcapng": made("lan.pcapng")}
    spoilt = {"lan.pcapng": spoil.SPOILERS["capture"](made("lan.pcapng"), [])}
    assert told(lan, spoilt, {"capture": {"path": "lan.pcapng", "packets": ["1"]}})[0].startswith("lan.pcapng: packet 1 changed")
    old = {".conf": b"[view]\nsize=3\nfont=Sans\n"}
    assert told(old, {".conf": b"[view]\nsize=4\nfont=Sans\n"}, {"settings": {"path": ".conf", "keys": ["view/size"]}}) == []
    assert told(old, {".conf": b"[view]\nsize=4\n"}, {"settings": {"path": ".conf", "keys": ["view/size"]}}) == ['.conf: view/font deleted: "Sans"']
    asked = Changes([{"settings": {"path": ".conf", "keys": ["view/size"]}}])
    assert asked.with_own_keys({".conf": ["view/font"], ".other": ["all"]}).declared[1:] == [{"settings": {"path": ".conf", "keys": ["view/font"]}}]


def test_a_byte_order_mark_is_told_whatever_else_may_change_in_a_text() -> None:
    free = {"text": {"path": "a.txt", "lines": ["one"], "line_endings": True, "end": True}}
    marked = b"\xef\xbb\xbfone\r\ntwo\r\n"
    assert told({"a.txt": b"one\ntwo\n"}, {"a.txt": b"one\r\ntwo\r\n"}, free) == []
    assert told({"a.txt": b"one\ntwo\n"}, {"a.txt": marked}, free) == ['a.txt: byte-order mark changed from nothing to "there"']
    assert told({"a.txt": marked}, {"a.txt": marked.replace(b"one", b"one more")}, free) == []


def test_files_are_made_moved_and_deleted_where_that_is_declared_alone() -> None:
    before = {"Documents/old.txt": b"x", "Documents/a.bin": b"1"}
    assert told(before, {"Documents/a.bin": b"1"}) == ["Documents/old.txt deleted"]
    assert told(before, {**before, "Documents/new.txt": b""}) == ["Documents/new.txt made"]
    assert told(before, {**before, "Documents/a.bin": b"2"}) == ["Documents/a.bin changed"]
    moved = {"Documents/a.bin": b"1", "Documents/Sub/old.txt": b"x"}
    assert told(before, moved, {"file": "Documents/old.txt"}, {"file": "Documents/Sub/*.txt"}) == []
    assert told(before, {"Documents/a.bin": b"1", "Documents/Sub/old.txt": b"x"}, {"file": "Documents/Sub"}) == ["Documents/old.txt deleted"]
    trashed = {"Documents/a.bin": b"1", ".local/share/Trash/files/old.txt": b"x"}
    assert told(before, trashed) == ["Documents/old.txt deleted"], "told once, where it was"
    assert told(trashed, {"Documents/a.bin": b"1"}) == [".local/share/Trash/files/old.txt deleted"], "the trash is a person's own"


def test_folders_links_and_permissions_are_told() -> None:
    folder, link, file = Entry("d", "0755", 0), Entry("l", "0777", 4, "a.txt"), Entry("f", "0644", 1, "", "1")
    before = Home({"Sub": folder, "Sub/a.txt": file, "Sub/b.txt": file, "link": link})
    after = Home(
        {"New": folder, "New/c.txt": file, "link": Entry("l", "0777", 5, "b.txt"), "Sub": folder, "Sub/a.txt": Entry("f", "0755", 1, "", "1")}
    )

    def nothing(path: str) -> bytes | None:
        return None

    found = side_effects(before, after, Changes([]), nothing)
    assert found == [
        "New/ made",
        "Sub/a.txt: permissions changed from 0644 to 0755",
        "Sub/b.txt deleted",
        "link is not what it was: a link to a.txt became a link to b.txt",
    ]
    assert side_effects(before, Home({"link": link}), Changes([]), nothing) == ["Sub/ deleted"], "a folder is told with all in it"
    free = Changes([{"permissions": "Sub/a.txt"}, {"file": "link"}, {"file": "Sub/b.txt"}, {"file": "New/c.txt"}])
    assert side_effects(before, after, free, nothing) == [], "a folder may be made for what may be made in it"


def test_what_cannot_be_read_any_more_is_told() -> None:
    assert told({"report.docx": made("report.docx")}, {"report.docx": b"PK"}) == ["report.docx changed, and cannot be read as before"]


def test_many_side_effects_are_counted() -> None:
    assert told({f"{number:02}.txt": b"" for number in range(30)}, {})[-1] == "and 10 more"


@pytest.mark.parametrize("name", MADE)
def test_a_spoiled_file_has_side_effects_whatever_its_task_may_change(name: str, catalog: Catalog) -> None:
    """For every change that the catalog declares of that kind: the damage that a proof does is outside it."""
    kind = kind_of(name, [])
    declared = [change[kind] for task in catalog.tasks.values() for change in task.changes or () if isinstance(change.get(kind), Mapping)]
    for asked in ({"path": name}, *declared):
        spoilt = spoil.SPOILERS[kind](made(name), [asked])
        assert told({name: made(name)}, {name: spoilt}, {kind: {**asked, "path": name}} if kind in KINDS else {}) != [], asked


def test_a_database_of_which_every_table_is_partly_free_is_spoiled_in_another_row(tmp_path: Path) -> None:
    """Found by a proof: a job that may change single rows of both tables was not spoiled at all."""
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("create table orders (id integer primary key, buyer); insert into orders values (1, 5), (2, 6), (3, 7)")
    free = {"path": "shop.db", "table": "orders", "where": "id = 1"}, {"path": "shop.db", "table": "orders", "columns": ["buyer"], "where": "id = 2"}
    spoilt = spoil.SPOILERS["database"](path.read_bytes(), free)
    assert told({"shop.db": path.read_bytes()}, {"shop.db": spoilt}, *({"database": one} for one in free)) == [
        'shop.db: row of orders deleted: "3 | 7"'
    ]


def test_the_kinds_and_parts_that_the_catalog_may_name_are_those_that_are_compared(catalog: Catalog) -> None:
    known = catalog.checkers.changes
    assert set(known) == {*KINDS, "file", "permissions"}
    assert (
        set(known["document"].parts) == DOCUMENT_PARTS
        and set(known["document"].formats) == FREE_FORMATS
        and set(known["workbook"].parts) == WORKBOOK_PARTS
    )


def test_a_snapshot_that_the_machine_does_not_give_is_a_fault_of_the_machine() -> None:
    from machines.errors import MachineError

    screen = desktop(client={"said": "find: no such thing"})
    with pytest.raises(MachineError, match="the home folder could not be listed"):
        look_at_home(screen, [], with_contents=False)
