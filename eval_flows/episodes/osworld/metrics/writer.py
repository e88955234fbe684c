"""Metrics of what documents of Writer say: texts, tables, references, pictures."""

import hashlib
import io
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

import docx
from docx.oxml.ns import qn
from PIL import Image

from eval_flows.episodes.checkers.care import unpacked
from eval_flows.episodes.checkers.pictures import opened_picture
from eval_flows.episodes.osworld.metrics.metric import Metrics, Rules, asked, unknown
from eval_flows.episodes.osworld.metrics.reading import Place, content, parts, text, xml
from eval_flows.episodes.osworld.metrics.similarity import alike

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_LEAST_ABOVE = 0.01  # how far above the base the likeness of references must be
_L10N = "/org.openoffice.Setup/L10N"
_WORDS = 3  # of one task
_FIELDS = 4  # time, train, station, platform


def document(place: Place) -> Any:
    """Return a .docx document."""
    return docx.Document(unpacked(content(place)))


def _is_odt(place: Place) -> bool:
    return str(place).lower().endswith(".odt")


def paragraphs(place: Place) -> list[str]:
    """Return the texts of the paragraphs of a .docx or .odt document; those in tables of a .docx are left out."""
    if not _is_odt(place):
        return [one.text for one in document(place).paragraphs]
    return [_odt_text(one) for one in xml(parts(place)["content.xml"]).iter(f"{_TEXT}p", f"{_TEXT}h")]


def _odt_text(node: Any) -> str:
    """Return the text of a node, with that of the nodes in it."""
    own = {f"{_TEXT}s": " " * int(node.get(f"{_TEXT}c", 1)), f"{_TEXT}tab": "\t", f"{_TEXT}line-break": "\n"}.get(node.tag, node.text or "")
    return own + "".join(_odt_text(child) + (child.tail or "") for child in node)


def _in_one_line(texts: Sequence[str]) -> str:
    return " ".join(" ".join(texts).split())


def same_document(
    result: Place,
    expected: Place,
    ignore_blanks: bool = True,
    ignore_case: bool = False,
    ignore_order: bool = False,
    content_only: bool = False,
    fuzzy_match: bool = False,
    delete_empty_lines: bool = False,
) -> float:
    """1 if two documents (.docx, or .odt) have the same paragraphs; with `fuzzy_match` or `content_only`, how alike their texts are.

    `ignore_blanks`: blank space and the ends of paragraphs do not matter. `ignore_order`: that of paragraphs does not matter.
    """
    if _is_odt(result) != _is_odt(expected):
        return 0.0
    sides = []
    for place in (result, expected):
        found = [one.lower() if ignore_case else one for one in paragraphs(place)]
        found = [one for one in found if one.strip()] if delete_empty_lines else found
        sides.append(sorted(found) if ignore_order else found)
    one, other = sides
    if content_only or ignore_blanks:
        written, wanted = _in_one_line(one), _in_one_line(other)
        return alike(written, wanted) if content_only or fuzzy_match else float(written == wanted)
    if len(one) != len(other):
        return 0.0
    if fuzzy_match:
        return sum(map(alike, one, other)) / len(one) if one else 1.0
    return float(one == other)


def same_but_empty_lines(result: Place, expected: Place, ignore_blanks: bool = True) -> float:
    """1 if two documents have the same paragraphs, empty ones left out."""
    one, other = ([each for each in paragraphs(place) if each] for place in (result, expected))
    return _in_one_line(one) == _in_one_line(other) if ignore_blanks else one == other


def begins_alike(result: Place, expected: Place) -> float:
    """1 if a document begins with the paragraphs of the expected one, without empty ones at its end."""
    wanted = paragraphs(expected)
    while wanted and not wanted[-1].strip():
        wanted.pop()
    return bool(wanted) and paragraphs(result)[: len(wanted)] == wanted


def same_lines_any_order(result: Place, expected: Place) -> float:
    """1 if two documents have the same paragraphs in any order, each as often; empty ones and blank space around them do not matter."""
    one, other = (Counter(each.strip() for each in paragraphs(place) if each.strip()) for place in (result, expected))
    return one == other


def same_tables(result: Place, expected: Place) -> float:
    """1 if two documents have the same tables: size, and text of each cell."""
    one, other = (
        [[[cell.text.strip() for cell in row.cells] for row in table.rows] for table in document(place).tables] for place in (result, expected)
    )
    return one == other


def same_pictures(result: Place, expected: Place) -> float:
    """1 if two documents hold the same pictures, pixel by pixel; their order in the file does not matter."""
    one, other = (Counter(map(_digest, _pictures(document(place)))) for place in (result, expected))
    return one == other


def _pictures(found: Any) -> list[Image.Image]:
    held = [one for one in found.part.rels.values() if one.reltype.endswith("/image") and not one.is_external]
    return [opened_picture(one.target_part.blob) for one in held]


def _digest(picture: Image.Image) -> str:
    return f"{picture.size} {hashlib.sha256(picture.convert('RGBA').tobytes()).hexdigest()}"


