"""Mistakes of theirs in metrics of pictures, sounds, films, PDF files, pages and books."""

from difflib import SequenceMatcher
from typing import Any

import numpy as np
from lxml import html
from PIL import ImageChops

from eval_flows.episodes.osworld.metrics import files, gimp, sounds, vlc
from eval_flows.episodes.osworld.metrics.metric import Metrics, Rules
from eval_flows.episodes.osworld.metrics.reading import Place, content, listed
from eval_flows.episodes.osworld.metrics.similarity import alike
from eval_flows.episodes.osworld.metrics.theirs.difference import TheirCrash

_Nothing = Place | None


def _opacity_alone(result: Any, expected: Any) -> float:
    """They ask Pillow for the box of the difference, which of pictures with opacity is that of the opacity."""
    for one, other in zip(listed(result), listed(expected), strict=False):
        if not one or not other:
            return 0.0
        try:
            apart = ImageChops.difference(gimp.picture(one), gimp.picture(other))
        except ValueError as error:
            raise TheirCrash(str(error)) from None
        if apart.getbbox():
            return 0.0
    return 1.0


def _one_mode(result: _Nothing, expected: Place) -> float:
    if result is None:
        return 0.0
    one, other = (np.asarray(gimp.picture(place)) for place in (result, expected))
    if one.shape != other.shape:
        raise TheirCrash("the pictures differ in shape")
    return gimp.similar(result, expected)


def _transposed(result: _Nothing, original: Place) -> float:
    if result is None:
        return 0.0
    found, before = (np.asarray(gimp.picture(place).convert("RGB")) for place in (result, original))
    for x in range(before.shape[1]):
        for y in range(before.shape[0]):
            if x >= before.shape[0] or y >= before.shape[1]:
                raise TheirCrash("a place lies beyond the picture")
            red, green, blue = found[x, y]
            if before[x, y].any() and not (green > red and green > blue):
                return 0.0
    return 1.0


def _second_rarest(result: _Nothing) -> float:
    if result is None:
        return 0.0
    found = np.asarray(gimp.picture(result).convert("RGB"))
    colours, counts = np.unique(found.reshape(-1, 3), axis=0, return_counts=True)
    if len(colours) < 2:
        raise TheirCrash("the picture has one colour")
    places = np.argwhere((found == colours[counts.argsort()[1]]).all(axis=2)).mean(axis=0)
    sides = np.array(found.shape[:2])
    return bool((np.abs(places - sides / 2) < 0.05 * sides).all())


def _never_nearer(original: _Nothing, result: _Nothing) -> float:
    """Every colour is yellow to them, so the thing is the whole picture."""
    if original is None or result is None:
        raise TheirCrash("there is no result")
    return 0.0


def _cut_unasked(result: _Nothing, rules: Rules) -> float:
    if result is None:
        return 0.0
    cut = "transparency" in gimp.picture(result).info or rules.get("ignore_transparent", False)
    return gimp.has_size(result, {**rules, "ignore_transparent": cut})


def _empty_file(result: _Nothing, rules: Rules) -> float:
    return result is not None and len(content(result)) < rules["max_size"]


def _both_broken(result: _Nothing, expected: _Nothing) -> float:
    if not result or not expected:
        return 0.0
    heard = []
    for place in (result, expected):
        try:
            heard.append(len(sounds._timbre(content(place))) > 0)
        except Exception:  # any decoder's error
            heard.append(False)
    return sounds.sounds_alike(result, expected) if all(heard) else float(not any(heard))


def _both_ended(result: _Nothing, expected: _Nothing, **options: int) -> float:
    if result is None or expected is None:
        raise TheirCrash("there is no film")
    return vlc.same_film(result, expected, **options) if _is_film(result) or _is_film(expected) else 1.0


def _is_film(place: Place) -> bool:
    try:
        return next(vlc._frames(place), None) is not None
    except Exception:  # any decoder's error
        return False


def _both_silent(result: Any, expected: Any) -> float:
    pairs = list(zip(listed(result), listed(expected), strict=False))
    shares = []
    for one, other in pairs:
        try:
            shares.append(alike(files._pdf_text(content(one)), files._pdf_text(content(other))))
        except Exception:  # any error of the reader
            shares.append(0.0)
    return sum(shares) / len(pairs)


def _shorter_page(result: _Nothing, expected: Place, ignore_sdnum: bool | None = None) -> float:
    if result is None:
        return 0.0
    one, other = (files._elements(html.document_fromstring(content(place)), bool(ignore_sdnum)) for place in (result, expected))
    return all(a == b for a, b in zip(one, other, strict=False))


def _shorter_book(result: _Nothing, expected: Place) -> float:
    if result is None:
        return 0.0
    one, other = (files._book(place) for place in (result, expected))
    pairs = zip(sorted(one), sorted(other), strict=False)
    return sum(SequenceMatcher(a=one[name], b=other[wanted]).ratio() for name, wanted in pairs) / len(one) if one else 0.0


PICTURES: Metrics = {
    "compare_image_list": _opacity_alone,
    "check_structure_sim": _one_mode,
    "check_file_exists_and_structure_sim": _one_mode,
    "check_green_background": _transposed,
    "check_triangle_position": _second_rarest,
    "compare_triangle_positions": _never_nearer,
    "check_image_size": _cut_unasked,
    "check_image_file_size": _empty_file,
    "compare_audios": _both_broken,
    "compare_videos": _both_ended,
    "compare_pdfs": _both_silent,
    "compare_htmls": _shorter_page,
    "compare_epub": _shorter_book,
}
