"""Pictures in the text of a .docx document: which one stands after a paragraph, how it is stretched, and at how many places one stands."""

from typing import Any

from docx.oxml.ns import qn

from eval_flows.episodes.checkers import pictures

Node = Any


def picture_after(document: Any, paragraph: Node, what: str) -> Any:
    """Return a property of the first picture that is anchored in the paragraph or in the next one."""
    drawn = _drawn_after(paragraph)
    return None if drawn is None else pictures.of_picture(document.part.related_parts[drawn.get(qn("r:embed"))].blob, what)


def drawn_stretch(document: Any, paragraph: Node) -> float | None:
    """Return how many times wider, by its height, the picture there is drawn than it is."""
    drawn = _drawn_after(paragraph)
    drawing = None if drawn is None else next(drawn.iterancestors(qn("wp:inline"), qn("wp:anchor")), None)
    extent = None if drawing is None else drawing.find(qn("wp:extent"))
    if extent is None or not int(extent.get("cy")):
        return None
    return int(extent.get("cx")) / int(extent.get("cy")) / float(picture_after(document, paragraph, "ratio"))


def drawn_times(document: Any) -> int:
    """Return at how many places of the text a picture stands: what stands there for older programs does not count."""
    places = document.element.body.iter(qn("a:blip"))
    return sum(not any(str(parent.tag).endswith("}Fallback") for parent in one.iterancestors()) for one in places)


def _drawn_after(paragraph: Node) -> Node | None:
    return next((picture for one in (paragraph, paragraph.getnext()) if one is not None for picture in one.iter(qn("a:blip"))), None)
