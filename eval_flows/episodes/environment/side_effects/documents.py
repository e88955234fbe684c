"""Documents (.docx), compared by what a person sees: texts with their effective formats, pages, notes and comments.

`paragraphs` frees paragraphs and table rows that contain one of the texts: with `formats` only these formats of them, with `text` only their text;
without both they are free as a whole, and so are copies of them. `end` frees additions at the end; `parts` frees the parts below.
"""

import io
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import docx
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from eval_flows.episodes.checkers import pictures
from eval_flows.episodes.checkers.care import unpacked
from eval_flows.episodes.checkers.document_formats import Formats, characters, text_of
from eval_flows.episodes.checkers.documents import of_open_document
from eval_flows.episodes.environment.side_effects.parts import Parts, Unit, Units, freed, holding
from eval_flows.episodes.tasks.changes import Change

Node = Any
_GOT: Mapping[str, Sequence[str]] = {
    "paper": ("paper",),
    "orientation": ("orientation",),
    "columns": ("columns",),
    "side_margins": ("margin_left", "margin_right"),
    "top_margin": ("margin_top",),
    "bottom_margin": ("margin_bottom",),
    "header": ("header",),
    "footer": ("footer", "footer_fields"),
    "footnotes": ("footnotes",),
    "comments": ("commented",),
    "properties": ("title", "subject", "keywords"),
    "tracking": ("tracks_changes", "deleted", "inserted"),
}
FREE_PARTS = frozenset({*_GOT, "contents", "tables", "pictures"})
_OF_PARAGRAPH: Mapping[str, Callable[[Formats, Node], Any]] = {
    "level of heading": Formats.heading_level,
    "alignment": Formats.alignment,
    "line spacing": lambda formats, one: _rounded(formats.line_spacing(one), 2),
    "space before": lambda formats, one: round(formats.space(one, "before")),
    "space after": lambda formats, one: round(formats.space(one, "after")),
    "indent": lambda formats, one: round(formats.indent(one), 1),
    "right indent": lambda formats, one: round(formats.right_indent(one), 1),
    "first line": lambda formats, one: round(formats.first_line(one), 1),
    "list": lambda formats, one: (place := formats.in_list(one)) and formats.numbering.kind(*place),
    "page break before": Formats.begins_page,
}
_OF_RUN: Mapping[str, Callable[[Formats, Node], Any]] = {
    "bold": lambda formats, run: formats.toggle(run, "bold"),
    "italic": lambda formats, run: formats.toggle(run, "italic"),
    "strikethrough": lambda formats, run: formats.toggle(run, "strike"),
    "underline": Formats.underline,
    "size": Formats.size,
    "font": Formats.font,
    "colour": lambda formats, run: {"#000000": None}.get(found := formats.colour(run), found),  # type: ignore[arg-type]
    "highlighter": Formats.highlight,
    "raised": Formats.is_raised,
}
_STYLE = "style"
FREE_FORMATS = frozenset({*_OF_PARAGRAPH, *_OF_RUN, _STYLE})


@dataclass(frozen=True)
class _Freedom:
    """What may change in a paragraph: its text, given by the words that stand for any text, and some formats.

    If its style may change, a format is compared by how it deviates from what the style says.
    """

    words: str | None = None
    formats: frozenset[str] = frozenset()


def _freedom(text: str, changes: Sequence[Change]) -> _Freedom | None:
    """Return what the changes free in a paragraph together; None if they free all of it."""
    about = [change for change in changes if holding(text, freed([change], "paragraphs"))]
    if any("formats" not in change and not change.get("text") for change in about):
        return None
    words = [" or ".join(f"…{one}…" for one in freed([change], "paragraphs")) for change in about if change.get("text")]
    return _Freedom(next(iter(words), None), frozenset(freed(about, "formats")))


def of_document(content: bytes, changes: Sequence[Change]) -> Parts:
    """Return paragraphs and rows with their formats, and the parts that no change frees. Empty paragraphs do not count."""
    document = docx.Document(unpacked(content))
    formats, free_parts = Formats(document), set(freed(changes, "parts"))
    contents: list[str] = []
    units: list[Unit] = []
    number = 0
    for node in _blocks(document.element.body):
        text = _text(node)
        if _is_of_contents(formats, node):
            contents.append(text)
        elif text.strip(" |"):
            number += node.tag == qn("w:p")
            free = _freedom(text, changes)
            if free is not None:
                name = "row of a table" if node.tag == qn("w:tr") else f"paragraph {number}"
                units.append(Unit(name, text if free.words is None else free.words, tuple(_formats(formats, node, free))))
    parts: Parts = {"paragraphs": Units(units, any("end" in change for change in changes))}
    for part, whats in _GOT.items():
        parts |= {what.replace("_", " "): _steady(of_open_document(document, what)) for what in whats if part not in free_parts}
    found: dict[str, Parts] = {
        "contents": {"table of contents": contents},
        "tables": {"tables": len(document.tables)},
        "pictures": {"pictures (digests)": _pictures(document)},
    }
    return parts | {name: value for part, one in found.items() if part not in free_parts for name, value in one.items()}


