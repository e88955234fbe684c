"""Getters of documents, by python-docx."""

from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any

import docx
from docx.oxml import parse_xml
from docx.oxml.ns import qn

from eval_flows.episodes.checkers import files
from eval_flows.episodes.checkers.care import unpacked

Json = Mapping[str, Any]


def of_document(content: bytes, what: str) -> Any:
    """A property of a document: see checkers.yaml."""
    document = docx.Document(unpacked(content))
    kind, _, rest = what.partition(".")
    if kind == "column":
        return _table_column(document, rest)
    return _of_paragraph(document, kind, rest) if rest else _WHOLE[kind](document)


def _table_column(document: Any, name: str) -> list[str] | None:
    """The texts, that in the top row included, of the first column of a table that begins with the name."""
    for table in document.tables:
        for cells in zip(*([cell.text for cell in row.cells] for row in table.rows), strict=False):
            if cells[0] == name:
                return list(cells)
    return None


def _of_paragraph(document: Any, kind: str, text: str) -> Any:
    """A property of the first paragraph that holds the text, or of the characters of the text in it where they agree."""
    holding = next((one for one in document.paragraphs if text in one.text), None)
    if holding is None:
        return None
    if kind in _OF_PARAGRAPH:
        return _OF_PARAGRAPH[kind](document, holding)
    start = holding.text.index(text)
    runs = _by_character(holding)[start : start + len(text)]
    if kind == "superscript":
        return "".join(character for character, run in zip(text, runs, strict=False) if run.font.superscript)
    found = [_OF_RUN[kind](run) for run in runs]
    return found[0] if found and all(value == found[0] for value in found) else None


def _by_character(paragraph: Any) -> list[Any]:
    """The run that each character of the paragraph's text stands in."""
    inner = [part for one in paragraph.iter_inner_content() for part in (one.runs if hasattr(one, "runs") else [one])]
    return [run for run in inner for _ in run.text]


def _bold_texts(_: Any, paragraph: Any) -> list[str]:
    """The stretches of the paragraph that are bold, from one that is not to the next."""
    pairs = zip(paragraph.text, _by_character(paragraph), strict=False)
    return ["".join(character for character, _ in part) for bold, part in groupby(pairs, lambda pair: bool(pair[1].font.bold)) if bold]


def _points(length: Any) -> float | None:
    return None if length is None else length.pt


def _list_kind(document: Any, paragraph: Any) -> str | None:
    """How a list numbers the paragraph: decimal, lowerLetter, bullet and so on; nothing where it is in no list."""
    numbered = paragraph._p.pPr.numPr if paragraph._p.pPr is not None else None
    if numbered is None or numbered.numId is None or numbered.numId.val == 0:
        return None
    root = document.part.numbering_part.element
    level = str(numbered.ilvl.val if numbered.ilvl is not None else 0)
    for one in root.iter(qn("w:num")):
        if one.get(qn("w:numId")) == str(numbered.numId.val):
            wanted = one.find(qn("w:abstractNumId")).get(qn("w:val"))
            kinds = [
                found.find(qn("w:numFmt")).get(qn("w:val"))
                for abstract in root.iter(qn("w:abstractNum"))
                if abstract.get(qn("w:abstractNumId")) == wanted
                for found in abstract.iter(qn("w:lvl"))
                if found.get(qn("w:ilvl")) == level
            ]
            return kinds[0] if kinds else None
    return None


def _breaks_before(document: Any, paragraph: Any) -> bool:
    """Whether a page break comes right before the paragraph: in its format, at its start, or at the end of what stands before it."""
    if paragraph.paragraph_format.page_break_before:
        return True
    before = paragraph._p.getprevious()
    own = [node for node in paragraph._p.iter(qn("w:br"), qn("w:t")) if node.tag == qn("w:br") or node.text]
    others = [node for node in before.iter(qn("w:br"), qn("w:t")) if node.tag == qn("w:br") or node.text] if before is not None else []
    near = [*own[:1], *others[-1:]]
    return any(node.tag == qn("w:br") and node.get(qn("w:type")) == "page" for node in near)


