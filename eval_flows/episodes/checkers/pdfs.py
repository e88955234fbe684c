"""The getter of PDF files, by pypdf, which bounds what it unpacks."""

import io

from pypdf import PdfReader


def text(content: bytes) -> str:
    """The words of all pages in their order, with one space between them: where a line ends is up to the page."""
    return " ".join(word for page in PdfReader(io.BytesIO(content)).pages for word in page.extract_text().split())
