"""The metric that compares presentations shape by shape, with what is examined as options."""

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from pptx.enum.shapes import MSO_SHAPE_TYPE

from eval_flows.episodes.osworld.metrics.decks import all_shapes, background, bullet, kind, notes, presentation, spans, theme_of
from eval_flows.episodes.osworld.metrics.metric import Metrics, TaskError
from eval_flows.episodes.osworld.metrics.reading import Place

Shape = Any
Themes = tuple[Mapping[str, str], Mapping[str, str]]  # of the slide, and of the expected one
_EDGES = ("left", "top", "width", "height")
_FORMATS = {
    "font": "font_name", "size": "font_size", "bold": "font_bold", "italic": "font_italic", "colour": "color_rgb", "underline": "font_underline",
    "strike": "strike_through",
}  # fmt: skip
_EXAMINED: Mapping[str, bool] = {
    **dict.fromkeys(("number_of_slides", "shape", "text", "indent", "alignment", "bullets", "background_color", "note", *_FORMATS.values()), True),
    **dict.fromkeys(
        ("title_bottom_position", "table_bottom_position", "right_position", "top_position", "shape_for_shift_size", "image_size", "modify_height"),
        False,
    ),
}
_LOW, _RIGHT, _HIGH = 3_600_000, 4_320_000, 1_980_000  # EMU: below, right of and above these, something counts as at the bottom, right or top
_MOVED_TITLE, _SHIFTED_TEXT = "Product Comparison", "Elaborate on what you want to discuss."  # what the tasks move
_MOVED_TABLE_SLIDE, _MOVED_PICTURE_SLIDE = 2, 1


def slides_agree(result: Place, expected: Place, approximately_tolerance: float = 0.005, **options: bool) -> float:
    """1 if two presentations agree in what is examined, slide by slide and shape by shape.

    Options are `examine_...`. True unless said otherwise: number_of_slides, shape (place and size), text, indent, font_name, font_size, font_bold,
    font_italic, color_rgb, font_underline, strike_through, alignment, bullets, background_color, note. False: title_bottom_position,
    table_bottom_position, right_position, top_position, shape_for_shift_size, image_size, modify_height. Places may differ by the tolerance, a share.
    """
    asked = {name.removeprefix("examine_"): value for name, value in options.items() if name != "enable_debug"}
    if strange := set(asked) - set(_EXAMINED):
        raise TaskError(f"unknown options: {', '.join(f'examine_{name}' for name in sorted(strange))}")
    look = _Look({**_EXAMINED, **asked}, approximately_tolerance)
    one, other = (list(presentation(place).slides) for place in (result, expected))
    if look.examines("number_of_slides") and len(one) != len(other):
        return 0.0
    return bool(one) and all(look.same_slide(at, *pair) for at, pair in enumerate(zip(one, other, strict=False)))


class _Look:
    """What is examined, and how exactly."""

    def __init__(self, examined: Mapping[str, bool], tolerance: float) -> None:
        self._examined, self._tolerance = examined, tolerance
        self._formats = [name for name, option in _FORMATS.items() if examined[option]]

    def examines(self, name: str) -> bool:
        return self._examined[name]

    def same_slide(self, at: int, slide: Any, expected: Any) -> bool:
        if self.examines("background_color") and background(slide) != background(expected):
            return False
        if self.examines("note") and notes(slide) != notes(expected):
            return False
        shapes, wanted = list(slide.shapes), list(expected.shapes)
        if len(shapes) != len(wanted) or not all(self._same_place(at, *pair) for pair in zip(shapes, wanted, strict=True)):
            return False
        pairs, themes = zip_longest(all_shapes(shapes), all_shapes(wanted)), (theme_of(slide), theme_of(expected))
        return all(one is not None and other is not None and self._same_content(one, other, themes) for one, other in pairs)

    # --- places and sizes

    def _near(self, shape: Shape, other: Shape, *edges: str) -> bool:
        pairs = [(getattr(shape, edge) or 0, getattr(other, edge) or 0) for edge in edges]
        return all(a == b or (a != 0 and b != 0 and abs(a - b) / max(abs(a), abs(b)) <= self._tolerance) for a, b in pairs)

    def _same_place(self, at: int, shape: Shape, expected: Shape) -> bool:
        same = self._near(shape, expected, *_EDGES)
        kinds = {kind(shape), kind(expected)}
        texts = [one.text_frame.text if one.has_text_frame else None for one in (shape, expected)]
        has_same_text = texts[0] is not None and texts[0] == texts[1]
        is_picture, is_table = kinds == {MSO_SHAPE_TYPE.PICTURE}, kinds == {MSO_SHAPE_TYPE.TABLE}
        lower = shape.top is not None and shape.top > expected.top and shape.top >= _LOW
        checks = {
            "title_bottom_position": same if not has_same_text else texts[0] != _MOVED_TITLE or lower,
            "table_bottom_position": lower if at == _MOVED_TABLE_SLIDE and is_table else same,
            "right_position": at != _MOVED_PICTURE_SLIDE or texts != [None, None] or (shape.left > expected.left and shape.left >= _RIGHT),
            "top_position": at != _MOVED_PICTURE_SLIDE or not is_picture or (shape.top < expected.top and shape.top <= _HIGH),
            "shape_for_shift_size": same or (has_same_text and texts[0] == _SHIFTED_TEXT),
            "shape": same,
            "image_size": self._near(shape, expected, "width", "height") if is_picture else same,
            "modify_height": self._near(shape, expected, "height") if texts == [None, None] or kinds == {MSO_SHAPE_TYPE.FREEFORM} else same,
        }
        return all(holds for name, holds in checks.items() if self.examines(name))

    # --- texts

    def _same_content(self, shape: Shape, expected: Shape, themes: Themes) -> bool:
        if shape.has_text_frame != expected.has_text_frame or shape.has_table != expected.has_table:
            return False
        if shape.has_table:
            cells, wanted = ([list(row.cells) for row in one.table.rows] for one in (shape, expected))
            if [len(row) for row in cells] != [len(row) for row in wanted]:
                return False
            pairs = [pair for rows in zip(cells, wanted, strict=True) for pair in zip(*rows, strict=True)]
            return all(self._same_text(one.text_frame, other.text_frame, themes) for one, other in pairs)
        return not shape.has_text_frame or self._same_text(shape.text_frame, expected.text_frame, themes)

    def _same_text(self, frame: Any, expected: Any, themes: Themes) -> bool:
        one, other = self._shown(frame, themes[0]), self._shown(expected, themes[1])
        return one == other if self.examines("text") else all(a == b for a, b in zip(one, other, strict=False))

    def _shown(self, frame: Any, theme: Mapping[str, str]) -> list[Any]:
        """Return what is examined of each paragraph with text, and of the empty ones between them."""
        found = list(frame.paragraphs)
        while found and not found[-1].text.strip():
            found.pop()
        return [self._paragraph(one, theme) for one in found]

    def _paragraph(self, paragraph: Any, theme: Mapping[str, str]) -> tuple[Any, ...]:
        parts = spans(paragraph, self._formats, theme)
        return (
            paragraph.text if self.examines("text") else None,
            str(paragraph.alignment or "LEFT (1)") if self.examines("alignment") else None,
            paragraph.level if self.examines("indent") else None,
            bullet(paragraph) if self.examines("bullets") and paragraph.text.strip() else None,
            parts if self.examines("text") else [formats for _, formats in parts],
        )


METRICS: Metrics = {"compare_pptx_files": slides_agree}
