"""Metrics of pictures: how they look, by themselves or beside the picture that they were made from."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageStat
from scipy.ndimage import label, laplace

from eval_flows.episodes.checkers.pictures import opened_picture
from eval_flows.episodes.osworld.metrics.metric import Metrics, Rules, asked
from eval_flows.episodes.osworld.metrics.reading import Place, content, listed, text
from eval_flows.episodes.osworld.metrics.similarity import Levels, structural_similarity

_SIMILAR, _SIMILAR_IN_CONTRAST, _MIRRORED = 0.9, 0.65, 0.99  # SSIM
_MIDDLE = 128  # level
_DARK = 128  # level
_NEAR = 0.05  # of a side
_LEAST_ABOVE = 0.01


def picture(place: Place) -> Image.Image:
    """Return a picture."""
    return opened_picture(content(place))


def _rgb(found: Image.Image) -> Levels:
    return np.asarray(found.convert("RGB"), dtype=float)


def _is_similar(one: Image.Image, other: Image.Image, threshold: float = _SIMILAR) -> bool:
    return one.size == other.size and structural_similarity(_rgb(one), _rgb(other)) >= threshold


def similar(result: Place, expected: Place) -> float:
    """1 if two pictures of one size have a SSIM of at least 0.9."""
    return _is_similar(picture(result), picture(expected))


def similar_by(result: Place, expected: Place, threshold: float = _SIMILAR) -> float:
    """1 if two pictures of one size have a SSIM of at least the `threshold`."""
    return _is_similar(picture(result), picture(expected), threshold)


def similar_when_resized(result: Place, expected: Place) -> float:
    """1 if the picture, cut to what is not transparent and brought to the size of the expected one, has a SSIM of at least 0.9."""
    found, wanted = picture(result), picture(expected)
    box = found.convert("RGBA").getchannel("A").getbbox()
    return box is not None and _is_similar(found.convert("RGBA").crop(box).convert("RGB").resize(wanted.size), wanted)


def looks_alike(result: Place, expected: Place, reference_base_result: float | None = None) -> float:
    """The SSIM of two pictures in grey, brought to the smaller size; from a base on, if `reference_base_result` gives one that counts as 0."""
    one, other = picture(result).convert("L"), picture(expected).convert("L")
    size = min(one.size, other.size)
    sides = [np.asarray(each.resize(size, Image.Resampling.LANCZOS), dtype=float) for each in (one, other)]
    found = structural_similarity(*sides)
    if reference_base_result is None:
        return found
    return (found - reference_base_result) / (1 - reference_base_result) if found >= reference_base_result + _LEAST_ABOVE else 0.0


def same_pixels(result: Place | Sequence[Place], expected: Place | Sequence[Place]) -> float:
    """1 if a picture, or each of a list, has the size and the pixels of the expected one."""
    pairs = [(picture(one), picture(other)) for one, other in zip(listed(result), listed(expected), strict=True)]
    return all(one.size == other.size and one.convert("RGBA").tobytes() == other.convert("RGBA").tobytes() for one, other in pairs)


# --- changes of light and colour


def _brightness(found: Image.Image) -> float:
    return ImageStat.Stat(found.convert("L")).mean[0]


def _saturation(found: Image.Image) -> float:
    return ImageStat.Stat(found.convert("RGB").convert("HSV")).mean[1]


def _evened(found: Image.Image) -> Levels:
    """Return a picture with the brightness in the middle, from 0 to 1."""
    return np.clip(np.floor(_rgb(found) * _MIDDLE / max(_brightness(found), 1e-9)), 0, 255) / 255


def darker_but_similar(result: Place, original: Place, threshold: float = 0.03) -> float:
    """1 if a picture is darker than the original and, with both at one brightness, differs by a mean square below the `threshold`."""
    one, other = picture(result), picture(original)
    if one.size != other.size or _brightness(one) >= _brightness(other):
        return 0.0
    return float(((_evened(one) - _evened(other)) ** 2).mean()) < threshold


def more_saturated_but_similar(result: Place, original: Place) -> float:
    """1 if a picture is more saturated than the original, and its hue and value each have a SSIM of at least 0.9."""
    one, other = (picture(place).convert("RGB").convert("HSV") for place in (result, original))
    if one.size != other.size or _saturation(one) <= _saturation(other):
        return 0.0
    sides = [np.asarray(each, dtype=float) for each in (one, other)]
    return all(structural_similarity(sides[0][..., at], sides[1][..., at]) >= _SIMILAR for at in (0, 2))


def more_contrast_but_similar(result: Place, original: Place) -> float:
    """1 if the levels of a picture are spread more than those of the original, with a SSIM of at least 0.65."""
    one, other = picture(result), picture(original)
    return _rgb(one).std() > _rgb(other).std() and _is_similar(one, other, _SIMILAR_IN_CONTRAST)


def more_saturated(original: Place, result: Place) -> float:
    """1 if the second picture is more saturated than the first."""
    return _saturation(picture(result)) > _saturation(picture(original))


def darker(original: Place, result: Place) -> float:
    """1 if the second picture is darker than the first."""
    return _brightness(picture(result)) < _brightness(picture(original))


def sharper(result: Place, original: Place) -> float:
    """1 if a picture is sharper than the original: its edges (Laplace) vary more."""
    one, other = (float(laplace(np.asarray(picture(place).convert("L"), dtype=float)).var()) for place in (result, original))
    return one > other


def palette_and_similar(result: Place, expected: Place) -> float:
    """1 if a picture has a palette, and a SSIM of at least 0.9 with the expected one."""
    found = picture(result)
    return found.mode == "P" and _is_similar(found, picture(expected))


def mirrored(result: Place, original: Place) -> float:
    """1 if a picture is the original, left and right exchanged: a SSIM of at least 0.99."""
    return _is_similar(picture(result).transpose(Image.Transpose.FLIP_LEFT_RIGHT), picture(original), _MIRRORED)


def green_behind(result: Place, original: Place) -> float:
    """1 if each pixel that is not black in the original is more green than red and than blue."""
    found, before = _rgb(picture(result)), _rgb(picture(original))
    if found.shape != before.shape:
        return 0.0
    behind = found[(before != 0).any(axis=2)]
    return bool((behind[:, 1] > behind[:, 0]).all() and (behind[:, 1] > behind[:, 2]).all())


# --- places and sizes


def triangle_centred(result: Place) -> float:
    """1 if the largest thing that differs from the most frequent colour has its centre within 5% of the picture's."""
    centre = _largest_thing(_unlike_background(np.asarray(picture(result).convert("RGBA"), dtype=float)))
    return centre is not None and all(abs(share - 0.5) < _NEAR for share in centre)


