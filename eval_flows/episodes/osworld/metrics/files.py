"""Metrics of PDF files, pages of the web, books, archives and the tags of MP3 files."""

import io
import operator
import tarfile
from collections.abc import Mapping
from difflib import SequenceMatcher
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from lxml import html
from PIL import Image
from pypdf import PdfReader

from eval_flows.episodes.checkers.pictures import opened_picture
from eval_flows.episodes.osworld.metrics import code, gimp, slides, sounds, tables, vlc, writer
from eval_flows.episodes.osworld.metrics.matching import holds
from eval_flows.episodes.osworld.metrics.metric import Metric, Metrics, Rules, asked, unknown
from eval_flows.episodes.osworld.metrics.reading import Place, content, json_file, listed, parts
from eval_flows.episodes.osworld.metrics.similarity import alike, look_apart
from eval_flows.episodes.osworld.metrics.tags import tags

_RELATIONS: Mapping[str, Any] = {name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}
_LOOK_SAME, _PDF_SAME = 5, 0.95  # bits of 64; share
_LARGEST_UNPACKED, _MOST_MEMBERS = 64 * 2**20, 10_000


# --- PDF


def _pdf(source: bytes) -> PdfReader:
    return PdfReader(io.BytesIO(source))


def _pdf_text(source: bytes) -> str:
    return "".join(page.extract_text() for page in _pdf(source).pages).strip()


def _pdf_pictures(source: bytes) -> list[Image.Image]:
    return [opened_picture(one.data) for page in _pdf(source).pages for one in page.images]


def pdfs_alike(result: Any, expected: Any) -> float:
    """How alike the texts of two PDF files are, on the average of a list of pairs; without any text, 1 if their pictures look the same."""
    pairs = list(zip(listed(result), listed(expected), strict=True))
    return sum(_pdfs_alike(content(one), content(other)) for one, other in pairs if one is not None) / len(pairs)


def _pdfs_alike(one: bytes, other: bytes) -> float:
    said, wanted = _pdf_text(one), _pdf_text(other)
    return alike(said, wanted) if said or wanted else _pictures_alike(_pdf_pictures(one), _pdf_pictures(other)) or 0.0


def pdf_pictures_alike(result: Place, expected: Place) -> float:
    """The share of pictures in two PDF files that look the same, one by one; 0 if their number differs, 1 if neither has any."""
    found = _pictures_alike(_pdf_pictures(content(result)), _pdf_pictures(content(expected)))
    return 1.0 if found is None else found


def _pictures_alike(one: list[Image.Image], other: list[Image.Image]) -> float | None:
    """Return the share of pairs that look the same; None if there are no pictures."""
    if len(one) != len(other):
        return 0.0
    return sum(look_apart(*pair) <= _LOOK_SAME for pair in zip(one, other, strict=True)) / len(one) if one else None


def pdf_pages(result: Place, rules: Rules) -> float:
    """1 if the number of pages of a PDF file is in the `relation` (eq, ne, lt, le, gt, ge) to `ref_value`."""
    relation = asked(rules, "relation")
    if relation not in _RELATIONS:
        raise unknown("relation", relation, _RELATIONS)
    return bool(_RELATIONS[relation](len(_pdf(content(result)).pages), asked(rules, "ref_value")))


def pdf_has_texts(result: Place, expected: Place) -> float:
    """1 if a PDF file has every value of an object in a file of JSON in its text; blank space does not matter."""
    said = "".join(_pdf_text(content(result)).split())
    return all("".join(str(value).split()) in said for value in json_file(expected).values())


# --- pages of the web


def same_page(result: Place, expected: Place, ignore_sdnum: bool | None = None) -> float:
    """1 if two pages (HTML) have the same elements with the same texts and attributes; `ignore_sdnum` leaves out that attribute."""
    one, other = (_elements(html.document_fromstring(content(place)), bool(ignore_sdnum)) for place in (result, expected))
    return one == other


def _elements(root: Any, ignore_sdnum: bool) -> list[Any]:
    return [
        (
            str(one.tag),
            (one.text or "").strip(),
            (one.tail or "").strip(),
            sorted((*pair,) for pair in one.attrib.items() if not (ignore_sdnum and pair[0] == "sdnum")),
        )
        for one in root.iter()
    ]


# --- books