def _link(document: Any, paragraph: Any) -> list[str]:
    return [f"{one.text}: {one.address}" for one in paragraph.hyperlinks]


def _picture_after(document: Any, paragraph: Any) -> str | None:
    """The pixels, as a picture's, of the first picture that is anchored in the paragraph or in the one after it."""
    after = paragraph._p.getnext()
    drawn = [picture for one in (paragraph._p, after) if one is not None for picture in one.iter(qn("a:blip"))]
    return files.of_picture(document.part.related_parts[drawn[0].get(qn("r:embed"))].blob, "pixels") if drawn else None


def _table_after(document: Any, paragraph: Any) -> bool:
    return any(one.tag == qn("w:tbl") for one in paragraph._p.itersiblings())


def _contents_after(document: Any, paragraph: Any) -> bool:
    """Whether a generated table of contents comes somewhere after the paragraph."""
    return any((node.text or "").strip().startswith("TOC") for one in paragraph._p.itersiblings() for node in one.iter(qn("w:instrText")))


def _highlight(run: Any) -> str | None:
    """The highlighter's colour: as such, or as the shading that other programs write for it."""
    if run.font.highlight_color:
        return str(run.font.highlight_color.name.lower())
    shading = None if run._r.rPr is None else run._r.rPr.find(qn("w:shd"))
    fill = None if shading is None else str(shading.get(qn("w:fill"))).lower()
    return {"ffff00": "yellow", "auto": None, "none": None}.get(fill, f"#{fill}") if fill else None


_OF_PARAGRAPH: Mapping[str, Callable[[Any, Any], Any]] = {
    "style": lambda _, one: one.style.name,
    "align": lambda _, one: None if one.alignment is None else one.alignment.name.lower(),
    "line_spacing": lambda _, one: one.paragraph_format.line_spacing,
    "space_before": lambda _, one: _points(one.paragraph_format.space_before),
    "space_after": lambda _, one: _points(one.paragraph_format.space_after),
    "indent": lambda _, one: None if one.paragraph_format.left_indent is None else one.paragraph_format.left_indent.cm,
    "text": lambda _, one: one.text,
    "list_kind": _list_kind,
    "page_break_before": _breaks_before,
    "links": _link,
    "bold_texts": _bold_texts,
    "picture_after": _picture_after,
    "table_after": _table_after,
    "contents_after": _contents_after,
}
_OF_RUN: Mapping[str, Callable[[Any], Any]] = {
    "bold": lambda run: bool(run.font.bold),
    "italic": lambda run: bool(run.font.italic),
    "underline": lambda run: bool(run.font.underline),
    "strike": lambda run: bool(run.font.strike),
    "size": lambda run: run.font.size.pt if run.font.size else None,
    "font": lambda run: run.font.name,
    "colour": lambda run: f"#{str(run.font.color.rgb).lower()}" if run.font.color and run.font.color.rgb else None,
    "highlight": _highlight,
}
_PAPERS_CM = {"A3": (29.7, 42.0), "A4": (21.0, 29.7), "A5": (14.8, 21.0), "A6": (10.5, 14.8), "Letter": (21.59, 27.94), "Legal": (21.59, 35.56)}
_PAPER_TOLERANCE_CM = 0.15


def _paper(document: Any) -> str | None:
    """The name of the paper, whichever way it lies."""
    section = document.sections[0]
    sides = sorted((section.page_width.cm, section.page_height.cm))
    return next(
        (name for name, one in _PAPERS_CM.items() if all(abs(side - other) < _PAPER_TOLERANCE_CM for side, other in zip(sides, one, strict=True))),
        None,
    )


def _part(document: Any, ending: str) -> Any:
    """The root of a part that python-docx does not know, such as footnotes."""
    return next((parse_xml(part.blob) for part in document.part.package.iter_parts() if str(part.partname).endswith(ending)), None)


