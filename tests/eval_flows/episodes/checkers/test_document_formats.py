"""Protects that a format of a document counts wherever it is set: directly, by a style, by what a style is based on, by the document's defaults."""

import io
from collections.abc import Callable
from typing import Any

import docx
import pytest
from docx.enum.section import WD_ORIENT, WD_SECTION
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn

from eval_flows.episodes.checkers.getters import get
from tests.eval_flows.episodes.desktops import desktop

WORDS = "These few words"
Document = Any


def told(document: Document, what: str) -> Any:
    document.save(file := io.BytesIO())
    return get(desktop({"f": file.getvalue()}), "document", {"path": "f", "what": what})


def properties(kind: str, inner: str) -> Any:
    return parse_xml(f"<w:{kind} {nsdecls('w')}>{inner}</w:{kind}>")


def add_style(document: Document, name: str, kind: str, inner: str = "", based_on: str = "", of: str = "rPr") -> None:
    based = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    document.styles.element.append(
        parse_xml(f'<w:style {nsdecls("w")} w:type="{kind}" w:styleId="{name}"><w:name w:val="{name}"/>{based}<w:{of}>{inner}</w:{of}></w:style>')
    )


def set_properties(element: Any, kind: str, inner: str) -> None:
    for old in element.findall(qn(f"w:{kind}")):
        element.remove(old)
    element.insert(0, properties(kind, inner))


def made(way: str, of: str, inner: str) -> Document:
    """A document whose paragraph has a format (`rPr` or `pPr`) in that way."""
    document = docx.Document()
    paragraph = document.add_paragraph(WORDS)
    run = paragraph.runs[0]
    if way == "directly":
        set_properties(run._r if of == "rPr" else paragraph._p, of, inner)
    elif way in ("by a character style", "by what a character style is based on"):
        add_style(document, "Base", "character", inner)
        add_style(document, "Derived", "character", based_on="Base")
        set_properties(run._r, "rPr", f'<w:rStyle w:val="{"Base" if way == "by a character style" else "Derived"}"/>')
    elif way in ("by a paragraph style", "by what a paragraph style is based on"):
        add_style(document, "Base", "paragraph", inner, of=of)
        add_style(document, "Derived", "paragraph", based_on="Base")
        set_properties(paragraph._p, "pPr", f'<w:pStyle w:val="{"Base" if way == "by a paragraph style" else "Derived"}"/>')
    elif way == "by the ordinary style":
        set_properties(document.styles["Normal"].element, of, inner)
    else:
        defaults = document.styles.element.find(qn("w:docDefaults")).find(qn(f"w:{of}Default"))
        set_properties(defaults, of, inner)
    return document


OF_PARAGRAPHS = ["directly", "by a paragraph style", "by what a paragraph style is based on", "by the ordinary style", "by default"]
OF_CHARACTERS = [*OF_PARAGRAPHS, "by a character style", "by what a character style is based on"]


@pytest.mark.parametrize("way", OF_CHARACTERS)
@pytest.mark.parametrize(
    ("what", "inner", "wanted"),
    [
        ("bold", "<w:b/>", True),
        ("italic", "<w:i/>", True),
        ("strike", "<w:strike/>", True),
        ("strike", "<w:dstrike/>", True),
        ("underline", '<w:u w:val="dash"/>', True),
        ("size", '<w:sz w:val="33"/>', 16.5),
        ("font", '<w:rFonts w:ascii="Gentium"/>', "Gentium"),
        ("colour", '<w:color w:val="C00000"/>', "#c00000"),
        ("colour", '<w:color w:val="auto" w:themeColor="accent1"/>', "#4f81bd"),
        ("highlight", '<w:highlight w:val="yellow"/>', "yellow"),
        ("highlight", '<w:shd w:val="clear" w:fill="FFFF00"/>', "yellow"),
        ("superscript", '<w:vertAlign w:val="superscript"/>', WORDS),
        ("superscript", '<w:position w:val="6"/>', WORDS),
    ],
)
def test_a_format_of_characters_counts_wherever_it_is_set(way: str, what: str, inner: str, wanted: Any) -> None:
    assert told(made(way, "rPr", inner), f"{what}.{WORDS}") == wanted
    assert told(made(way, "rPr", ""), f"{what}.{WORDS}") != wanted