def books_alike(result: Place, expected: Place) -> float:
    """How alike two books (EPUB) are line by line, on the average of the files that either has; what is made anew in each book is left out."""
    one, other = _book(result), _book(expected)
    names = sorted(set(one) | set(other))
    return sum(SequenceMatcher(a=one[name], b=other[name]).ratio() for name in names if name in one and name in other) / len(names)


def _book(place: Place) -> Mapping[str, list[str]]:
    """Return the lines of the contents, the description and the pages of a book, without those of places and identifiers."""
    return {
        name: [line for line in source.decode().splitlines() if not any(word in line for word in ("navPoint", "dc:identifier"))]
        for name, source in parts(place).items()
        if name in ("toc.ncx", "content.opf") or name.endswith((".html", ".xhtml"))
    }


# --- archives


def _members(place: Place) -> Mapping[str, bytes]:
    """Return the files of an archive (zip or tar) by their paths; `ValueError` if a path climbs out, or if they are too large."""
    source = content(place)
    if not tarfile.is_tarfile(io.BytesIO(source)):
        return {_safe(name): part for name, part in parts(place).items()}
    found: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(source)) as packed:
        size = 0
        for at, one in enumerate(packed):
            size += one.size
            if size > _LARGEST_UNPACKED or at >= _MOST_MEMBERS:
                raise ValueError("the archive is too large to unpack")
            if one.isfile() and (file := packed.extractfile(one)) is not None:
                found[_safe(one.name)] = file.read()
    return found


def _safe(name: str) -> str:
    path = PurePosixPath(name.replace("\\", "/").removeprefix("./"))
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(f"the path {name} climbs out of the archive")
    return str(path)


_BY_TYPE: Mapping[str, Metric] = {
    "text": code.same_text,
    "pdf": pdfs_alike,
    "docx": writer.same_document,
    "ppt": slides.slides_agree,
    "image": gimp.looks_alike,
    "csv": tables.same_csv,
    "table": tables.tables_agree,
    "audio": sounds.sounds_alike,
    "video": vlc.same_film,
}


def archives_alike(result: Place, expected: Place, file_type: str = "text", file_path: str = "", **options: Any) -> float:
    """How alike the files of two archives are, on the average; 0 if their names differ, or there are none.

    `file_type`: text, pdf, docx, ppt, image, csv, table, audio or video; other options are for their metric. `file_path`: the folder in the archives.
    """
    if file_type not in _BY_TYPE:
        raise unknown("file_type", file_type, _BY_TYPE)
    one, other = (_in_folder(_members(place), file_path) for place in (result, expected))
    if set(one) != set(other) or not one:
        return 0.0
    with TemporaryDirectory() as folder:
        shares = []
        for name in one:
            places = [Path(folder, side, Path(name).name) for side in ("result", "expected")]
            for place, held in zip(places, (one[name], other[name]), strict=True):
                place.parent.mkdir(exist_ok=True)
                place.write_bytes(held)
            shares.append(float(_BY_TYPE[file_type](*places, **options)))
    return sum(shares) / len(shares)


def _in_folder(members: Mapping[str, bytes], folder: str) -> Mapping[str, bytes]:
    within = PurePosixPath(folder)
    return {str(PurePosixPath(name).relative_to(within)): held for name, held in members.items() if PurePosixPath(name).is_relative_to(within)}


def same_archive(result: Place, expected: Place) -> float:
    """1 if two archives have the same files; of PDF files, at least 95% of the text is the same."""
    one, other = _members(result), _members(expected)
    return bool(one) and set(one) == set(other) and all(_same_member(name, one[name], other[name]) for name in one)


def _same_member(name: str, one: bytes, other: bytes) -> bool:
    return one == other or (name.lower().endswith(".pdf") and _pdfs_alike(one, other) >= _PDF_SAME)


# --- MP3


def tags_hold(result: Place, rules: Rules) -> float:
    """1 if each tag (ID3) of an MP3 file that has a rule, such as `title` or `artist`, holds against it."""
    found = tags(content(result))
    return bool(rules) and all(holds(found.get(name, ""), rule) for name, rule in rules.items())


METRICS: Metrics = {
    "compare_pdfs": pdfs_alike,
    "compare_pdf_images": pdf_pictures_alike,
    "check_pdf_pages": pdf_pages,
    "is_gold_text_included_in_pdf": pdf_has_texts,
    "compare_htmls": same_page,
    "compare_epub": books_alike,
    "compare_archive": archives_alike,
    "compare_zip_files": same_archive,
    "check_mp3_meta": tags_hold,
}
