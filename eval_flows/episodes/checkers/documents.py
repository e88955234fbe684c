"""Getters of .docx documents: their content, and the formats that hold in it."""

from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any

import docx
from docx.oxml import parse_xml
from docx.oxml.ns import qn

from eval_flows.episodes.checkers.care import unpacked
from eval_flows.episodes.checkers.checker import Checkers
from eval_flows.episodes.checkers.document_drawings import drawn_stretch, drawn_times, picture_after
from eval_flows.episodes.checkers.document_formats import Formats, characters, text_of
from eval_flows.episodes.checkers.document_pages import at_edge, columns, edge_text, of_pages, paper

Node = Any


def of_document(content: bytes, what: str) -> Any:
    """Return a property of a document: see checkers.yaml."""
    document = docx.Document(unpacked(content))
    kind, _, rest = what.partition(".")
    if kind == "column":
        return _table_column(document, rest)
    return _of_text(document, kind, rest) if rest else _WHOLE[kind](document)


def _table_column(document: Any, name: str) -> list[str] | None:
    """Return the texts of the first column, with the top row, of a table that begins with the name."""
    for table in document.tables:
        for cells in zip(*([cell.text for cell in row.cells] for row in table.rows), strict=False):
            if cells[0] == name:
                return list(cells)
    return None


def _of_text(document: Any, kind: str, text: str) -> Any:
    """Return a property of the first paragraph that contains the text, or of the text's characters in it if they all agree."""
    holding = next((one for one in _paragraphs(document) if text in text_of(one)), None)
    if holding is None:
        return None
    if kind in _OF_PARAGRAPH:
        return _OF_PARAGRAPH[kind](document, holding)
    formats, start = Formats(document), text_of(holding).index(text)
    if kind in _STRETCHES:
        return _stretches(formats, holding, _STRETCHES[kind])
    runs = [run for _, run in characters(holding)[start : start + len(text)]]
    if kind == "superscript":
        return "".join(character for character, run in zip(text, runs, strict=True) if formats.is_raised(run))
    found = [_OF_RUN[kind](formats, run) for run in runs]
    return found[0] if all(value == found[0] for value in found) else None


def _paragraphs(document: Any) -> list[Node]:
    """Return the paragraphs of the main text, without those in tables, frames and generated indexes."""
    return [one._p for one in document.paragraphs]


def _stretches(formats: Formats, paragraph: Node, has: Callable[[Formats, Node], bool]) -> list[str]:
    """Return the parts of a paragraph whose characters have a format, without spaces at their ends."""
    parts = groupby(characters(paragraph), lambda pair: has(formats, pair[1]))
    texts = ["".join(character for character, _ in part).strip() for formatted, part in parts if formatted]
    return [text for text in texts if text]


def _bold_texts(document: Any) -> list[str]:
    """Return the bold texts in paragraphs that are not headings."""
    formats = Formats(document)
    plain = [one for one in _paragraphs(document) if formats.heading_level(one) is None]
    return [text for one in plain for text in _stretches(formats, one, _STRETCHES["bold_texts"])]


def _list_kind(document: Any, paragraph: Node) -> str | None:
    """Return how a list numbers the paragraph: decimal, lowerLetter, bullet and so on; None if it is in no list."""
    formats = Formats(document)
    place = formats.in_list(paragraph)
    return None if place is None else formats.numbering.kind(*place)


def _listed(document: Any) -> list[tuple[Node, tuple[str, int]]]:
    """Return the paragraphs in lists that show a number or a bullet, with their places in the lists."""
    formats = Formats(document)
    places = [(one, formats.in_list(one)) for one in _xml(document, "w:p")]
    return [(one, place) for one, place in places if place is not None and formats.numbering.kind(*place) is not None]


def _numbered(document: Any) -> list[str]:
    """Return the paragraphs in decimal lists with their numbers."""
    numbering = Formats(document).numbering
    decimal = [(one, place) for one, place in _listed(document) if numbering.kind(*place) == "decimal"]
    return [f"{number} {text_of(one)}" for (one, _), number in zip(decimal, numbering.numbers(place for _, place in decimal), strict=True)]


def _breaks_before(document: Any, paragraph: Node) -> bool:
    """Tell whether a page begins right before the paragraph: by its format, a break at its start or just before it, or a section."""
    if Formats(document).begins_page(paragraph):
        return True
    before = paragraph.getprevious()
    own, others = _breaks_and_texts(paragraph), [] if before is None else _breaks_and_texts(before)
    section = None if before is None else next(before.iter(qn("w:sectPr")), None)
    kind = None if section is None else section.find(qn("w:type"))
    if section is not None and (kind is None or kind.get(qn("w:val")) == "nextPage"):
        return True
    return any(_is_page_break(node) for node in (*own[:1], *others[-1:]))