def yellow_nearer_to_centre(original: Place, result: Place) -> float:
    """1 if the largest yellow thing is nearer to the centre in the second picture than in the first."""
    before, after = (_largest_thing(_yellow(picture(place))) for place in (original, result))
    return before is not None and after is not None and _from_centre(after) < _from_centre(before)


def _from_centre(place: tuple[float, float]) -> float:
    return float(np.hypot(place[0] - 0.5, place[1] - 0.5))


def _unlike_background(found: Levels) -> Any:
    colours, counts = np.unique(found.reshape(-1, found.shape[2]), axis=0, return_counts=True)
    return (found != colours[counts.argmax()]).any(axis=2)


def _yellow(found: Image.Image) -> Any:
    levels = _rgb(found)
    return (levels[..., 0] > 150) & (levels[..., 1] > 150) & (levels[..., 2] < 100)


def _largest_thing(mask: Any) -> tuple[float, float] | None:
    """Return the centre of the largest connected part of a mask, as shares of its sides; None if there is none."""
    numbered, things = label(mask)
    if not things:
        return None
    sizes = np.bincount(numbered.ravel())[1:]
    places = np.argwhere(numbered == sizes.argmax() + 1).mean(axis=0) / np.array(mask.shape)
    return float(places[0]), float(places[1])


def text_at_left(result: Place) -> float:
    """1 if the dark part of a picture begins within the first 5% of its width."""
    found = picture(result).convert("RGBA")
    shown = Image.alpha_composite(Image.new("RGBA", found.size, "white"), found)  # what is transparent is not dark
    dark = np.asarray(shown.convert("L")) < _DARK
    columns = np.flatnonzero(dark.any(axis=0))
    return bool(columns.size and columns[0] < dark.shape[1] * _NEAR)


def has_size(result: Place, rules: Rules) -> float:
    """1 if a picture has the `width` and `height`, where given; with `ignore_transparent`, without its transparent edges."""
    found = picture(result)
    size = found.size
    if rules.get("ignore_transparent", False):
        left, top, right, bottom = found.convert("RGBA").getchannel("A").getbbox() or (0, 0, 0, 0)
        size = right - left, bottom - top
    return all(rules.get(name) in (None, length) for name, length in zip(("width", "height"), size, strict=True))


def small_file(result: Place, rules: Rules) -> float:
    """1 if a file is a picture of fewer than `max_size` bytes."""
    return len(content(result)) < asked(rules, "max_size") and bool(picture(result).width)


def gimp_setting(result: Place, rules: Rules) -> float:
    """1 if a line of a file of settings of GIMP begins with the `key`, one word or two, and ends with the `value`."""
    key = listed(asked(rules, "key"))
    lines = [line.strip().strip("()").split() for line in text(result).splitlines() if not line.startswith("#")]
    return any(words[: len(key)] == list(key) and words[-1] == asked(rules, "value") for words in lines if len(words) > len(key))


def is_file_in(result: Place, name: str) -> float:
    """1 if a folder of the host has a file of that name."""
    return (Path(result) / name).is_file()


METRICS: Metrics = {
    "check_structure_sim": similar,
    "check_structure_sim_with_threshold": similar_by,
    "check_file_exists_and_structure_sim": similar,
    "check_structure_sim_resized": similar_when_resized,
    "compare_images": looks_alike,
    "compare_image_list": same_pixels,
    "check_brightness_decrease_and_structure_sim": darker_but_similar,
    "check_saturation_increase_and_structure_sim": more_saturated_but_similar,
    "check_contrast_increase_and_structure_sim": more_contrast_but_similar,
    "increase_saturation": more_saturated,
    "decrease_brightness": darker,
    "check_sharper": sharper,
    "check_palette_and_structure_sim": palette_and_similar,
    "check_image_mirror": mirrored,
    "check_green_background": green_behind,
    "check_triangle_position": triangle_centred,
    "compare_triangle_positions": yellow_nearer_to_centre,
    "check_textbox_on_leftside": text_at_left,
    "check_image_size": has_size,
    "check_image_file_size": small_file,
    "check_config_status": gimp_setting,
    "check_file_exists": is_file_in,
}