@pytest.mark.parametrize("way", OF_PARAGRAPHS)
@pytest.mark.parametrize(
    ("what", "inner", "wanted"),
    [
        ("align", '<w:jc w:val="center"/>', "center"),
        ("align", '<w:jc w:val="both"/>', "justify"),
        ("line_spacing", '<w:spacing w:line="360" w:lineRule="auto"/>', 1.5),
        ("line_spacing", '<w:spacing w:line="280" w:lineRule="exact"/>', "exactly 14 pt"),
        ("space_before", '<w:spacing w:before="120"/>', 6),
        ("space_after", '<w:spacing w:after="340"/>', 17),
        ("indent", '<w:ind w:left="567"/>', pytest.approx(1, abs=0.01)),
        ("indent", '<w:ind w:start="567"/>', pytest.approx(1, abs=0.01)),
        ("first_line", '<w:ind w:firstLine="567"/>', pytest.approx(1, abs=0.01)),
        ("first_line", '<w:ind w:hanging="567"/>', pytest.approx(-1, abs=0.01)),
        ("heading_level", '<w:outlineLvl w:val="1"/>', 2),
        ("page_break_before", "<w:pageBreakBefore/>", True),
        ("list_kind", '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="8"/></w:numPr>', "decimal"),
    ],
)
def test_a_format_of_paragraphs_counts_wherever_it_is_set(way: str, what: str, inner: str, wanted: Any) -> None:
    assert told(made(way, "pPr", inner), f"{what}.{WORDS}") == wanted
    assert told(made(way, "pPr", ""), f"{what}.{WORDS}") != wanted


@pytest.mark.parametrize(
    ("paragraph_style", "character_style", "direct", "wanted"),
    [
        ("<w:b/>", "<w:b/>", "", False),
        ("<w:b/>", '<w:b w:val="0"/>', "", True),
        ("", "<w:b/>", "", True),
        ("<w:b/>", "<w:b/>", "<w:b/>", True),
        ("<w:b/>", "", '<w:b w:val="false"/>', False),
    ],
)
def test_bold_by_two_kinds_of_styles_is_not_bold_and_a_direct_format_decides(
    paragraph_style: str, character_style: str, direct: str, wanted: bool
) -> None:
    document = made("by a paragraph style", "rPr", paragraph_style)
    add_style(document, "Character", "character", character_style)
    set_properties(document.paragraphs[-1].runs[0]._r, "rPr", f'<w:rStyle w:val="Character"/>{direct}')
    assert told(document, f"bold.{WORDS}") is wanted


def test_styles_that_are_based_on_each_other_in_a_circle_end() -> None:
    document = made("by what a paragraph style is based on", "rPr", "<w:b/>")
    base = next(one for one in document.styles.element if one.get(qn("w:styleId")) == "Base")
    base.insert(1, parse_xml(f'<w:basedOn {nsdecls("w")} w:val="Derived"/>'))
    assert told(document, f"bold.{WORDS}") is True


def test_each_part_of_a_format_comes_from_where_it_is_set_nearest() -> None:
    document = made("by a paragraph style", "pPr", '<w:spacing w:before="200" w:after="200"/><w:ind w:left="567"/>')
    document.paragraphs[-1]._p.pPr.append(parse_xml(f'<w:spacing {nsdecls("w")} w:after="40"/>'))
    assert [told(document, f"{what}.{WORDS}") for what in ("space_before", "space_after")] == [10, 2]
    assert told(document, f"indent.{WORDS}") == pytest.approx(1, abs=0.01)


def test_only_the_characters_that_have_a_format_count() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("one ")
    for text, bold in (("two ", True), ("three", None), (" four", True)):
        paragraph.add_run(text).bold = bold
    document.add_heading("A heading is bold by itself")
    document.add_paragraph().add_run("elsewhere").bold = True
    assert told(document, "bold.one two") is None and told(document, "bold.two") is True
    assert told(document, "bold_texts.three") == ["two", "four"] and told(document, "bold_texts") == ["two", "four", "elsewhere"]


