"""Metrics of how documents of Writer look: effective formats count, wherever they are set."""

import re
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

from docx.enum.text import WD_TAB_ALIGNMENT
from docx.oxml.ns import qn

from eval_flows.episodes.checkers.document_formats import Formats, characters, text_of
from eval_flows.episodes.osworld.metrics.metric import Metrics, Rules, asked
from eval_flows.episodes.osworld.metrics.reading import Place, parts, xml
from eval_flows.episodes.osworld.metrics.similarity import colour_distance
from eval_flows.episodes.osworld.metrics.writer import document, same_document

Node = Any
_COLOUR_THRESHOLD = 3.5  # by CIEDE2000
_RED, _BLUE = (255, 0, 0), (0, 0, 255)
_EQUATIONS = (qn("w:object"), "{http://schemas.openxmlformats.org/officeDocument/2006/math}oMath")
_LEFT_WORDS = 3
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}name"
_BEHIND = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}background-color"


def _all_runs(found: Any) -> Iterator[Node]:
    """Yield the runs that show text, also those in tables, but not those in frames."""
    for run in found.element.body.iter(qn("w:r")):
        if any(one.text and one.text.strip() for one in run.findall(qn("w:t"))) and next(run.iterancestors(qn("w:txbxContent")), None) is None:
            yield run


def _stretches(found: Any, has: Callable[[Formats, Node], bool]) -> list[str]:
    """Return the parts of the text whose letters have a format, without blank space at their ends."""
    formats = Formats(found)
    texts = [
        "".join(letter for letter, _ in part).strip()
        for paragraph in found.element.body.iter(qn("w:p"))
        for formatted, part in groupby(characters(paragraph), lambda pair: has(formats, pair[1]))
        if formatted
    ]
    return [text for text in texts if text]


def all_in_font(result: Place, rules: Rules) -> float:
    """1 if all text of a document is in the font `font_name`; 0 if there is no text."""
    found, wanted = document(result), asked(rules, "font_name")
    formats, runs = Formats(found), list(_all_runs(found))
    return bool(runs) and all(formats.font(run) == wanted for run in runs)


def page_breaks(result: Place, rules: Rules | None = None) -> float:
    """1 if a document has page breaks in its text: `page_break_count` of them, or at least one."""
    found = sum(one.get(qn("w:type")) == "page" for one in document(result).element.body.iter(qn("w:br")))
    return bool(found == rules["page_break_count"]) if rules and "page_break_count" in rules else found > 0


def same_line_spacing(result: Place, expected: Place) -> float:
    """1 if two documents have the same text and, paragraph by paragraph, the same line spacing."""
    one, other = document(result), document(expected)
    spacings = [[Formats(each).line_spacing(paragraph._p) for paragraph in each.paragraphs] for each in (one, other)]
    return bool(same_document(result, expected)) and spacings[0] == spacings[1]


def has_equation(result: Place, expected: Place) -> float:
    """1 if two documents have the same text, and as many equations, at least one."""
    one, other = (sum(1 for _ in document(place).element.body.iter(*_EQUATIONS)) for place in (result, expected))
    return bool(same_document(result, expected)) and one == other > 0


def same_subscripts(result: Place, expected: Place) -> float:
    """1 if every subscript of the expected document, at least one, is a subscript of the result."""

    def lowered(formats: Formats, run: Node) -> bool:
        found = run.find(f"{qn('w:rPr')}/{qn('w:vertAlign')}")
        return found is not None and found.get(qn("w:val")) == "subscript"

    found, wanted = (_stretches(document(place), lowered) for place in (result, expected))
    return bool(wanted) and all(found.count(one) >= wanted.count(one) for one in wanted)


def numbered_pages(result: Place) -> float:
    """1 if the footer of every section has a field with the number of the page."""
    return all(_numbers_pages(section.footer._element) for section in document(result).sections)


def _numbers_pages(footer: Node) -> bool:
    codes = [one.text or "" for one in footer.iter(qn("w:instrText"))] + [one.get(qn("w:instr"), "") for one in footer.iter(qn("w:fldSimple"))]
    return any(code.split()[:1] == ["PAGE"] for code in codes)


def first_line_centred(result: Place) -> float:
    """1 if the first paragraph of a document is centred."""
    found = document(result)
    return Formats(found).alignment(found.paragraphs[0]._p) == "center"


def tab_stops_alike(result: Place, expected: Place, word_number_split_by_tabstop: int | None = None, index: int = 0) -> float:
    """How near the tab stops of the paragraphs of two documents are, by the width of the text; 0 if their number or kind differs.

    With `word_number_split_by_tabstop`, each paragraph has so many words in its part number `index` between tabs.
    """
    wanted = document(expected)
    one, other = ([paragraph for paragraph in each.paragraphs if paragraph.text.strip()] for each in (document(result), wanted))
    if len(one) != len(other) or not one:
        return 0.0
    if word_number_split_by_tabstop is not None and any(
        len(paragraph.text.split("\t")[index].split()) != word_number_split_by_tabstop for paragraph in one
    ):
        return 0.0
    section = wanted.sections[0]
    width = section.page_width - section.left_margin - section.right_margin
    apart = 0.0
    for stops, expected_stops in zip(map(_stops, one), map(_stops, other), strict=True):
        if [stop.alignment for stop in stops] != [stop.alignment for stop in expected_stops]:
            return 0.0
        apart += sum(abs(stop.position - each.position) for stop, each in zip(stops, expected_stops, strict=True)) / width
    return 1 - apart / len(one)