def _footnotes(document: Any) -> list[str]:
    """The texts of the notes that are referred to, in the order of the text."""
    notes = _part(document, "/footnotes.xml")
    texts = {
        one.get(qn("w:id")): "".join(node.text or "" for node in one.iter(qn("w:t"))).strip()
        for one in (() if notes is None else notes.iter(qn("w:footnote")))
    }
    return [texts.get(node.get(qn("w:id")), "") for node in _xml(document, "w:footnoteReference")]


def _before_footnotes(document: Any) -> list[str]:
    """For each paragraph that refers to footnotes: its text with [note] where they are referred to."""
    mark = qn("w:footnoteReference")
    told = ["".join("[note]" if node.tag == mark else node.text or "" for node in one.iter(qn("w:t"), mark)) for one in _xml(document, "w:p")]
    return [text for text in told if "[note]" in text]


def _commented(document: Any) -> list[str]:
    """Each comment with the text that it is about: what stands between the ends of its range."""
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


def _xml(document: Any, name: str) -> list[Any]:
    return list(document.element.body.iter(qn(name)))


_WHOLE: Mapping[str, Callable[[Any], Any]] = {
    "paragraphs": lambda document: [one.text for one in document.paragraphs],
    "last_paragraph": lambda document: next((one.text for one in reversed(document.paragraphs) if one.text), None),
    "headings": lambda document: [one.text for one in document.paragraphs if one.style.name.startswith("Heading")],
    "lists": lambda document: [one.text for one in document.paragraphs if one._p.pPr is not None and one._p.pPr.numPr is not None],
    "tables": lambda document: [[[cell.text for cell in row.cells] for row in table.rows] for table in document.tables],
    "header": lambda document: "\n".join(one.text for one in document.sections[0].header.paragraphs),
    "footer": lambda document: "\n".join(one.text for one in document.sections[0].footer.paragraphs),
    "footer_fields": lambda document: [node.text for node in document.sections[0].footer._element.iter(qn("w:instrText"))],
    "texts": lambda document: ["".join(node.text or "" for node in one.iter(qn("w:t"))) for one in _xml(document, "w:p")],
    "page_width": lambda document: document.sections[0].page_width.cm,
    "page_height": lambda document: document.sections[0].page_height.cm,
    "orientation": lambda document: document.sections[0].orientation.name.lower(),
    "margin_left": lambda document: document.sections[0].left_margin.cm,
    "margin_right": lambda document: document.sections[0].right_margin.cm,
    "margin_top": lambda document: document.sections[0].top_margin.cm,
    "margin_bottom": lambda document: document.sections[0].bottom_margin.cm,
    "paper": _paper,
    "rows": lambda document: [[cell.text for cell in row.cells] for table in document.tables for row in table.rows],
    "table_sizes": lambda document: [f"{len(table.rows)} x {len(table.columns)}" for table in document.tables],
    "page_breaks": lambda document: sum(node.get(qn("w:type")) == "page" for node in _xml(document, "w:br")),
    "links": lambda document: sorted(part.target_ref for part in document.part.rels.values() if "hyperlink" in part.reltype),
    "pictures": lambda document: len(list(document.part.package.image_parts)),
    "columns": lambda document: next((int(node.get(qn("w:num"), "1")) for node in _xml(document, "w:cols")), 1),
    "comments": lambda document: [comment.text for comment in document.comments],
    "commented": _commented,
    "footnotes": _footnotes,
    "footnoted": _before_footnotes,
    "deleted": lambda document: ["".join(node.text or "" for node in one.iter(qn("w:delText"))) for one in _xml(document, "w:del")],
    "inserted": lambda document: ["".join(node.text or "" for node in one.iter(qn("w:t"))) for one in _xml(document, "w:ins")],
    "tracks_changes": lambda document: document.settings.element.find(qn("w:trackRevisions")) is not None,
    "fields": lambda document: [(node.text or "").strip() for node in _xml(document, "w:instrText")],
    "subject": lambda document: document.core_properties.subject,
    "keywords": lambda document: document.core_properties.keywords,
    "title": lambda document: document.core_properties.title,
    "author": lambda document: document.core_properties.author,
}
