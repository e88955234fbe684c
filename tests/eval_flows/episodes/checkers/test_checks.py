"""Protects that checks judge results: for a task, other honest ways than its oracle's hold, and near misses do not. No machine is needed."""

import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from openpyxl.styles import Font, NamedStyle
from openpyxl.workbook.defined_name import DefinedName
from PIL import Image

from atomic_tasks.catalog import Catalog
from tests.eval_flows.episodes.states import Change, calc, holds, sql, text, word

Values = Mapping[str, str]
Format = Callable[[Any], object]
LABELS = "Please label every box with"


def paragraph(document: Any, beginning: str) -> Any:
    return next(one for one in document.paragraphs if one.text.startswith(beginning))


def format_part(document: Any, part: str, change: Format) -> None:
    """Give the characters of a text a format of their own, as selecting them and clicking does."""
    holding = next(one for one in document.paragraphs if part in one.text)
    before, _, after = holding.text.partition(part)
    for run in holding.runs[1:]:
        run._r.getparent().remove(run._r)
    holding.runs[0].text = before
    change(holding.add_run(part))
    holding.add_run(after)


def with_word_before(document: Any, part: str) -> str:
    """A text with the word before it in its paragraph."""
    before = next(one.text for one in document.paragraphs if part in one.text).partition(part)[0]
    return f"{before.split()[-1]} {part}"


def bold(run: Any) -> None:
    run.bold = True


def strong(run: Any) -> None:
    run.style = run.part.document.styles["Strong"]


def raised(run: Any) -> None:
    run.font.superscript = True


def outlined(document: Any, values: Values, level: str) -> None:
    paragraph(document, values["line"])._p.get_or_add_pPr().append(parse_xml(f'<w:outlineLvl {nsdecls("w")} w:val="{level}"/>'))


def numbered(*beginnings: str, style: str = "List Number") -> Change:
    def change(document: Any, _: Values) -> None:
        for one in beginnings:
            paragraph(document, one).style = document.styles[style]

    return word(change)


def by_quote(document: Any, values: Values) -> None:
    document.styles["Quote"].paragraph_format.alignment = 1
    paragraph(document, values["remark"]).style = document.styles["Quote"]


def indented(document: Any, left: str, first_line: float = 0) -> None:
    found = paragraph(document, "Every team").paragraph_format
    found.left_indent, found.first_line_indent = docx.shared.Cm(float(left)), docx.shared.Cm(first_line)


def end_landscape(document: Any) -> None:
    document.add_section()
    document.add_paragraph("End")
    document.sections[-1].page_width = docx.shared.Cm(40)


THREE = ("Empty your drawers.", "Take down your pictures.", "Return borrowed books.")


def columns(document: Any, count: str) -> None:
    document.sections[0]._sectPr.find(qn("w:cols")).set(qn("w:num"), count)


def page_number(code: str) -> Change:
    def change(document: Any, values: Values) -> None:
        footer = document.sections[0].footer.paragraphs[0]
        footer.add_run(f"{values['page_word']} ")
        field = f'<w:fldSimple {nsdecls("w")} w:instr="{code}"><w:r><w:t>1</w:t></w:r></w:fldSimple>' if code else ""
        footer._p.append(parse_xml(field or f"<w:r {nsdecls('w')}><w:t>1</w:t></w:r>"))

    return word(change)


def suggested(more: str = "") -> Change:
    def change(document: Any, values: Values) -> None:
        document.settings.element.append(parse_xml(f"<w:trackRevisions {nsdecls('w')}/>"))
        yard = paragraph(document, "Visitors may use the yard")
        for number, said in enumerate((f" {values['doubtful']}"[:5], f" {values['doubtful']}"[5:] + more)):
            yard._p.append(parse_xml(f'<w:del {nsdecls("w")} w:id="{number}"><w:r><w:delText xml:space="preserve">{said}</w:delText></w:r></w:del>'))

    return word(change)


def rows_bold(workbook: Any, last: int) -> None:
    for row in workbook["Staff"][f"A1:E{last}"]:
        for cell in row:
            cell.font = Font(b=True)


def by_style(workbook: Any) -> None:
    style = NamedStyle("Heading", font=Font(b=True))
    for cell in workbook["Staff"]["A1:E1"][0]:
        cell.style = style