def _breaks_and_texts(paragraph: Node) -> list[Node]:
    """Return the breaks of a paragraph and what is written in it, in their order."""
    return [node for node in paragraph.iter(qn("w:br"), qn("w:t")) if node.tag == qn("w:br") or node.text]


def _is_page_break(node: Node) -> bool:
    return bool(node.tag == qn("w:br") and node.get(qn("w:type")) == "page")


def _page_breaks(document: Any) -> int:
    """Return how often the text goes on on a new page: by a break, by the format of a paragraph (once, where it has both), or by a section."""
    formats, found = Formats(document), 0
    for one in _xml(document, "w:p"):
        breaks = [_is_page_break(node) for node in _breaks_and_texts(one)]
        found += sum(breaks) + (formats.begins_page(one) and not any(breaks[:1]))
        for section in one.iter(qn("w:sectPr")):
            kind = section.find(qn("w:type"))
            found += kind is None or kind.get(qn("w:val")) != "continuous"
    return found


def _links(document: Any, paragraph: Node) -> list[str]:
    found = next(one for one in document.paragraphs if one._p is paragraph)
    return [f"{one.text}: {one.address}" for one in found.hyperlinks]


def _text_after(document: Any, paragraph: Node) -> str:
    """Return the texts of the paragraphs after it, a line each, without empty ones."""
    after = [text_of(one) for one in paragraph.itersiblings(qn("w:p"))]
    return "\n".join(text for text in after if text.strip())


def _contents_after(paragraph: Node) -> bool:
    """Tell whether a generated table of contents comes somewhere after the paragraph."""
    return any(code.startswith("TOC") for one in paragraph.itersiblings() for code in _codes(one))


_STRETCHES: Mapping[str, Callable[[Formats, Node], bool]] = {
    "bold_texts": lambda formats, run: formats.toggle(run, "bold"),
    "struck_texts": lambda formats, run: formats.toggle(run, "strike"),
    "highlighted_texts": lambda formats, run: formats.highlight(run) is not None,
}
_OF_PARAGRAPH: Mapping[str, Callable[[Any, Node], Any]] = {
    "style": lambda document, one: Formats(document).style(one),
    "heading_level": lambda document, one: Formats(document).heading_level(one),
    "align": lambda document, one: Formats(document).alignment(one),
    "line_spacing": lambda document, one: Formats(document).line_spacing(one),
    "space_before": lambda document, one: Formats(document).space(one, "before"),
    "space_after": lambda document, one: Formats(document).space(one, "after"),
    "indent": lambda document, one: Formats(document).indent(one),
    "first_line": lambda document, one: Formats(document).first_line(one),
    "text": lambda _, one: text_of(one),
    "list_kind": _list_kind,
    "page_break_before": _breaks_before,
    "links": _links,
    "text_after": _text_after,
    "picture_after": lambda document, one: picture_after(document, one, "pixels"),
    "picture_stretch": drawn_stretch,
    "table_after": lambda _, one: any(after.tag == qn("w:tbl") for after in one.itersiblings()),
    "contents_after": lambda _, one: _contents_after(one),
}
_OF_RUN: Mapping[str, Callable[[Formats, Node], Any]] = {
    "bold": lambda formats, run: formats.toggle(run, "bold"),
    "italic": lambda formats, run: formats.toggle(run, "italic"),
    "strike": lambda formats, run: formats.toggle(run, "strike"),
    "underline": lambda formats, run: formats.underline(run),
    "size": lambda formats, run: formats.size(run),
    "font": lambda formats, run: formats.font(run),
    "colour": lambda formats, run: formats.colour(run),
    "highlight": lambda formats, run: formats.highlight(run),
}


def _codes(node: Node) -> list[str]:
    """Return the codes of the fields in a part of a document, such as PAGE."""
    fields = node.iter(qn("w:instrText"), qn("w:fldSimple"))
    return [((one.text if one.tag == qn("w:instrText") else one.get(qn("w:instr"))) or "").strip() for one in fields]


def _part(document: Any, ending: str) -> Any:
    """Return the root of a part that python-docx does not know, such as footnotes."""
    return next((parse_xml(part.blob) for part in document.part.package.iter_parts() if str(part.partname).endswith(ending)), None)


def _footnotes(document: Any) -> list[str]:
    """Return the texts of the notes that the text refers to, in text order."""
    notes = _part(document, "/footnotes.xml")
    texts = {
        one.get(qn("w:id")): "".join(node.text or "" for node in one.iter(qn("w:t"))).strip()
        for one in (() if notes is None else notes.iter(qn("w:footnote")))
    }
    return [texts.get(node.get(qn("w:id")), "") for node in _xml(document, "w:footnoteReference")]