def test_headings_are_those_by_style_and_by_outline_level() -> None:
    document = docx.Document()
    document.add_heading("By style", 2)
    document.add_paragraph("By level")._p.get_or_add_pPr().append(parse_xml(f'<w:outlineLvl {nsdecls("w")} w:val="2"/>'))
    document.add_paragraph("Bold and large").runs[0].bold = True
    assert told(document, "headings") == ["By style", "By level"]
    levels = [told(document, f"heading_level.{text}") for text in ("By style", "By level", "Bold and large")]
    assert levels == [2, 3, None]


def test_numbers_of_lists_go_on_within_a_list_and_begin_anew_where_one_is_restarted() -> None:
    document = docx.Document()
    for text in ("first", "second"):
        document.add_paragraph(text, "List Number")
    document.add_paragraph("point", "List Bullet")
    document.add_paragraph("plain")
    document.add_paragraph("third", "List Number")
    restarted = document.part.numbering_part.element
    own = document.styles["List Number"].element.pPr.numPr.numId.val
    abstract = next(one for one in restarted.findall(qn("w:num")) if one.get(qn("w:numId")) == str(own)).find(qn("w:abstractNumId")).get(qn("w:val"))
    override = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    restarted.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="99"><w:abstractNumId w:val="{abstract}"/>{override}</w:num>'))
    again = document.add_paragraph("anew")
    again._p.get_or_add_pPr().append(parse_xml(f'<w:numPr {nsdecls("w")}><w:ilvl w:val="0"/><w:numId w:val="99"/></w:numPr>'))
    assert told(document, "numbered") == ["1 first", "2 second", "3 third", "1 anew"]
    assert told(document, "lists") == ["first", "second", "point", "third", "anew"]
    assert [told(document, f"list_kind.{text}") for text in ("point", "plain")] == ["bullet", None]


def test_a_list_indents_its_paragraphs_unless_they_say_otherwise() -> None:
    document = docx.Document()
    document.add_paragraph("in a list", "List Number")
    listed = told(document, "indent.in a list")
    document.paragraphs[-1].paragraph_format.left_indent = docx.shared.Cm(3)
    assert listed > 0 and told(document, "indent.in a list") == pytest.approx(3, abs=0.01)


def in_two_sections(change: Callable[[Any], None]) -> Document:
    document = docx.Document()
    document.add_paragraph("first part")
    document.add_section(WD_SECTION.NEW_PAGE)
    document.add_paragraph("second part")
    change(document.sections[-1])
    return document


def turned(section: Any) -> None:
    section.page_width = docx.shared.Cm(40)


def widened(section: Any) -> None:
    section.left_margin = docx.shared.Cm(4)


def divided(section: Any) -> None:
    section._sectPr.find(qn("w:cols")).set(qn("w:num"), "2")


def on_a4(section: Any) -> None:
    section.page_width, section.page_height = docx.shared.Cm(21), docx.shared.Cm(29.7)


@pytest.mark.parametrize(
    ("what", "change", "wanted"),
    [("orientation", turned, "landscape"), ("margin_left", widened, pytest.approx(4, abs=0.01)), ("columns", divided, 2), ("paper", on_a4, "A4")],
)
def test_what_is_said_of_the_pages_holds_of_all_of_them(what: str, change: Callable[[Any], None], wanted: Any) -> None:
    document = in_two_sections(change)
    assert told(document, what) is None
    change(document.sections[0])
    assert told(document, what) == wanted


def test_pages_lie_on_their_side_by_their_size_and_not_by_a_word_in_the_file() -> None:
    document = docx.Document()
    document.sections[0].orientation = WD_ORIENT.LANDSCAPE
    assert told(document, "orientation") == "portrait"


def test_a_header_is_that_of_every_page() -> None:
    document = docx.Document()
    section = document.sections[0]
    section.header.paragraphs[0].text = "Draft"
    assert told(document, "header") == "Draft"
    section.different_first_page_header_footer = True
    assert told(document, "header") is None
    section.first_page_header.paragraphs[0].text = "Draft"
    assert told(document, "header") == "Draft"


def test_fields_of_both_kinds_are_read() -> None:
    document = docx.Document()
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), " PAGE ")
    field.append(parse_xml(f"<w:r {nsdecls('w')}><w:t>1</w:t></w:r>"))
    paragraph = document.sections[0].footer.paragraphs[0]
    paragraph.add_run("Sheet ")
    paragraph._p.append(field)
    assert told(document, "footer_fields") == ["PAGE"] and told(document, "footer") == "Sheet 1"