def frozen(workbook: Any, state: str) -> None:
    sheet = workbook["Contacts"]
    sheet.freeze_panes = "B2"
    sheet.sheet_view.pane.topLeftCell, sheet.sheet_view.pane.state = "D4", state


def filled(workbook: Any, values: Values, wrong: int = 0) -> None:
    for number in range(11):
        workbook["Plan"][f"A{number + 2}"] = number * int(values["step"]) + (1 if number == wrong > 0 else 0)


def percent(workbook: Any, *cells: str) -> None:
    for row in range(2, 8):
        workbook["Prices"][f"C{row}"].number_format = "0.00%"
    for cell in cells:
        workbook["Prices"][cell].number_format = "General"


def protected(workbook: Any, password: str = "") -> None:
    workbook["Rules"].protection.sheet = True
    if password:
        workbook["Rules"].protection.set_password(password)


def hidden(workbook: Any, *letters: str) -> None:
    for letter in letters:
        workbook["Contacts"].column_dimensions[letter].hidden = True


def poster(change: Callable[[Image.Image, int], Image.Image]) -> Change:
    def done(state: Any) -> None:
        name = "Pictures/{poster}.png"
        width = int(state.values.get("width", 0))
        change(Image.open(io.BytesIO(state[name])), width).save(file := io.BytesIO(), "PNG")
        state[name] = file.getvalue()

    return done


def framed(picture: Image.Image, width: int) -> Image.Image:
    """A canvas of that size around the middle of the picture, which is cut or framed instead of scaled."""
    height = width * 3 // 4
    left, top = (picture.width - width) // 2, (picture.height - height) // 2
    canvas = Image.new("RGB", (width, height), "white")
    canvas.paste(picture, (-left, -top))
    return canvas


def moved_there(state: Any) -> None:
    name = "Documents/{target_folder}/{reference}"
    state["Documents/{target_folder}/{subfolder}/{reference}"] = state[name]


def subfolder(state: Any, *files: str) -> None:
    state.folder("Documents/{target_folder}/{new_folder}")
    for name in files:
        state["Documents/{target_folder}/{new_folder}/" + name] = b"asdf"


def many(*changes: Change) -> Change:
    def done(state: Any) -> None:
        for change in changes:
            change(state)

    return done


W, C, S, M, T, G, V = "libreoffice_writer.", "libreoffice_calc.", "sqlitebrowser.", "mousepad.", "thunar.", "gimp_linux.", "vlc_linux."
OPENING = "The open office covers 840 m2"