def _before_footnotes(document: Any) -> list[str]:
    """Return the text of each paragraph that refers to footnotes, with [note] at each reference."""
    mark = qn("w:footnoteReference")
    told = ["".join("[note]" if node.tag == mark else node.text or "" for node in one.iter(qn("w:t"), mark)) for one in _xml(document, "w:p")]
    return [text for text in told if "[note]" in text]


def _commented(document: Any) -> list[str]:
    """Return each comment with the text in its range."""
    texts = {str(one.comment_id): one.text for one in document.comments}
    about: dict[str, str] = {}
    running: list[str] = []
    for node in document.element.body.iter(qn("w:commentRangeStart"), qn("w:commentRangeEnd"), qn("w:t")):
        number = node.get(qn("w:id"))
        if node.tag == qn("w:commentRangeStart"):
            running.append(number)
            about[number] = ""
        elif node.tag == qn("w:commentRangeEnd"):
            running.remove(number)
        else:
            about.update({one: about[one] + (node.text or "") for one in running})
    return [f"{text}: {texts.get(number, '')}" for number, text in about.items()]


def _tracked(document: Any, change: str, text: str) -> list[str]:
    """Return the texts of tracked changes, without spaces at their ends; adjacent changes are joined."""
    found: list[str] = []
    before = None
    for node in _xml(document, change):
        told = "".join(one.text or "" for one in node.iter(qn(text)))
        if before is not None and node.getprevious() is before:
            found[-1] += told
        else:
            found.append(told)
        before = node
    return [one.strip() for one in found if one.strip()]


def _xml(document: Any, name: str) -> list[Any]:
    return list(document.element.body.iter(qn(name)))


_WHOLE: Mapping[str, Callable[[Any], Any]] = {
    "paragraphs": lambda document: [text_of(one) for one in _paragraphs(document)],
    "last_paragraph": lambda document: next((text for one in reversed(_paragraphs(document)) if (text := text_of(one))), None),
    "headings": lambda document: [text_of(one) for one in _paragraphs(document) if Formats(document).heading_level(one) is not None],
    "lists": lambda document: [text_of(one) for one, _ in _listed(document)],
    "numbered": _numbered,
    "bold_texts": _bold_texts,
    "tables": lambda document: [[[cell.text for cell in row.cells] for row in table.rows] for table in document.tables],
    "header": lambda document: edge_text(document, "header"),
    "footer": lambda document: edge_text(document, "footer"),
    "footer_fields": lambda document: [code for found in at_edge(document, "footer") for code in _codes(found._element)],
    "texts": lambda document: ["".join(node.text or "" for node in one.iter(qn("w:t"))) for one in _xml(document, "w:p")],
    "page_width": lambda document: of_pages(document, lambda section: section.page_width.cm),
    "page_height": lambda document: of_pages(document, lambda section: section.page_height.cm),
    "orientation": lambda document: of_pages(document, lambda section: "landscape" if section.page_width > section.page_height else "portrait"),
    "margin_left": lambda document: of_pages(document, lambda section: section.left_margin.cm),
    "margin_right": lambda document: of_pages(document, lambda section: section.right_margin.cm),
    "margin_top": lambda document: of_pages(document, lambda section: section.top_margin.cm),
    "margin_bottom": lambda document: of_pages(document, lambda section: section.bottom_margin.cm),
    "paper": lambda document: of_pages(document, paper),
    "columns": lambda document: of_pages(document, columns),
    "rows": lambda document: [[cell.text for cell in row.cells] for table in document.tables for row in table.rows],
    "table_sizes": lambda document: [f"{len(table.rows)} x {len(table.columns)}" for table in document.tables],
    "page_breaks": _page_breaks,
    "links": lambda document: sorted(part.target_ref for part in document.part.rels.values() if "hyperlink" in part.reltype),
    "pictures": lambda document: len(list(document.part.package.image_parts)),
    "pictures_shown": drawn_times,
    "comments": lambda document: [comment.text for comment in document.comments],
    "commented": _commented,
    "footnotes": _footnotes,
    "footnoted": _before_footnotes,
    "deleted": lambda document: _tracked(document, "w:del", "w:delText"),
    "inserted": lambda document: _tracked(document, "w:ins", "w:t"),
    "tracks_changes": lambda document: document.settings.element.find(qn("w:trackRevisions")) is not None,
    "fields": lambda document: _codes(document.element.body),
    "tables_of_contents": lambda document: sum(code.startswith("TOC") for code in _codes(document.element.body)),
    "subject": lambda document: document.core_properties.subject,
    "keywords": lambda document: document.core_properties.keywords,
    "title": lambda document: document.core_properties.title,
    "author": lambda document: document.core_properties.author,
}


def of_open_document(document: Any, what: str) -> Any:
    """Return a property of a whole document that is open already: whoever asks for many opens it once."""
    return _WHOLE[what](document)


CHECKERS = Checkers(
    of_files={
        "document": lambda content, asked: of_document(content, asked["what"]),
    }
)
