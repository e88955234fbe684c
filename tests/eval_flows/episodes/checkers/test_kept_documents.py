"""Protects that a task about a document earns nothing if more changed in it than was asked, and everything if just that changed. No machine is needed."""

import io
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any

import pytest
from docx.enum.text import WD_BREAK
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Cm, Pt
from PIL import Image

from atomic_tasks.catalog import Catalog
from tests.eval_flows.episodes.states import Change, State, earns, word

Values = Mapping[str, str]
Edit = Callable[[Any, Values], object]
CONTACT, LAST, LOOK = ("new_contact", "duty", "extension"), "Further questions", "This is what it looks like"
CLIPBOARD = "The lamps in the hall are to be replaced."


def paragraph(document: Any, part: str) -> Any:
    return next(one for one in document.paragraphs if part in one.text)


def runs_of(document: Any, part: str) -> Any:
    """The run of just these characters, as selecting them makes one."""
    holding = paragraph(document, part)
    before, _, after = holding.text.partition(part)
    for run in holding.runs[1:]:
        run._r.getparent().remove(run._r)
    holding.runs[0].text = before
    found = holding.add_run(part)
    holding.add_run(after)
    return found


def all_of(*edits: Edit) -> Change:
    def edit(document: Any, values: Values) -> None:
        for one in edits:
            one(document, values)

    return word(edit)


def style(name: str, argument: str) -> Edit:
    return lambda document, values: setattr(paragraph(document, values.get(argument, argument)), "style", name.format(**values))


def layout(argument: str, name: str, value: Callable[[Values], Any]) -> Edit:
    return lambda document, values: setattr(paragraph(document, values.get(argument, argument)).paragraph_format, name, value(values))


def font(argument: str, name: str, value: Callable[[Values], Any]) -> Edit:
    return lambda document, values: setattr(runs_of(document, values.get(argument, argument)).font, name, value(values))


def bold(argument: str) -> Edit:
    def edit(document: Any, values: Values) -> None:
        for run in paragraph(document, values.get(argument, argument)).runs:
            run.bold = True

    return edit


def more(argument: str) -> Edit:
    return lambda document, values: paragraph(document, values.get(argument, argument)).add_run(" And more.")


def doubled(argument: str) -> Edit:
    def edit(document: Any, values: Values) -> None:
        found = paragraph(document, values.get(argument, argument))._p
        found.addnext(deepcopy(found))

    return edit


def line(text: str) -> Edit:
    return lambda document, values: document.add_paragraph(text.format(**values))


def margin(side: str, width: Callable[[Values], Any]) -> Edit:
    return lambda document, values: setattr(document.sections[0], f"{side}_margin", Cm(float(width(values))))


def paper(document: Any, values: Values) -> None:
    width, height = {"A3": (29.7, 42), "A4": (21, 29.7), "A5": (14.8, 21), "Legal": (21.59, 35.56)}[values["paper"]]
    document.sections[0].page_width, document.sections[0].page_height = Cm(width), Cm(height)


def turned(document: Any, _: Values) -> None:
    section = document.sections[0]
    section.page_width, section.page_height = section.page_height, section.page_width


def columns(document: Any, values: Values) -> None:
    document.sections[0]._sectPr.find(qn("w:cols")).set(qn("w:num"), values["column_count"])


def header(document: Any, values: Values) -> None:
    document.sections[0].header.paragraphs[0].text = values["header_text"]


def row(after: int | None = None, table: int = 1) -> Edit:
    def edit(document: Any, values: Values) -> None:
        found = document.tables[table]
        added = found.add_row()
        for cell, name in zip(added.cells, CONTACT, strict=True):
            cell.text = values[name]
        if after is not None:
            found.rows[after]._tr.addnext(added._tr)

    return edit


def table(rows: str = "{rows}", width: str = "{columns}") -> Edit:
    def edit(document: Any, values: Values) -> None:
        document.add_paragraph("")
        document.add_table(int(rows.format(**values)), int(width.format(**values)))

    return edit


def break_before(argument: str) -> Edit:
    return layout(argument, "page_break_before", lambda _: True)


def break_by_character(document: Any, values: Values) -> None:
    paragraph(document, values["section"]).runs[0]._r.insert(0, parse_xml(f'<w:br {nsdecls("w")} w:type="page"/>'))


def break_alone(document: Any, values: Values) -> None:
    paragraph(document, values["section"]).insert_paragraph_before().add_run().add_break(WD_BREAK.PAGE)


def company(document: Any, values: Values) -> None:
    for one in document.paragraphs:
        if "Brightside" in one.text:
            one.runs[0].text = one.text.replace("Brightside Movers", values["mover"])


def moved(document: Any, _: Values) -> None:
    places = [paragraph(document, name) for name in ("Wilson", "Abbott", "Sanders", "Delgado")]
    for place, name in zip(places, ("Abbott", "Delgado", "Sanders", "Wilson"), strict=True):
        place.runs[0].text = name


