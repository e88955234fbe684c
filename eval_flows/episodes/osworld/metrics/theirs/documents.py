"""Mistakes of theirs in metrics of documents and presentations."""

import zipfile
from collections.abc import Iterator
from typing import Any

from pptx.oxml.ns import qn as slide_name

from eval_flows.episodes.osworld.metrics.decks import presentation
from eval_flows.episodes.osworld.metrics.metric import Metrics, Rules
from eval_flows.episodes.osworld.metrics.reading import Place, archive, xml
from eval_flows.episodes.osworld.metrics.theirs.difference import TheirCrash
from eval_flows.episodes.osworld.metrics.writer import document, paragraphs, same_document

_Nothing = Place | None


def _runs(place: Place) -> Iterator[Any]:
    return (run for paragraph in document(place).paragraphs for run in paragraph.runs)


def _direct_font(result: _Nothing, rules: Rules) -> float:
    return result is not None and all(run.font.name == rules["font_name"] for run in _runs(result))


def _first_lines(result: _Nothing, expected: Place) -> float:
    return result is not None and all(one == other for one, other in zip(paragraphs(result), paragraphs(expected), strict=False))


def _set_of_lines(result: _Nothing, expected: Place) -> float:
    if result is None:
        return 0.0
    one, other = ({each.strip() for each in paragraphs(place) if each.strip()} for place in (result, expected))
    return one == other


def _in_pairs(result: Place, expected: Place) -> Iterator[tuple[Any, Any]]:
    """Pair the runs of the paragraphs of two documents; what either has more is left out."""
    for one, other in zip(document(result).paragraphs, document(expected).paragraphs, strict=False):
        yield from zip(one.runs, other.runs, strict=False)


def _any_subscript(result: _Nothing, expected: Place) -> float:
    return result is not None and any(one.font.subscript and other.font.subscript for one, other in _in_pairs(result, expected))


def _old_equations(result: _Nothing, expected: Place) -> float:
    if result is None or not same_document(result, expected):
        return 0.0
    return any(one.element.xpath(".//w:object") and other.element.xpath(".//w:object") for one, other in _in_pairs(result, expected))


def _paired_pictures(result: _Nothing, expected: Place) -> float:
    return result is not None and all(
        ("graphicData" in one._element.xml) == ("graphicData" in other._element.xml) for one, other in _in_pairs(result, expected)
    )


def _any_digit(result: _Nothing) -> float:
    if result is None:
        return 0.0
    footers = [section.footer.paragraphs for section in document(result).sections]
    return all(found and any(letter.isdigit() for letter in found[0].text) for found in footers)


def _last_runs(result: _Nothing, expected: Place) -> float:
    return result is not None and bool(same_document(result, expected)) and all(run.font.strike for run in document(result).paragraphs[-1].runs)


def _no_upper_run(result: _Nothing) -> float:
    if result is None:
        return 0.0
    cells = [cell for table in document(result).tables for row in table.rows for cell in row.cells]
    tabled = [run for cell in cells for paragraph in cell.paragraphs for run in paragraph.runs]
    return not any(run.text.isupper() for run in (*_runs(result), *tabled))


def _no_other_italics(result: _Nothing, expected: Place) -> float:
    if result is None or not same_document(result, expected):
        return 0.0
    return all(run.font.size is not None and run.font.size.pt == 14 for run in _runs(result) if run.italic)


def _always_aligned(result: _Nothing) -> float:
    """They ask whether the first three words stand before the rest of their sentence."""
    return result is not None


def _coloured_runs(result: _Nothing, expected: Place, threshold: float = 3.5) -> float:
    if result is None or not same_document(result, expected):
        return 0.0
    cells = [cell for table in document(result).tables for row in table.rows for cell in row.cells]
    for run in (run for cell in cells for paragraph in cell.paragraphs for run in paragraph.runs if run.text):
        if run.font.color.rgb is None:
            raise TheirCrash("a text has no colour of its own")
        if run.font.color.rgb != ((255, 0, 0) if run.text[0].lower() in "aeiou" else (0, 0, 255)):
            return 0.0
    return 1.0


def _any_strike(result: _Nothing, rules: Rules) -> float:
    if result is None:
        raise TheirCrash("there is no result")
    slides = presentation(result).slides
    return all(
        "strike" in slides[slide].shapes[shape].text_frame.paragraphs[paragraph].runs[0].font._element.attrib
        for slide in rules["slide_index_s"]
        for shape in rules["shape_index_s"]
        for paragraph in rules["paragraph_index_s"]
    )


def _transition_of_file(result: _Nothing, rules: Rules) -> float:
    if result is None:
        raise TheirCrash("there is no result")
    with archive(result) as packed:
        try:
            root = xml(packed.read(f"ppt/slides/slide{rules['slide_idx'] + 1}.xml"))
        except (KeyError, zipfile.BadZipFile):
            return 0.0
    found = next(root.iter(slide_name("p:transition")), None)
    return found is not None and any(True for _ in found.iter(slide_name(f"p:{rules['transition_type']}")))


def _second_last_colour(result: _Nothing, rules: Rules) -> float:
    if result is None:
        raise TheirCrash("there is no result")
    with archive(result) as packed:
        root = xml(packed.read("ppt/slideMasters/slideMaster1.xml"))
    found = [one.get("val") for fill in root.iter(slide_name("a:solidFill")) for one in fill.iter(slide_name("a:srgbClr"))]
    if len(found) < 2:
        raise TheirCrash("the master has fewer than two colours")
    levels = tuple(int(found[-2][at : at + 2], 16) for at in (1, 3, 5))  # they skip a # that is not there
    name = rules["color"]
    if name == "black":
        return max(levels) < 50
    at = ("red", "green", "blue").index(name)
    return all(levels[at] > level + 50 for other, level in enumerate(levels) if other != at)


DOCUMENTS: Metrics = {
    "compare_font_names": _direct_font,
    "compare_init_lines": _first_lines,
    "compare_docx_lines": _set_of_lines,
    "compare_subscript_contains": _any_subscript,
    "compare_insert_equation": _old_equations,
    "compare_contains_image": _paired_pictures,
    "has_page_numbers_in_footers": _any_digit,
    "evaluate_strike_through_last_paragraph": _last_runs,
    "evaluate_conversion": _no_upper_run,
    "check_italic_font_size_14": _no_other_italics,
    "evaluate_alignment": _always_aligned,
    "evaluate_colored_words_in_tables": _coloured_runs,
    "check_strikethrough": _any_strike,
    "check_transition": _transition_of_file,
    "check_page_number_colors": _second_last_colour,
}