def _stops(paragraph: Any) -> list[Any]:
    return [
        stop
        for stop in paragraph.paragraph_format.tab_stops
        if stop.alignment != WD_TAB_ALIGNMENT.CLEAR and not (stop.alignment == WD_TAB_ALIGNMENT.LEFT and stop.position == 0)
    ]


def vowels_red_others_blue(result: Place, expected: Place, threshold: float = _COLOUR_THRESHOLD) -> float:
    """1 if two documents have the same text and, in the tables of the result, words that begin with a vowel are red and others blue.

    `threshold` is how far, by CIEDE2000, a colour may be from red or blue.
    """
    found = document(result)
    formats = Formats(found)
    words = [word for table in found.element.body.iter(qn("w:tbl")) for paragraph in table.iter(qn("w:p")) for word in _words(paragraph)]
    return bool(words) and bool(same_document(result, expected)) and all(_is_coloured(formats, word, threshold) for word in words)


def _words(paragraph: Node) -> list[list[tuple[str, Node]]]:
    return [list(part) for is_word, part in groupby(characters(paragraph), lambda pair: not pair[0].isspace()) if is_word]


def _is_coloured(formats: Formats, word: list[tuple[str, Node]], threshold: float) -> bool:
    wanted = _RED if word[0][0].lower() in "aeiou" else _BLUE
    colours = [formats.colour(run) for _, run in word]
    return all(one is not None and colour_distance(_levels(one), wanted) <= threshold for one in colours)


def _levels(colour: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue


def no_yellow(result: Place, expected: Place) -> float:
    """1 if two documents (.odt) have the same text, and the result has no yellow behind it."""
    root = xml(parts(result)["content.xml"])
    yellow = {style.get(_STYLE) for style in root.iter("{*}style") if any(one.get(_BEHIND) == "#ffff00" for one in style)}
    used = {value for node in root.iter("{*}span", "{*}p", "{*}h") for name, value in node.attrib.items() if name.endswith("}style-name")}
    return bool(same_document(result, expected)) and not yellow & used


def same_highlights(result: Place, expected: Place) -> float:
    """1 if the same texts of two documents are highlighted."""
    one, other = (sorted(_stretches(document(place), lambda formats, run: formats.highlight(run) is not None)) for place in (result, expected))
    return one == other


def last_paragraph_struck(result: Place, expected: Place) -> float:
    """1 if two documents have the same text, and the last paragraph with text is struck through."""
    found = document(result)
    formats = Formats(found)
    letters = next(characters(one._p) for one in reversed(found.paragraphs) if one.text.strip())
    return bool(same_document(result, expected)) and all(formats.toggle(run, "strike") for letter, run in letters if not letter.isspace())


def nothing_upper(result: Place) -> float:
    """1 if a document, with its tables, has text, and none of it is in upper case."""
    words = [word for paragraph in document(result).element.body.iter(qn("w:p")) for word in text_of(paragraph).split()]
    return bool(words) and not any(word.isupper() for word in words)


def spaced_essay(result: Place) -> float:
    """1 if the first three paragraphs with text have a line spacing of 1, 2 and 1.5."""
    found = document(result)
    formats = Formats(found)
    return [formats.line_spacing(one._p) for one in found.paragraphs if one.text.strip()][:3] == [1.0, 2.0, 1.5]


def italics_in_14(result: Place, expected: Place) -> float:
    """1 if two documents have the same text, and the italic text of the result, of which there is some, has 14 points."""
    found = document(result)
    formats = Formats(found)
    italic = [run for run in _all_runs(found) if formats.toggle(run, "italic")]
    return bool(italic) and bool(same_document(result, expected)) and all(formats.size(run) == 14.0 for run in italic)


def three_words_left(result: Place) -> float:
    """1 if in each sentence of more than three words, of which there is at least one, a tab or wide blank follows the first three."""
    sentences = [sentence.strip() for one in document(result).paragraphs for sentence in one.text.split(".")]
    long = [sentence for sentence in sentences if len(sentence.split()) > _LEFT_WORDS]
    return bool(long) and all(_is_parted(sentence) for sentence in long)


def _is_parted(sentence: str) -> bool:
    return re.match(r"\S+ \S+ \S+(\t| {2,})\s*\S", sentence) is not None


METRICS: Metrics = {
    "compare_font_names": all_in_font,
    "contains_page_break": page_breaks,
    "compare_line_spacing": same_line_spacing,
    "compare_insert_equation": has_equation,
    "compare_subscript_contains": same_subscripts,
    "has_page_numbers_in_footers": numbered_pages,
    "is_first_line_centered": first_line_centred,
    "check_tabstops": tab_stops_alike,
    "evaluate_colored_words_in_tables": vowels_red_others_blue,
    "check_highlighted_words": no_yellow,
    "compare_highlighted_text": same_highlights,
    "evaluate_strike_through_last_paragraph": last_paragraph_struck,
    "evaluate_conversion": nothing_upper,
    "evaluate_spacing": spaced_essay,
    "check_italic_font_size_14": italics_in_14,
    "evaluate_alignment": three_words_left,
}