def contents(document: Any, values: Values) -> None:
    field = f'<w:fldSimple {nsdecls("w")} w:instr=" TOC \\o "><w:r><w:t>Timetable</w:t></w:r></w:fldSimple>'
    title = f"<w:p {nsdecls('w')}><w:r><w:t>{values['contents_title']}</w:t></w:r></w:p>"
    gallery = '<w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
    made = parse_xml(f"<w:sdt {nsdecls('w')}>{gallery}<w:sdtContent>{title}<w:p>{field}</w:p></w:sdtContent></w:sdt>")
    paragraph(document, LAST)._p.addnext(made)


def contents_at_beginning(document: Any, values: Values) -> None:
    contents(document, values)
    found = next(document.element.body.iter(qn("w:sdt")))
    document.element.body.insert(0, deepcopy(found))


def picture(*places: str, stretch: float = 1) -> Change:
    def change(state: State) -> None:
        content = state["Pictures/{picture}"]
        width, height = Image.open(io.BytesIO(content)).size

        def edit(document: Any, _: Values) -> None:
            for place in places:
                drawn = paragraph(document, place).add_run()
                drawn.add_picture(io.BytesIO(content), Pt(width * stretch), Pt(height))

        word(edit)(state)

    return change


def pasted(*texts: str) -> Change:
    def change(state: State) -> None:
        all_of(*(line(text) for text in texts))(state)

    return change


def of(argument: str) -> Callable[[Values], str]:
    return lambda values: values[argument]


def cm(argument: str) -> Callable[[Values], Any]:
    return lambda values: Cm(float(values[argument]))


def yes(_: Values) -> bool:
    return True


HEADING, QUOTATION, CENTRED = style("Heading {level}", "line"), style("Quote", "saying"), layout("remark", "alignment", lambda _: 1)
SIZED = font("rule", "size", lambda values: Pt(int(values["points"])))
MARKED, STRUCK = font("phrase_to_mark", "highlight_color", lambda _: 7), font("cancelled", "strike", yes)
SPACED, INDENTED = layout("This guide", "line_spacing", lambda values: float(values["spacing"])), layout("Every team", "left_indent", cm("indent"))
BOLD_PHRASE = font("phrase", "bold", yes)
MARGINS = (margin("left", of("left_margin")), margin("right", of("right_margin")))


def light_yellow(document: Any, values: Values) -> None:
    runs_of(document, values["phrase_to_mark"])._r.get_or_add_rPr().append(parse_xml(f'<w:shd {nsdecls("w")} w:val="clear" w:fill="FFFFA6"/>'))


def raised(document: Any, values: Values) -> None:
    start = values["area"][:-1]
    found = paragraph(document, start)
    before, _, after = found.text.partition(values["area"])
    found.runs[0].text = before + start
    found.add_run("2").font.superscript = True
    found.add_run(after)


def dated(document: Any, values: Values) -> Any:
    return paragraph(document, "Valid from:").add_run(f" {values['date']}")


EARN: Sequence[tuple[str, str, Change]] = (
    ("replace_company", "there", all_of(company)),
    ("make_heading", "by its style", all_of(HEADING)),
    ("make_heading", "by an outline level", word(lambda document, values: paragraph(document, values["line"])._p.get_or_add_pPr().append(parse_xml(f'<w:outlineLvl {nsdecls("w")} w:val="{int(values["level"]) - 1}"/>')))),
    ("set_quotation", "by its style", all_of(QUOTATION)),
    ("bold_phrase", "directly", all_of(BOLD_PHRASE)),
    ("bold_phrase", "by a character style", word(lambda document, values: setattr(runs_of(document, values["phrase"]), "style", "Strong"))),
    ("strike_sentence", "directly", all_of(STRUCK)),
    ("set_font_size", "directly", all_of(SIZED)),
    ("highlight_phrase", "directly", all_of(MARKED)),
    ("highlight_phrase", "in a light yellow", word(light_yellow)),
    ("raise_exponent", "directly", all_of(raised)),
    ("centre_paragraph", "directly", all_of(CENTRED)),
    ("set_line_spacing", "directly", all_of(SPACED)),
    ("indent_paragraph", "directly", all_of(INDENTED)),
    ("number_list", "by a style", all_of(*(style("List Number", one) for one in ("Empty your", "Take down", "Return borrowed")))),
    ("sort_lines", "there", all_of(moved)),
    ("add_table_row", "at the end", all_of(row())),
    ("insert_table", "at the end", all_of(table())),
    ("break_page", "by a format", all_of(break_before("section"))),
    ("break_page", "by a character", all_of(break_by_character)),
    ("break_page", "by a character in a paragraph before it", all_of(break_alone)),
    ("break_page", "by both, which is one break", all_of(break_by_character, break_before("section"))),
    ("write_header", "which takes from the margin", all_of(header, margin("top", lambda _: 3.6))),
    ("set_paper", "upright", all_of(paper)),
    ("set_margins", "these two", all_of(*MARGINS)),
    ("set_columns", "upright", all_of(columns)),
    ("fill_in_date", "there", all_of(dated)),
    ("insert_picture", "at the line", picture(LOOK)),
    ("paste_clipboard", "as a paragraph", pasted(CLIPBOARD)),
    ("paste_clipboard", "after an empty paragraph", pasted("", CLIPBOARD, "")),
    ("insert_contents", "at the end", all_of(contents)),
)  # fmt: skip

