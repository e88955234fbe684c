"""Small files that the tests of metrics make."""

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import docx
import openpyxl
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from PIL import Image, ImageDraw
from pptx import Presentation
from pptx.util import Inches, Pt


@dataclass(frozen=True)
class Call:
    """What a metric is given."""

    compared: Sequence[Any]
    options: Mapping[str, Any] = field(default_factory=dict)


def given(*compared: Any, **options: Any) -> Call:
    return Call(compared, options)


Maker = Callable[[Path], Call]


def written(place: Path, text: str | bytes) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode() if isinstance(text, str) else text)
    return place


def document(place: Path, *paragraphs: str, change: Callable[[Any], None] = lambda made: None) -> Path:
    made = docx.Document()
    for paragraph in paragraphs:
        made.add_paragraph(paragraph)
    change(made)
    made.save(str(place))
    return place


def each_run(made: Any) -> list[Any]:
    tabled = [paragraph for table in made.tables for row in table.rows for cell in row.cells for paragraph in cell.paragraphs]
    return [run for paragraph in (*made.paragraphs, *tabled) for run in paragraph.runs]


def page_field(made: Any) -> None:
    run = made.sections[0].footer.paragraphs[0].add_run()
    for kind in ("begin", None, "end"):
        node = OxmlElement("w:instrText" if kind is None else "w:fldChar")
        if kind is None:
            node.text = " PAGE "
        else:
            node.set(qn("w:fldCharType"), kind)
        run._r.append(node)


_ODT = """<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0">
<office:automatic-styles><style:style style:name="T1" style:family="text"><style:text-properties fo:background-color="#ffff00"/></style:style></office:automatic-styles>
<office:body><office:text>{text}</office:text></office:body></office:document-content>"""


def odt(place: Path, text: str) -> Path:
    """Write a document of OpenDocument: `text` is its paragraphs as XML."""
    return packed(place, {"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": _ODT.format(text=text)})


def packed(place: Path, files: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(place, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return place


def workbook(place: Path, rows: Sequence[Sequence[Any]] = ((1, 2), (3, 4)), change: Callable[[Any], None] = lambda sheet: None) -> Path:
    made = openpyxl.Workbook()
    sheet: Any = made.active
    for row in rows:
        sheet.append(list(row))
    change(sheet)
    made.save(place)
    return place


def deck(place: Path, texts: Sequence[str] = ("one", "two"), change: Callable[[Any], None] = lambda made: None) -> Path:
    """Write a presentation with a slide for each text."""
    made = Presentation()
    for text in texts:
        slide = made.slides.add_slide(made.slide_layouts[6])
        box = slide.shapes.add_textbox(Inches(1), Inches(1), Inches(3), Inches(1))
        box.text_frame.text = text
        box.text_frame.paragraphs[0].runs[0].font.size = Pt(20)
    change(made)
    made.save(str(place))
    return place


def first_run(made: Any) -> Any:
    return made.slides[0].shapes[0].text_frame.paragraphs[0].runs[0]


def png(place: Path, size: tuple[int, int] = (40, 30), draw: Callable[[Any], None] | None = None, ground: Any = "white", mode: str = "RGB") -> Path:
    made = Image.new(mode, size, ground)
    if draw is not None:
        draw(ImageDraw.Draw(made))
    made.save(place)
    return place


def scene(pen: Any) -> None:
    """Draw something with structure."""
    pen.rectangle((4, 4, 15, 25), fill=(60, 120, 180))
    pen.ellipse((18, 6, 36, 24), fill=(180, 90, 60))


def picture_of(change: Callable[[Image.Image], Image.Image], place: Path, size: tuple[int, int] = (40, 30)) -> Path:
    made = Image.new("RGB", size, "white")
    scene(ImageDraw.Draw(made))
    change(made).save(place)
    return place


def pdf(place: Path, *pages: str) -> Path:
    """Write a PDF file with a line of text on each page; a page without text is empty."""
    objects, kids = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"], []
    for text in pages:
        stream = f"BT /F1 24 Tf 72 700 Td ({text}) Tj ET".encode() if text else b""
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
        kids.append(len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(b"%d 0 R" % kid for kid in kids), len(kids))
    made, places = io.BytesIO(b"%PDF-1.4\n"), []
    made.seek(0, io.SEEK_END)
    for number, one in enumerate(objects, 1):
        places.append(made.tell())
        made.write(b"%d 0 obj\n%s\nendobj\n" % (number, one))
    start = made.tell()
    made.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + b"".join(b"%010d 00000 n \n" % at for at in places))
    made.write(b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start))
    return written(place, made.getvalue())


def picture_pdf(place: Path, *pictures: Image.Image) -> Path:
    pictures[0].save(place, save_all=True, append_images=pictures[1:])
    return place
