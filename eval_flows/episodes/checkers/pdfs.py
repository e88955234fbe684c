"""The getter of PDF files, by pypdf, which limits what it unpacks."""

import io

from pypdf import PdfReader

from eval_flows.episodes.checkers.checker import Checkers


def text(content: bytes) -> str:
    """Return the words of all pages in order, with one space between them: line ends depend on the page."""
    return " ".join(word for page in PdfReader(io.BytesIO(content)).pages for word in page.extract_text().split())


CHECKERS = Checkers(
    of_files={
        "pdf_text": lambda content, _: text(content),
    }
)