EARN_NOT: Sequence[tuple[str, str, Change]] = (
    ("replace_company", "in bold", all_of(company, bold("mover"))),
    ("replace_company", "and a line more", all_of(company, line("{mover} again"))),
    ("make_heading", "with text added", all_of(HEADING, more("line"))),
    ("make_heading", "italic", all_of(HEADING, font("line", "italic", yes))),
    ("set_quotation", "bold", all_of(QUOTATION, bold("saying"))),
    ("set_quotation", "with text added", all_of(QUOTATION, more("saying"))),
    ("set_quotation", "twice", all_of(QUOTATION, doubled("saying"))),
    ("bold_phrase", "in another size", all_of(BOLD_PHRASE, font("phrase", "size", lambda _: Pt(20)))),
    ("strike_sentence", "with text added", all_of(STRUCK, more("cancelled"))),
    ("strike_sentence", "bold", all_of(STRUCK, bold("cancelled"))),
    ("set_font_size", "bold", all_of(SIZED, bold("rule"))),
    ("set_font_size", "centred", all_of(SIZED, layout("rule", "alignment", lambda _: 1))),
    ("highlight_phrase", "bold", all_of(MARKED, bold("phrase_to_mark"))),
    ("highlight_phrase", "in green", all_of(font("phrase_to_mark", "highlight_color", lambda _: 4))),
    ("highlight_phrase", "in white", word(lambda document, values: runs_of(document, values["phrase_to_mark"])._r.get_or_add_rPr().append(parse_xml(f'<w:shd {nsdecls("w")} w:val="clear" w:fill="FFFFFF"/>')))),
    ("raise_exponent", "bold", all_of(raised, bold("The open office"))),
    ("centre_paragraph", "twice", all_of(CENTRED, doubled("remark"))),
    ("centre_paragraph", "bold", all_of(CENTRED, bold("remark"))),
    ("set_line_spacing", "with its end lost", all_of(SPACED, lambda document, _: setattr(paragraph(document, "This guide").runs[0], "text", "This guide tells everybody nothing."))),
    ("set_line_spacing", "with space above", all_of(SPACED, layout("This guide", "space_before", lambda _: Pt(30)))),
    ("indent_paragraph", "on the right too", all_of(INDENTED, layout("Every team", "right_indent", cm("indent")))),
    ("indent_paragraph", "with other spacing", all_of(INDENTED, layout("Every team", "line_spacing", lambda _: 3.0))),
    ("number_list", "in bold", all_of(*(style("List Number", one) for one in ("Empty your", "Take down", "Return borrowed")), bold("Take down"))),
    ("sort_lines", "in bold", all_of(moved, bold("Abbott"))),
    ("sort_lines", "and a copy elsewhere", all_of(moved, line("Wilson"))),
    ("add_table_row", "between the others", all_of(row(after=1))),
    ("add_table_row", "in the other table too", all_of(row(), row(table=0))),
    ("insert_table", "after a wrong one", all_of(table("2", "2"), table())),
    ("break_page", "twice", all_of(break_before("section"), break_alone)),
    ("write_header", "with another side margin", all_of(header, margin("left", lambda _: 8))),
    ("set_paper", "landscape", all_of(paper, turned)),
    ("set_margins", "top too", all_of(*MARGINS, margin("top", lambda _: 5))),
    ("set_columns", "landscape", all_of(columns, turned)),
    ("fill_in_date", "in bold", word(lambda document, values: setattr(dated(document, values), "bold", True))),
    ("fill_in_date", "and the line twice", all_of(dated, doubled("Valid from:"))),
    ("insert_picture", "twice", picture(LOOK, LOOK)),
    ("insert_picture", "and elsewhere", picture(LOOK, "The roof terrace")),
    ("insert_picture", "distorted", picture(LOOK, stretch=2)),
    ("paste_clipboard", "twice", pasted(CLIPBOARD, CLIPBOARD)),
    ("paste_clipboard", "with a line before it", pasted("Also:", CLIPBOARD)),
    ("insert_contents", "at the beginning too", all_of(contents_at_beginning)),
)  # fmt: skip


@pytest.fixture(autouse=True)
def clipboard(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is on the clipboard stays there."""
    monkeypatch.setattr("tests.eval_flows.episodes.desktops.Files.clipboard", CLIPBOARD)


@pytest.mark.parametrize(("task", "way", "change"), EARN, ids=[f"{task}: {way}" for task, way, _ in EARN])
def test_what_was_asked_earns_the_reward(task: str, way: str, change: Change, catalog: Catalog) -> None:
    assert earns(catalog, f"libreoffice_writer.{task}", change), way


@pytest.mark.parametrize(("task", "way", "change"), EARN_NOT, ids=[f"{task}: {way}" for task, way, _ in EARN_NOT])
def test_more_than_was_asked_earns_nothing(task: str, way: str, change: Change, catalog: Catalog) -> None:
    assert not earns(catalog, f"libreoffice_writer.{task}", change), way