HONEST: Sequence[tuple[str, str, Change]] = (
    (W + "bold_phrase", "directly", word(lambda document, values: format_part(document, values["phrase"], bold))),
    (W + "bold_phrase", "by a character style", word(lambda document, values: format_part(document, values["phrase"], strong))),
    (W + "make_heading", "by a style", word(lambda document, values: setattr(paragraph(document, values["line"]), "style", document.styles[f"Heading {values['level']}"]))),
    (W + "make_heading", "by an outline level", word(lambda document, values: outlined(document, values, str(int(values["level"]) - 1)))),
    (W + "centre_paragraph", "by a style", word(by_quote)),
    (W + "strike_sentence", "directly", word(lambda document, values: format_part(document, values["cancelled"], lambda run: setattr(run.font, "strike", True)))),
    (W + "strike_sentence", "twice", word(lambda document, values: format_part(document, values["cancelled"], lambda run: setattr(run.font, "double_strike", True)))),
    (W + "highlight_phrase", "directly", word(lambda document, values: format_part(document, values["phrase_to_mark"], lambda run: setattr(run.font, "highlight_color", 7)))),
    (W + "number_list", "by a style", numbered(*THREE)),
    (W + "indent_paragraph", "directly", word(lambda document, values: indented(document, values["indent"]))),
    (W + "turn_landscape", "by its size", word(lambda document, _: setattr(document.sections[0], "page_width", docx.shared.Cm(40)))),
    (W + "set_columns", "on all pages", word(lambda document, values: columns(document, values["column_count"]))),
    (W + "number_pages", "by a simple field", page_number(" PAGE ")),
    (W + "suggest_deletion", "in two goes", suggested()),
    (C + "bold_header", "by a named style", calc(lambda workbook, _: by_style(workbook))),
    (C + "bold_header", "directly", calc(lambda workbook, _: rows_bold(workbook, 1))),
    (C + "freeze_header", "and scrolled", calc(lambda workbook, _: frozen(workbook, "frozen"))),
    (C + "fill_series", "typed", calc(filled)),
    (C + "protect_sheet", "without a password", calc(lambda workbook, _: protected(workbook))),
    (C + "hide_column", "that one", calc(lambda workbook, values: hidden(workbook, values["letter"]))),
    (C + "name_range", "in its sheet", calc(lambda workbook, values: workbook["Prices"].defined_names.add(DefinedName(values["range_name"], attr_text="'Prices'!$B$2:$B$7")))),
    (C + "show_as_percent", "all of them", calc(lambda workbook, _: percent(workbook))),
    (S + "update_by_query", "where it is that item", sql("update orders set price = {price} where item = '{item}'")),
    (S + "delete_record", "that one", sql("delete from equipment where label = '{label}'")),
    (S + "edit_cell", "that one", sql("update customers set city = '{new_city}' where city = '{old_city}'")),
    (S + "add_record", "a new one", sql("insert into staff (name) values ('{person_name}')")),
    (S + "create_view", "its columns in another order", sql("create view {view_name} as select status, item, id, customer_id, quantity, price from orders where status = '{status}'")),
    (S + "rename_table", "made anew", sql("create table {new_table} (id integer primary key, memo text)", "insert into {new_table} select * from memos", "drop table memos")),
    (M + "indent_line", "by a tab", text("Documents/{text_file}", lambda said, values: said.replace(f"\n{values['part']}\n", f"\n\t{values['part']}\n"))),
    (M + "replace_word", "there", text("Documents/{text_file}", lambda said, values: said.replace("Monday", values["new_day"]))),
    (M + "capitalize_heading", "there", text("Documents/{text_file}", lambda said, values: said.replace(values["heading"].lower(), values["heading"]))),
    (M + "duplicate_line", "once", text("Documents/{text_file}", lambda said, values: said.replace(f"\n{values['entry']}\n", f"\n{values['entry']}\n{values['entry']}\n"))),
    (M + "append_line", "below an empty line", text("Documents/{text_file}", lambda said, values: f"{said}\n{values['jotting']}\n")),
    (M + "rename_person", "everywhere", text("Documents/{text_file}", lambda said, values: said.replace("Anna", values["stand_in"]))),
    (M + "write_new_note", "with an empty line at the end", lambda state: state.__setitem__("Documents/{note_file}", f"{state.values['jotting']}\n\n".encode())),
    (V + "save_playlist_for_others", "by its name alone", lambda state: state.__setitem__("Music/{simple_list}", f"#EXTM3U\n{state.values['track_file']}\n".encode())),
    (T + "create_folder", "an empty one", subfolder),
    (T + "copy_file", "and left there", moved_there),
    (G + "scale_poster", "as a whole", poster(lambda picture, width: picture.resize((width, width * 3 // 4)))),
)  # fmt: skip

NEAR: Sequence[tuple[str, str, Change]] = (
    (W + "bold_phrase", "a neighbour too", word(lambda document, values: format_part(document, with_word_before(document, values["phrase"]), bold))),
    (W + "bold_phrase", "another paragraph too", many(word(lambda document, values: format_part(document, values["phrase"], bold)), word(lambda document, _: format_part(document, "A house is made", bold)))),
    (W + "bold_phrase", "the whole sentence", word(lambda document, _: bold(paragraph(document, LABELS).runs[0]))),
    (W + "make_heading", "of another level", word(lambda document, values: outlined(document, values, str(int(values["level"]))))),
    (W + "make_heading", "only bold", word(lambda document, values: format_part(document, values["line"], bold))),
    (W + "strike_sentence", "a further one too", word(lambda document, _: setattr(paragraph(document, "Monitors stay").runs[0].font, "strike", True))),
    (W + "highlight_phrase", "a further word too", word(lambda document, _: format_part(document, "racks for forty bicycles and sockets for charging", lambda run: setattr(run.font, "highlight_color", 7)))),
    (W + "raise_exponent", "the whole measure", word(lambda document, values: format_part(document, values["area"], raised))),
    (W + "raise_exponent", "the whole sentence", word(lambda document, _: raised(paragraph(document, OPENING).runs[0]))),
    (W + "number_list", "a further line", numbered(*THREE, "Volunteers")),
    (W + "number_list", "a line less", numbered(*THREE[:2])),
    (W + "number_list", "bullets", numbered(*THREE, style="List Bullet")),
    (W + "indent_paragraph", "only its first line", word(lambda document, values: indented(document, "0", float(values["indent"])))),
    (W + "indent_paragraph", "all but its first line", word(lambda document, values: indented(document, values["indent"], -float(values["indent"])))),
    (W + "turn_landscape", "by the word alone", word(lambda document, _: setattr(document.sections[0], "orientation", 1))),
    (W + "turn_landscape", "the last part alone", word(lambda document, _: end_landscape(document))),
    (W + "number_pages", "by the number of pages", page_number(" NUMPAGES ")),
    (W + "number_pages", "typed", page_number("")),
    (W + "suggest_deletion", "more than those words", suggested(" and more")),
    (C + "bold_header", "a row below too", calc(lambda workbook, _: rows_bold(workbook, 2))),
    (C + "freeze_header", "only split", calc(lambda workbook, _: frozen(workbook, "split"))),
    (C + "fill_series", "one of them wrong", calc(lambda workbook, values: filled(workbook, values, 4))),
    (C + "protect_sheet", "with a password", calc(lambda workbook, _: protected(workbook, "secret"))),
    (C + "hide_column", "a further one too", calc(lambda workbook, values: hidden(workbook, values["letter"], "B"))),
    (C + "delete_sheet", "a further one too", calc(lambda workbook, _: [workbook.remove(workbook[name]) for name in ("Archive", "Plan")])),
    (C + "name_range", "a row less", calc(lambda workbook, values: workbook.defined_names.add(DefinedName(values["range_name"], attr_text="Prices!$B$2:$B$6")))),
    (C + "show_as_percent", "but one", calc(lambda workbook, _: percent(workbook, "C4"))),
    (C + "add_sheet", "one with something in it", calc(lambda workbook, values: workbook.create_sheet(values["added_sheet"]).append(["x"]))),
    (S + "update_by_query", "without where", sql("update orders set price = {price}")),
    (S + "update_by_query", "the number too", sql("update orders set price = {price}, quantity = 7 where item = '{item}'")),
    (S + "delete_record", "a second one too", sql("delete from equipment where label = '{label}'", "delete from equipment where id = (select max(id) from equipment)")),
    (S + "delete_record", "and another changed", sql("delete from equipment where label = '{label}'", "update equipment set room = 'C1'")),
    (S + "edit_cell", "without where", sql("update customers set city = '{new_city}'")),
    (S + "edit_cell", "the name too", sql("update customers set city = '{new_city}', name = 'x' where city = '{old_city}'")),
    (S + "add_record", "over another one", sql("update staff set name = '{person_name}' where id = 2")),
    (S + "create_view", "a column under another name", sql("create view {view_name} as select id as number, customer_id, item, quantity, price, status from orders where status = '{status}'")),
    (S + "create_view", "five of them at most", sql("create view {view_name} as select * from orders where status = '{status}' limit 5")),
    (S + "create_index", "of some orders alone", sql("create index {index_name} on orders ({indexed}) where id > 3")),
    (S + "create_table", "with a key", sql("create table {table_name} ({field} integer primary key)")),
    (S + "add_column", "with a value that every record gets", sql("alter table equipment add column {new_column} text default 'none'")),
    (S + "rename_table", "without its key", sql("create table {new_table} as select * from memos", "drop table memos")),
    (S + "delete_table", "all three", sql("drop table drafts", "drop table scratch", "drop table temp_import")),
    (M + "indent_line", "by two tabs", text("Documents/{text_file}", lambda said, values: said.replace(f"\n{values['part']}\n", f"\n\t\t{values['part']}\n"))),
    (M + "indent_line", "by seven spaces", text("Documents/{text_file}", lambda said, values: said.replace(f"\n{values['part']}\n", f"\n       {values['part']}\n"))),
    (M + "replace_word", "beside the old line", text("Documents/{text_file}", lambda said, values: f"{said}The meeting is on {values['new_day']}.\n")),
    (M + "capitalize_heading", "beside the old line", text("Documents/{text_file}", lambda said, values: f"{said}{values['heading']}\n")),
    (M + "capitalize_heading", "everything", text("Documents/{text_file}", lambda said, _: said.upper())),
    (M + "duplicate_line", "twice", text("Documents/{text_file}", lambda said, values: said.replace(f"\n{values['entry']}\n", f"\n{values['entry']}" * 3 + "\n"))),
    (M + "append_line", "twice", text("Documents/{text_file}", lambda said, values: said + f"{values['jotting']}\n" * 2)),
    (M + "insert_item", "a second time", text("Documents/{text_file}", lambda said, values: said.replace("\nbread\n", f"\nbread\n{values['item']}\n").replace("\nmow", f"\n{values['item']}\nmow"))),
    (M + "replace_word", "on two lines", text("Documents/{text_file}", lambda said, values: said.replace("Monday.", f"{values['new_day']}.\nThe meeting is on {values['new_day']}."))),
    (M + "rename_person", "and a line about it", text("Documents/{text_file}", lambda said, values: f"{said.replace('Anna', values['stand_in'])}{values['stand_in']} does it\n")),
    (M + "delete_line", "an empty line is left", text("Documents/{text_file}", lambda said, values: said.replace(values["outdated"], ""))),
    (M + "reverse_lines", "below the old lines", text("Documents/{text_file}", lambda said, _: said.replace("3 cedar\n", "3 cedar\n3 cedar\n2 birch\n1 oak\n"))),
    (M + "indent_line", "in a copy", text("Documents/{text_file}", lambda said, values: said.replace(f"\n{values['part']}\n", f"\n{values['part']}\n\t{values['part']}\n"))),
    (M + "strip_trailing_spaces", "and the empty lines", text("Documents/{text_file}", lambda said, _: "\n".join(line.rstrip() for line in said.splitlines() if line.strip()) + "\n")),
    (V + "save_playlist_for_others", "of a file elsewhere", lambda state: state.__setitem__("Music/{simple_list}", f"#EXTM3U\n#EXTINF:6,{state.values['track_file']}\n/tmp/{state.values['track_file']}\n".encode())),
    (T + "create_folder", "a file of that name", lambda state: state.__setitem__("Documents/{target_folder}/{new_folder}", b"")),
    (T + "create_folder", "with something in it", lambda state: subfolder(state, "leftover.txt")),
    (T + "copy_file", "and taken away", many(moved_there, lambda state: state.drop("Documents/{target_folder}/{reference}"))),
    (T + "delete_for_good", "into the trash", many(lambda state: state.drop("Documents/{target_folder}/{rubbish}"), lambda state: state.__setitem__(".local/share/Trash/files/{rubbish}", b""))),
    (G + "scale_poster", "framed or cut", poster(framed)),
)  # fmt: skip


@pytest.mark.parametrize(("task", "way", "change"), HONEST, ids=[f"{task}: {way}" for task, way, _ in HONEST])
def test_an_honest_way_holds(task: str, way: str, change: Change, catalog: Catalog) -> None:
    assert holds(catalog, task, change), way


@pytest.mark.parametrize(("task", "way", "change"), NEAR, ids=[f"{task}: {way}" for task, way, _ in NEAR])
def test_a_near_miss_does_not_hold(task: str, way: str, change: Change, catalog: Catalog) -> None:
    assert not holds(catalog, task, change), way


@pytest.mark.parametrize("width", ["240", "320", "640", "960"])
def test_a_picture_is_scaled_and_not_framed_at_every_width(width: str, catalog: Catalog) -> None:
    """The seed decides on the width, so it is sought."""
    seeds = [
        seed
        for seed in range(40)
        if holds(catalog, G + "scale_poster", poster(lambda picture, _: picture.resize((int(width), int(width) * 3 // 4))), seed)
    ]
    assert seeds and not holds(catalog, G + "scale_poster", poster(framed), seeds[0])
