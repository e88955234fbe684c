"""What presentations hold: slides, shapes, texts with their formats, backgrounds and notes. Nothing is changed by looking at it."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.oxml import parse_xml
from pptx.oxml.ns import qn

from eval_flows.episodes.checkers.care import unpacked
from eval_flows.episodes.osworld.metrics.reading import Place, content

Node = Any
Shape = Any
_BLACK = "000000"  # a text without a colour has this one, in most themes
_NOT_STRUCK = "noStrike"


def presentation(place: Place) -> Any:
    """Return a presentation (.pptx)."""
    return Presentation(unpacked(content(place)))


def all_shapes(shapes: Any) -> Iterator[Shape]:
    """Yield shapes, and those within groups instead of the groups."""
    for shape in shapes:
        if kind(shape) == MSO_SHAPE_TYPE.GROUP:
            yield from all_shapes(shape.shapes)
        else:
            yield shape


def kind(shape: Shape) -> Any:
    """Return the kind of a shape; None if python-pptx knows no name for it."""
    try:
        return shape.shape_type
    except NotImplementedError:
        return None


def solid(fill: Node | None, theme: Mapping[str, str]) -> str | None:
    """Return the colour of a node with `a:solidFill`: RRGGBB, or a changed colour of the theme by its name; None if there is none."""
    found = None if fill is None else fill.find(qn("a:solidFill"))
    if found is None or not len(found):
        return None
    name = str(found[0].get("val"))
    return name.upper() if found[0].tag == qn("a:srgbClr") else name if len(found[0]) else theme.get(name, name)


def theme_of(slide: Any) -> Mapping[str, str]:
    """Return the colours of the theme of a slide, or of a master, by the names that texts call them: RRGGBB."""
    master = slide.slide_layout.slide_master if hasattr(slide, "slide_layout") else slide
    scheme = parse_xml(master.part.part_related_by(RELATIONSHIP_TYPE.THEME).blob).find(f".//{qn('a:clrScheme')}")
    colours = {} if scheme is None else {one.tag.split("}")[1]: str(one[0].get("lastClr") or one[0].get("val")).upper() for one in scheme}
    mapped = master.element.find(qn("p:clrMap"))
    return {**colours, **({} if mapped is None else {name: colours[aim] for name, aim in mapped.attrib.items() if aim in colours})}


def background(slide: Any) -> str | None:
    """Return the colour of the background of a slide, which may be that of its layout or master; None if it is no one colour."""
    theme = theme_of(slide)
    for holder in (slide, slide.slide_layout, slide.slide_layout.slide_master):
        found = holder.element.find(f"{qn('p:cSld')}/{qn('p:bg')}/{qn('p:bgPr')}")
        if found is not None:
            return solid(found, theme)
    return None


def notes(slide: Any) -> str:
    """Return the notes of a slide; empty if it has none."""
    if not slide.has_notes_slide or slide.notes_slide.notes_text_frame is None:
        return ""
    return str(slide.notes_slide.notes_text_frame.text).strip()


def spans(paragraph: Any, names: Sequence[str], theme: Mapping[str, str]) -> list[tuple[str, tuple[Any, ...]]]:
    """Return the text of a paragraph in parts of one format, with the named formats of each."""
    letters = [(letter, tuple(of_run(run._r, name, theme) for name in names)) for run in paragraph.runs for letter in run.text]
    return [("".join(letter for letter, _ in part), formats) for formats, part in groupby(letters, lambda pair: pair[1])]


def of_run(run: Node, name: str, theme: Mapping[str, str]) -> Any:
    """Return a format of a run as the run itself sets it: font, size (hundredths of points), bold, italic, underline, strike or colour."""
    properties = run.find(qn("a:rPr"))
    if properties is None:
        return {"colour": _BLACK, "strike": _NOT_STRUCK, "underline": "none"}.get(name, False if name in ("bold", "italic") else None)
    if name == "font":
        latin = properties.find(qn("a:latin"))
        return None if latin is None else latin.get("typeface")
    if name in ("bold", "italic"):
        return properties.get(name[0], "0") in ("1", "true")
    if name == "colour":
        return solid(properties, theme) or _BLACK
    return {"size": properties.get("sz"), "underline": properties.get("u", "none"), "strike": properties.get("strike", _NOT_STRUCK)}[name]


def bullet(paragraph: Any) -> tuple[str, int]:
    """Return the sign before a paragraph, empty if there is none, and its level from 0."""
    properties = paragraph._p.find(qn("a:pPr"))
    sign = None if properties is None else properties.find(qn("a:buChar"))
    number = None if properties is None else properties.find(qn("a:buAutoNum"))
    return (sign.get("char") if sign is not None else "" if number is None else number.get("type")), paragraph.level