def _blocks(parent: Node) -> Iterator[Node]:
    """Yield paragraphs, and rows of tables, in order."""
    for node in parent:
        if node.tag == qn("w:p"):
            yield node
        elif node.tag == qn("w:tbl"):
            yield from node.iter(qn("w:tr"))
        elif node.tag in (qn("w:sdt"), qn("w:sdtContent")):
            yield from _blocks(node)


def _text(node: Node) -> str:
    if node.tag == qn("w:p"):
        return text_of(node).strip()
    return " | ".join("\n".join(text_of(one) for one in cell.iter(qn("w:p"))) for cell in node.iter(qn("w:tc")))


def _is_of_contents(formats: Formats, node: Node) -> bool:
    galleries = (found for parent in node.iterancestors(qn("w:sdt")) for found in parent.iter(qn("w:docPartGallery")))
    style = (formats.style(node) or "").lower() if node.tag == qn("w:p") else ""
    return style.startswith(("toc", "contents", "index")) or any("Contents" in (found.get(qn("w:val")) or "") for found in galleries)


def _formats(formats: Formats, node: Node, free: _Freedom) -> Iterator[tuple[str, Any]]:
    paragraphs = [one for one in node.iter(qn("w:p")) if text_of(one).strip()]
    plain = {id(one): _by_style_alone(formats, one) for one in paragraphs} if _STYLE in free.formats else {}
    for name, read in _OF_PARAGRAPH.items():
        if name not in free.formats:
            values = [_beyond(read(formats, one), plain, id(one), name) for one in paragraphs]
            yield name, values[0] if len(values) == 1 else values
    pairs = [pair for one in paragraphs for pair in characters(one) if not pair[0].isspace()]
    runs = {id(run): run for _, run in pairs}
    for name, read_run in _OF_RUN.items():
        if name not in free.formats:
            values_of = {number: _beyond(read_run(formats, run), plain, id(_paragraph_of(run)), name) for number, run in runs.items()}
            stretches = groupby(pairs, lambda pair, known=values_of: known[id(pair[1])])  # type: ignore[misc]
            told = [(value, "".join(character for character, _ in part)) for value, part in stretches]
            yield name, told[0][0] if len(told) == 1 else _of_stretches(told, free.words is not None)


def _of_stretches(told: Collection[tuple[Any, str]], is_text_free: bool) -> list[Any]:
    """Return the stretches that have a format; where any text may stand, only the values in their order."""
    return [value for value, _ in told] if is_text_free else [f"{text}: {value}" for value, text in told if value]


def _by_style_alone(formats: Formats, paragraph: Node) -> Mapping[str, Any]:
    """Return the formats that the paragraph would have by its style alone."""
    bare, run = OxmlElement("w:p"), OxmlElement("w:r")
    style = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
    if style is not None:
        bare.get_or_add_pPr().style = style.get(qn("w:val"))
    bare.append(run)
    paragraph.addnext(bare)  # beside it, because the style of a table counts too
    found = {name: read(formats, bare) for name, read in _OF_PARAGRAPH.items()} | {name: read(formats, run) for name, read in _OF_RUN.items()}
    paragraph.getparent().remove(bare)
    return found


def _beyond(value: Any, plain: Mapping[int, Mapping[str, Any]], paragraph: int, name: str) -> Any:
    """Return the value of a format; where the style is free, only if it is not what the style says."""
    return "as the style says" if paragraph in plain and plain[paragraph][name] == value else value


def _paragraph_of(run: Node) -> Node:
    return next(run.iterancestors(qn("w:p")))


def _steady(value: Any) -> Any:
    return round(value, 1) if isinstance(value, float) else value


def _rounded(value: Any, digits: int) -> Any:
    return round(value, digits) if isinstance(value, float) else value


def _pictures(document: Any) -> list[str]:
    """Return the pictures in the text by a digest of their pixels."""
    drawn = [one.get(qn("r:embed")) for one in document.element.body.iter(qn("a:blip"))]
    return [str(pictures.of_picture(document.part.related_parts[one].blob, "pixels"))[:12] for one in drawn if one]


def spoiled(content: bytes) -> bytes:
    """Return the document with an extra paragraph at its beginning."""
    document = docx.Document(unpacked(content))
    document.element.body.insert(0, docx.Document().add_paragraph("zzz qqq")._p)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()
