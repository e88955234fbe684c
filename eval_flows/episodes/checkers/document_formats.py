"""The effective formats in a .docx document, wherever they are set: directly, by a style, by the style that it is based on, or by default.

The order is that of ECMA-376, part 1: direct formats, then the character style (17.7.2), the numbering (17.9.22), the paragraph style, the style
of the table and the defaults of the document. Bold, italic and strikethrough are toggles (17.7.3): two kinds of styles that both set one cancel it.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from docx.enum.text import WD_COLOR_INDEX
from docx.oxml import parse_xml
from docx.oxml.ns import qn

from eval_flows.episodes.checkers.document_lists import Numbering

Node = Any
_TWIPS, _TWIPS_IN_CM, _LINE = 20, 1440 / 2.54, 240  # twips in a point, twips in a centimetre, units in a line of single spacing
_AUTO_SPACE = 14.0  # points of the automatic space of Word, as in HTML
_OFF = ("0", "false", "off")
_TOGGLES = {"bold": ("w:b",), "italic": ("w:i",), "strike": ("w:strike", "w:dstrike")}
_ALIGNED = {"start": "left", "end": "right", "both": "justify"}
_THEMED = {"dark1": "dk1", "text1": "dk1", "light1": "lt1", "background1": "lt1", "dark2": "dk2", "text2": "dk2", "light2": "lt2"}
_THEMED |= {"background2": "lt2", "hyperlink": "hlink", "followedHyperlink": "folHlink"}
_IN_TEXT = {"w:tab": "\t", "w:ptab": "\t", "w:cr": "\n", "w:noBreakHyphen": "-"}


def characters(paragraph: Node) -> list[tuple[str, Node]]:
    """Return each character of a `w:p` with its `w:r`, including those in links, fields and tracked insertions, but not those in frames."""
    runs = (run for run in paragraph.iter(qn("w:r")) if next(run.iterancestors(qn("w:p"))) is paragraph)
    return [(character, run) for run in runs for node in run for character in _shown(node)]


def text_of(paragraph: Node) -> str:
    """Return the text of a `w:p`."""
    return "".join(character for character, _ in characters(paragraph))


def _shown(node: Node) -> str:
    if node.tag == qn("w:t"):
        return node.text or ""
    if node.tag == qn("w:br"):
        return "\n" if node.get(qn("w:type"), "textWrapping") == "textWrapping" else ""
    return next((text for name, text in _IN_TEXT.items() if node.tag == qn(name)), "")


class Formats:
    """The formats of the runs (`w:r`) and paragraphs (`w:p`) of a document that python-docx has read."""

    def __init__(self, document: Any) -> None:
        root = document.styles.element
        self._part = document.part
        self._styles = {one.get(qn("w:styleId")): one for one in root.iter(qn("w:style"))}
        ordinary = [one for one in self._styles.values() if one.get(qn("w:default")) in ("1", "true")]
        self._default = {one.get(qn("w:type")): one.get(qn("w:styleId")) for one in ordinary}
        self._run_defaults = root.find(f"{qn('w:docDefaults')}/{qn('w:rPrDefault')}/{qn('w:rPr')}")
        self._paragraph_defaults = root.find(f"{qn('w:docDefaults')}/{qn('w:pPrDefault')}/{qn('w:pPr')}")
        self.numbering = Numbering(document, self._styles)

    # --- characters

    def toggle(self, run: Node, name: str) -> bool:
        """Tell whether the format of that name (bold, italic, strikethrough) holds for a run."""
        return any(self._toggled(run, tag) for tag in _TOGGLES[name])

    def _toggled(self, run: Node, tag: str) -> bool:
        direct = _flag(run.find(qn("w:rPr")), tag)
        if direct is not None:
            return direct
        levels = [[style.find(qn("w:rPr")) for style in chain] for chain in self._chains(run)]
        set_by = [next((flag for properties in level if (flag := _flag(properties, tag)) is not None), False) for level in levels]
        return bool(_flag(self._run_defaults, tag)) or sum(set_by) % 2 == 1

    def underline(self, run: Node) -> bool:
        """Tell whether a run is underlined in any way."""
        return self._of_run(run, "w:u", "w:val") not in (None, "none")

    def size(self, run: Node) -> float | None:
        """Return the size in points."""
        half_points = self._of_run(run, "w:sz", "w:val")
        return None if half_points is None else float(half_points) / 2

    def font(self, run: Node) -> str | None:
        """Return the name of the font of Latin letters, also if it comes from the theme."""
        for properties in self._run_levels(run):
            node = None if properties is None else properties.find(qn("w:rFonts"))
            if node is not None and (themed := node.get(qn("w:asciiTheme"))):
                return self._theme_font("major" if themed.startswith("major") else "minor")
            if node is not None and (name := node.get(qn("w:ascii"))):
                return str(name)
        return None

    def colour(self, run: Node) -> str | None:
        """Return the colour as #rrggbb; None if the program chooses it."""
        for properties in self._run_levels(run):
            node = None if properties is None else properties.find(qn("w:color"))
            if node is not None:
                value = node.get(qn("w:val"))
                named = self._theme_colour(node.get(qn("w:themeColor")))
                return named if value in (None, "auto") else f"#{value.lower()}"
        return None

    def highlight(self, run: Node) -> str | None:
        """Return the colour of the highlighter, also if a program stores it as shading."""
        named = self._of_run(run, "w:highlight", "w:val")
        if named not in (None, "none"):
            return str(WD_COLOR_INDEX.from_xml(named).name.lower())
        fill = self._of_run(run, "w:shd", "w:fill")
        return {None: None, "auto": None, "none": None, "ffff00": "yellow"}.get(fill and fill.lower(), f"#{fill}".lower())

    def is_raised(self, run: Node) -> bool:
        """Tell whether a run is superscript, or raised above the line by a distance."""
        return self._of_run(run, "w:vertAlign", "w:val") == "superscript" or float(self._of_run(run, "w:position", "w:val") or 0) > 0

    # --- paragraphs

    def style(self, paragraph: Node) -> str | None:
        """Return the name of a paragraph's style as users know it, such as Heading 1."""
        found = self._styles.get(_style_of(paragraph.find(qn("w:pPr")), "w:pStyle") or self._default.get("paragraph"))
        name = None if found is None else found.find(qn("w:name")).get(qn("w:val"))
        return f"H{name[1:]}" if name and name.startswith("heading ") else name

    def heading_level(self, paragraph: Node) -> int | None:
        """Return the level of a heading, from 1, by its outline level or the name of its style; None for other text."""
        level = self.of_paragraph(paragraph, "w:outlineLvl", "w:val")
        if level is not None:
            return int(level) + 1 if int(level) < 9 else None
        for style in self._paragraph_chain(paragraph):
            head, _, number = style.find(qn("w:name")).get(qn("w:val")).lower().partition(" ")
            if head == "heading" and number.isdecimal():
                return int(number)
        return None

    def alignment(self, paragraph: Node) -> str:
        """Return the alignment: left, center, right or justify."""
        found = self.of_paragraph(paragraph, "w:jc", "w:val") or "left"
        return _ALIGNED.get(found, found)

    def line_spacing(self, paragraph: Node) -> float | str:
        """Return the spacing in lines; if it is fixed, a text in points such as `exactly 14 pt`."""
        line = float(self.of_paragraph(paragraph, "w:spacing", "w:line") or _LINE)
        rule = self.of_paragraph(paragraph, "w:spacing", "w:lineRule")
        return line / _LINE if rule in (None, "auto") else f"{'exactly' if rule == 'exact' else 'at least'} {line / _TWIPS:g} pt"

    def space(self, paragraph: Node, side: str) -> float:
        """Return the space before or after, in points."""
        if self.of_paragraph(paragraph, "w:spacing", f"w:{side}Autospacing") not in (None, *_OFF):
            return _AUTO_SPACE
        return float(self.of_paragraph(paragraph, "w:spacing", f"w:{side}") or 0) / _TWIPS

    def indent(self, paragraph: Node) -> float:
        """Return the distance of the lines from the left margin, in cm."""
        return float(self.of_paragraph(paragraph, "w:ind", "w:left", "w:start") or 0) / _TWIPS_IN_CM

    def right_indent(self, paragraph: Node) -> float:
        """Return the distance of the lines from the right margin, in cm."""
        return float(self.of_paragraph(paragraph, "w:ind", "w:right", "w:end") or 0) / _TWIPS_IN_CM

    def first_line(self, paragraph: Node) -> float:
        """Return the extra distance of the first line, in cm; below 0 if it hangs out."""
        hanging = self.of_paragraph(paragraph, "w:ind", "w:hanging")
        return -float(hanging) / _TWIPS_IN_CM if hanging else float(self.of_paragraph(paragraph, "w:ind", "w:firstLine") or 0) / _TWIPS_IN_CM

    def begins_page(self, paragraph: Node) -> bool:
        """Tell whether its format puts a paragraph on a new page."""
        flags = (_flag(properties, "w:pageBreakBefore") for properties in self._paragraph_levels(paragraph))
        return next((flag for flag in flags if flag is not None), False)

    def of_paragraph(self, paragraph: Node, tag: str, *names: str) -> str | None:
        """Return an attribute of a paragraph's format, by the first of its names that is set, from the nearest place that sets it."""
        return _first(self._paragraph_levels(paragraph), tag, *names)

    def in_list(self, paragraph: Node) -> tuple[str, int] | None:
        """Return the number (`w:numId`) of the list that holds a paragraph, and its level from 0; None outside lists."""
        number = self.of_paragraph(paragraph, "w:numPr", "w:numId")
        return None if number in (None, "0") else (str(number), int(self.of_paragraph(paragraph, "w:numPr", "w:ilvl") or 0))

    # --- where formats come from

    def _of_run(self, run: Node, tag: str, name: str) -> str | None:
        return _first(self._run_levels(run), tag, name)

    def _run_levels(self, run: Node) -> Iterator[Node | None]:
        yield run.find(qn("w:rPr"))
        for chain in self._chains(run):
            yield from (style.find(qn("w:rPr")) for style in chain)
        yield self._run_defaults

    def _paragraph_levels(self, paragraph: Node) -> Iterator[Node | None]:
        level = None
        for properties in (paragraph.find(qn("w:pPr")), *(style.find(qn("w:pPr")) for style in self._paragraph_chain(paragraph))):
            yield properties
            level = level or (None if properties is None else _attribute(properties.find(qn("w:numPr")), "w:ilvl"))
            number = None if properties is None else _attribute(properties.find(qn("w:numPr")), "w:numId")
            if number is not None:
                yield self.numbering.indents(number, int(level or 0))
        yield from (style.find(qn("w:pPr")) for style in self._table_chain(paragraph))
        yield self._paragraph_defaults

    def _chains(self, run: Node) -> Sequence[Sequence[Node]]:
        """Return the styles of a run by kind: the character's, the paragraph's, the table's; each followed by the styles that it is based on."""
        paragraph = next(run.iterancestors(qn("w:p")))
        character = self._chain(_style_of(run.find(qn("w:rPr")), "w:rStyle") or self._default.get("character"))
        return character, self._paragraph_chain(paragraph), self._table_chain(paragraph)

    def _paragraph_chain(self, paragraph: Node) -> Sequence[Node]:
        return self._chain(_style_of(paragraph.find(qn("w:pPr")), "w:pStyle") or self._default.get("paragraph"))

    def _table_chain(self, paragraph: Node) -> Sequence[Node]:
        table = next(paragraph.iterancestors(qn("w:tbl")), None)
        return () if table is None else self._chain(_style_of(table.find(qn("w:tblPr")), "w:tblStyle") or self._default.get("table"))

    def _chain(self, style_id: str | None) -> Sequence[Node]:
        found: list[Node] = []
        while (style := self._styles.get(style_id)) is not None and style not in found:
            found.append(style)
            style_id = _style_of(style, "w:basedOn")
        return found

    # --- the theme

    @cached_property
    def _theme(self) -> Node | None:
        part = next((one.target_part for one in self._part.rels.values() if one.reltype.endswith("/theme") and not one.is_external), None)
        return None if part is None else parse_xml(part.blob)

    def _theme_font(self, kind: str) -> str | None:
        found = None if self._theme is None else next(self._theme.iter(qn(f"a:{kind}Font")), None)
        return None if found is None else found.find(qn("a:latin")).get("typeface")

    def _theme_colour(self, name: str | None) -> str | None:
        found = None if self._theme is None or name is None else next(self._theme.iter(qn(f"a:{_THEMED.get(name, name)}")), None)
        colour = None if found is None or not len(found) else found[0].get("lastClr") or found[0].get("val")
        return None if colour is None else f"#{colour.lower()}"


def _style_of(properties: Node | None, tag: str) -> str | None:
    return None if properties is None else _attribute(properties.find(qn(tag)), "w:val")


def _attribute(node: Node | None, name: str) -> str | None:
    """Return an attribute, or, as in `w:numPr`, the value of the child of that name."""
    if node is None:
        return None
    child = node.find(qn(name))
    found = node.get(qn(name)) if child is None else child.get(qn("w:val"))
    return None if found is None else str(found)


def _first(levels: Iterator[Node | None], tag: str, *names: str) -> str | None:
    for properties in levels:
        node = None if properties is None else properties.find(qn(tag))
        found = next((value for name in names if (value := _attribute(node, name)) is not None), None)
        if found is not None:
            return found
    return None


def _flag(properties: Node | None, tag: str) -> bool | None:
    node = None if properties is None else properties.find(qn(tag))
    return None if node is None else node.get(qn("w:val"), "1") not in _OFF
