"""Getters of PDF files, by pypdf, which limits what it unpacks."""

import io
import logging
from typing import Any

from pypdf import PageObject, PdfReader

from eval_flows.episodes.checkers.checker import Checkers

logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # a broken file is a failed check, which says so: nothing is told beside the progress


def text(content: bytes) -> str:
    """Return the words of all pages in order, with one space between them: line ends depend on the page."""
    return " ".join(word for page in PdfReader(io.BytesIO(content)).pages for word in page.extract_text().split())


def of_pdf(content: bytes, what: str) -> Any:
    """Return a property of a PDF file."""
    return {"pages": lambda pdf: len(pdf.pages), "title": _title, "orientation": _orientation}[what](PdfReader(io.BytesIO(content)))


def _title(pdf: PdfReader) -> str | None:
    return pdf.metadata.title if pdf.metadata else None


def _orientation(pdf: PdfReader) -> str | None:
    found = {"landscape" if _is_landscape(page) else "portrait" for page in pdf.pages}
    return found.pop() if len(found) == 1 else None


def _is_landscape(page: PageObject) -> bool:
    """Tell whether a page is wider than high as it is shown."""
    width, height = page.mediabox.width, page.mediabox.height
    return bool(height > width if page.rotation % 180 else width > height)


CHECKERS = Checkers(
    of_files={
        "pdf_text": lambda content, _: text(content),
        "pdf": lambda content, asked: of_pdf(content, asked["what"]),
    }
)
