"""The maker of PDF files: pages of lines in Helvetica."""

from collections.abc import Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]
_WIDTH, _HEIGHT, _MARGIN, _LEADING = 595, 842, 60, 18  # points; A4


def pdf(asked: Json) -> bytes:
    """Return a PDF file: a list of lines for each page of `pages`, and the `title` that readers show."""
    pages: Sequence[Sequence[str]] = asked["pages"]
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /DisplayDocTitle true >> >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, lines in enumerate(pages):
        shown = "".join(f"({_quoted(line)}) Tj T*\n" for line in lines)
        stream = f"BT /F1 12 Tf {_LEADING} TL {_MARGIN} {_HEIGHT - _MARGIN} Td\n{shown}ET"
        box, resources = f"[0 0 {_WIDTH} {_HEIGHT}]", "<< /Font << /F1 3 0 R >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Resources {resources} /Contents {5 + 2 * number} 0 R >>")
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    objects.append(f"<< /Title ({_quoted(asked.get('title', ''))}) >>")
    return _written(objects)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _written(objects: Sequence[str]) -> bytes:
    """Return the file with these objects, the catalogue first and the description last, and the table of where each begins."""
    made, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    count = len(objects) + 1
    end = f"trailer\n<< /Size {count} /Root 1 0 R /Info {len(objects)} 0 R >>\nstartxref\n{len(made)}\n%%EOF\n"
    return f"{made}xref\n0 {count}\n0000000000 65535 f \n{table}{end}".encode("latin-1")
