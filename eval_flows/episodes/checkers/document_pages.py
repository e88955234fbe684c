"""The pages of .docx documents: paper, columns, headers and footers."""

from collections.abc import Callable, Sequence
from typing import Any

from docx.oxml.ns import qn

from eval_flows.episodes.checkers.document_formats import text_of

_PAPERS_CM = {"A3": (29.7, 42.0), "A4": (21.0, 29.7), "A5": (14.8, 21.0), "A6": (10.5, 14.8), "Letter": (21.59, 27.94), "Legal": (21.59, 35.56)}
_PAPER_TOLERANCE_CM = 0.15


def of_pages(document: Any, of_section: Callable[[Any], Any]) -> Any:
    """Return a value that holds for all pages; None if sections with text differ."""
    written = [one for one in document.sections if any(not hasattr(part, "text") or part.text.strip() for part in one.iter_inner_content())]
    found = [of_section(one) for one in written or document.sections]
    return found[0] if all(value == found[0] for value in found) else None


def paper(section: Any) -> str | None:
    """Return the name of the paper, in either orientation."""
    sides = sorted((section.page_width.cm, section.page_height.cm))
    return next(
        (name for name, one in _PAPERS_CM.items() if all(abs(side - other) < _PAPER_TOLERANCE_CM for side, other in zip(sides, one, strict=True))),
        None,
    )


def columns(section: Any) -> int:
    """Return the number of columns of text on a page."""
    node = section._sectPr.find(qn("w:cols"))
    return 1 if node is None else int(node.get(qn("w:num"), "1"))


def at_edge(document: Any, edge: str) -> Sequence[Any]:
    """Return the headers, or the footers, of pages: the first page and even pages may have their own."""
    even = [f"even_page_{edge}"] if document.settings.odd_and_even_pages_header_footer else []
    return [
        getattr(section, name)
        for section in document.sections
        for name in (edge, *([f"first_page_{edge}"] if section.different_first_page_header_footer else []), *even)
    ]


def edge_text(document: Any, edge: str) -> str | None:
    """Return the text of the header or footer of every page; None if pages differ."""
    texts = {"\n".join(text_of(one._p) for one in found.paragraphs).strip("\n") for found in at_edge(document, edge)}
    return texts.pop() if len(texts) == 1 else None
