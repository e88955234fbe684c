"""Metrics of one presentation, and of the settings of Impress."""

from collections.abc import Mapping
from math import dist
from typing import Any

from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER
from pptx.oxml.ns import qn
from pptx.util import Inches

from eval_flows.episodes.osworld.metrics.decks import all_shapes, background, kind, of_run, presentation, solid, theme_of
from eval_flows.episodes.osworld.metrics.metric import Metrics, Rules, asked, unknown
from eval_flows.episodes.osworld.metrics.reading import Place
from eval_flows.episodes.osworld.metrics.writer import setting

_SAVING = "/org.openoffice.Office.Common/Save/Document"
_STARTING = "/org.openoffice.Office.Impress/Misc/Start"
_FARTHEST = dist((0, 0, 0), (255, 255, 255))
_CLEARLY = 50  # levels of 255
_COLOURS = ("red", "green", "blue", "black")


def presenter_console_off(result: Place) -> float:
    """1 if the settings of LibreOffice turn the presenter console off."""
    return (setting(result, _STARTING, "EnablePresenterScreen") or "").lower() == "false"


def saves_every(result: Place, rules: Rules) -> float:
    """1 if the settings of LibreOffice save automatically every so many `minutes`."""
    return bool(int(setting(result, _SAVING, "AutoSaveTimeIntervall") or 0) == asked(rules, "minutes"))


def fills_slide(result: Place, original: Place) -> float:
    """1 if the first picture of the original's first slide is as large as the slide, and in its middle, within half an inch."""
    deck, before = presentation(result), presentation(original)
    old, new = ([one for one in each.slides[0].shapes if kind(one) == MSO_SHAPE_TYPE.PICTURE] for each in (before, deck))
    found = next(one for one in new if one.image.sha1 == old[0].image.sha1)
    width, height, near = deck.slide_width, deck.slide_height, Inches(0.5)
    apart = (found.width - width, found.height - height, found.left - (width - found.width) / 2, found.top - (height - found.height) / 2)
    return all(abs(each) <= near for each in apart)


def is_portrait(result: Place) -> float:
    """1 if the slides are higher than wide."""
    deck = presentation(result)
    return bool(deck.slide_width < deck.slide_height)


def struck_through(result: Place, rules: Rules) -> float:
    """1 if the text of paragraphs is struck through: of `slide_index_s`, `shape_index_s` and `paragraph_index_s`, each with each."""
    slides = presentation(result).slides
    for slide in asked(rules, "slide_index_s"):
        for shape in asked(rules, "shape_index_s"):
            for paragraph in asked(rules, "paragraph_index_s"):
                runs = slides[slide].shapes[shape].text_frame.paragraphs[paragraph].runs
                if not runs or any(of_run(run._r, "strike", {}) == "noStrike" for run in runs if run.text.strip()):
                    return 0.0
    return 1.0


def background_near(result: Place, rules: Rules) -> float:
    """How near, on the average, the backgrounds of slides are to `rgb`, by the distance of black and white; those of `original_rgb` count as 0."""
    wanted, original = tuple(asked(rules, "rgb")), tuple(rules.get("original_rgb") or ())
    shares = []
    for slide in presentation(result).slides:
        found = _levels(background(slide))
        shares.append(0.0 if found is None or found == original else 1 - dist(found, wanted) / _FARTHEST)
    return sum(shares) / len(shares)


def _levels(colour: str | None) -> tuple[int, ...] | None:
    try:
        return None if colour is None else tuple(bytes.fromhex(colour))
    except ValueError:  # a colour of the theme
        return None


def has_transition(result: Place, rules: Rules) -> float:
    """1 if the slide `slide_idx` (from 0) comes with a transition of the `transition_type`, such as `dissolve`."""
    slide = presentation(result).slides[asked(rules, "slide_idx")]
    wanted = asked(rules, "transition_type")
    return any(str(kind.tag).endswith(f"}}{wanted}") for one in slide.element.iter(qn("p:transition")) for kind in one.iter())


def slide_numbers_red(result: Place) -> float:
    """1 if slides show numbers, and all of them are pure red, by themselves, their layout or their master."""
    return _all_numbers(result, lambda levels: levels == (255, 0, 0))


def slide_numbers_in(result: Place, rules: Rules) -> float:
    """1 if slides show numbers, and all of them are clearly in the `color`: red, green, blue or black."""
    name = asked(rules, "color")
    if name not in _COLOURS:
        raise unknown("color", name, _COLOURS)
    return _all_numbers(result, lambda levels: _is_clearly(name, levels))


def _is_clearly(name: str, levels: tuple[int, ...]) -> bool:
    if name == "black":
        return max(levels) < _CLEARLY
    at = _COLOURS.index(name)
    return all(levels[at] > level + _CLEARLY for other, level in enumerate(levels) if other != at)


def _all_numbers(place: Place, holds: Any) -> float:
    """Tell of presentations whether the colours of all slide numbers hold; masters count alone if no slide has a number of its own."""
    deck = presentation(place)
    found = [_number_colour(shape, slide) for slide in deck.slides for shape in all_shapes(slide.shapes) if _is_number(shape)]
    found = found or [_own_colour(shape, theme_of(master)) for master in deck.slide_masters for shape in master.placeholders if _is_number(shape)]
    levels = [_levels(colour) for colour in found]
    return bool(levels) and all(each is not None and holds(each) for each in levels)


def _is_number(shape: Any) -> bool:
    """Tell whether a shape shows the number of its slide: by its place in the layout, or by a field."""
    if shape.is_placeholder and shape.placeholder_format.type == PP_PLACEHOLDER.SLIDE_NUMBER:
        return True
    return shape.has_text_frame and any(one.get("type") == "slidenum" for one in shape._element.iter(qn("a:fld")))


def _number_colour(shape: Any, slide: Any) -> str | None:
    theme = theme_of(slide)
    holders = (slide.slide_layout.placeholders, slide.slide_layout.slide_master.placeholders)
    inherited = [one for each in holders for one in each if _is_number(one)]
    return next((colour for one in (shape, *inherited) if (colour := _own_colour(one, theme)) is not None), None)


def _own_colour(shape: Any, theme: Mapping[str, str]) -> str | None:
    """Return the colour that a shape sets for its text: of its field, of its runs, or of its list style."""
    properties = [one for tag in ("a:rPr", "a:defRPr") for one in shape._element.iter(qn(tag))]
    return next((colour for one in properties if (colour := solid(one, theme)) is not None), None)


METRICS: Metrics = {
    "check_presenter_console_disable": presenter_console_off,
    "check_auto_saving_time": saves_every,
    "check_image_stretch_and_center": fills_slide,
    "check_slide_orientation_Portrait": is_portrait,
    "check_strikethrough": struck_through,
    "evaluate_presentation_fill_to_rgb_distance": background_near,
    "check_transition": has_transition,
    "check_slide_numbers_color": slide_numbers_red,
    "check_page_number_colors": slide_numbers_in,
}