def pictures_in_same_places(result: Place, expected: Place) -> float:
    """1 if the same paragraphs of two documents have pictures, as many each."""
    sides = []
    for place in (result, expected):
        counts = [sum(1 for _ in one._p.iter(qn("pic:pic"))) for one in document(place).paragraphs]
        while counts and not counts[-1]:
            counts.pop()
        sides.append(counts)
    return sides[0] == sides[1]


def references_alike(
    result: Place, expected: Place, reference_indicator: str = "References", reference_base_result: float = 0.5, content_only: bool = True
) -> float:
    """How alike the references of two documents are, one by one, from a base on: the base (`reference_base_result`) counts as 0.

    References follow a paragraph that is the `reference_indicator`. `content_only` changes nothing: tasks give it.
    """
    del content_only
    one, other = (_references(paragraphs(place), reference_indicator) for place in (result, expected))
    if one is None or other is None:
        return one is other
    if len(one) != len(other) or not one:
        return float(len(one) == len(other))
    found = sum(map(alike, one, other)) / len(one)
    return (found - reference_base_result) / (1 - reference_base_result) if found >= reference_base_result + _LEAST_ABOVE else 0.0


def _references(found: Sequence[str], indicator: str) -> list[str] | None:
    return [one for one in found[found.index(indicator) + 1 :] if one.strip()] if indicator in found else None


def picture_says(result: Place, rules: Rules) -> float:
    """1 if a text stands in a picture, as Tesseract reads it (the extra `ocr`); blank space and case do not matter."""
    kind = asked(rules, "type")
    if kind != "text":
        raise unknown("type", kind, ("text",))
    from eval_flows.episodes.agents.elements.ocr import ocr

    shown = io.BytesIO()
    opened_picture(content(result)).convert("RGB").save(shown, "PNG")
    said = "".join(found.text for found in ocr().read(shown.getvalue()))
    return "".join(asked(rules, "text").split()).lower() in "".join(said.split()).lower()


def three_words_alike(result: Place, rules: Rules) -> float:
    """How alike the words of a document, which has three, are to the nearest ones that are `expected`, on the average."""
    words = " ".join(paragraphs(result)).split()
    return sum(max(alike(word, one) for one in asked(rules, "expected")) for word in words) / len(words) if len(words) == _WORDS else 0.0


# --- records of trains, of one task


def _records(place: Place) -> list[tuple[str, str]]:
    """Return the lines with four fields, each with its second one, the train."""
    lines = [one.strip() for one in paragraphs(place) if one.strip()]
    return [(one, one.split(",")[1].strip()) for one in lines if one.count(",") == _FIELDS - 1]


def each_train_once(initial: Place, result: Place) -> float:
    """1 if a document has one line of each train of the initial document (the first argument)."""
    wanted = {train for _, train in _records(initial)}
    found = [train for _, train in _records(result)]
    return bool(wanted) and len(found) == len(set(found)) and set(found) == wanted


def trains_as_expected(result: Place, expected: Sequence[Place]) -> float:
    """1 if a document has one line of each train of the expected document, and no line that is not in the initial one: `expected` is both."""
    gold, initial = expected[:2]
    lines, found = [one.strip() for one in paragraphs(result) if one.strip()], [train for _, train in _records(result)]
    wanted = [one for one in paragraphs(gold) if one.strip()]
    return (
        len(found) == len(set(found))
        and set(found) == {train for _, train in _records(gold)}
        and len(lines) == len(wanted)
        and set(lines) <= {one.strip() for one in paragraphs(initial)}
    )


# --- settings


def default_font(result: Place, rules: Rules) -> float:
    """1 if the settings of LibreOffice (registrymodifications.xcu) have the `font_name` as Writer's default."""
    return bool(setting(result, "/org.openoffice.Office.Writer/DefaultFont", "Standard") == asked(rules, "font_name"))


def setting(place: Place, path: str, name: str) -> str | None:
    """Return a setting in a file registrymodifications.xcu of LibreOffice; None if it is not set."""
    spaces = {"oor": "http://openoffice.org/2001/registry"}
    found = xml(text(place).encode()).xpath("//item[@oor:path=$path]/prop[@oor:name=$name]/value/text()", namespaces=spaces, path=path, name=name)
    return str(found[-1]) if found else None


def locale_is(result: Place, rules: Rules) -> float:
    """1 if the locale of LibreOffice matches a pattern of `locale_set`, such as `*_US` or `ja*`."""
    found = setting(result, _L10N, "ooSetupSystemLocale") or setting(result, _L10N, "ooLocale")
    return found is not None and any(fnmatchcase(found, one) for one in asked(rules, "locale_set"))


METRICS: Metrics = {
    "compare_docx_files": same_document,
    "compare_docx_files_and_ignore_new_lines": same_but_empty_lines,
    "compare_init_lines": begins_alike,
    "compare_docx_lines": same_lines_any_order,
    "compare_docx_tables": same_tables,
    "compare_docx_images": same_pictures,
    "compare_contains_image": pictures_in_same_places,
    "compare_references": references_alike,
    "compare_image_text": picture_says,
    "fuzzy_place_math": three_words_alike,
    "check_no_duplicates": each_train_once,
    "compare_unique_train_records": trains_as_expected,
    "find_default_font": default_font,
    "check_libre_locale": locale_is,
}
