"""How alike two texts are, two pictures, or two colours: from 0 to 1, or as a distance."""

from collections import defaultdict
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.fft import dct
from scipy.ndimage import uniform_filter

Levels = NDArray[np.float64]
_WINDOW = 7  # pixels
_C1, _C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
_HASHED, _KEPT = 32, 8  # pixels on a side


def alike(one: str, other: str) -> float:
    """Return twice the longest common subsequence by the length of both texts: what rapidfuzz calls `ratio`, from 0 to 1.

    The subsequence is found 64 letters at a time (Hyyrö 2004, "Bit-parallel LCS-length computation revisited").
    """
    together = len(one) + len(other)
    if not together:
        return 1.0
    before = _beginning(one, other)
    one, other = one[before:], other[before:]
    after = _beginning(one[::-1], other[::-1])
    one, other = one[: len(one) - after], other[: len(other) - after]
    return 2 * (before + after + _common(one, other)) / together


def _beginning(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _common(one: str, other: str) -> int:
    places: defaultdict[str, int] = defaultdict(int)
    for at, letter in enumerate(one):
        places[letter] |= 1 << at
    every = (1 << len(one)) - 1
    left = every
    for letter in other:
        met = left & places.get(letter, 0)
        left = ((left + met) | (left - met)) & every
    return len(one) - left.bit_count()


def structural_similarity(one: Levels, other: Levels) -> float:
    """Return the mean SSIM (Wang et al. 2004) of two pictures of one shape (height, width) or (height, width, channels), in levels of 255.

    Windows are squares of seven pixels, as in scikit-image; `ValueError` if the shapes differ.
    """
    if one.shape != other.shape:
        raise ValueError(f"the pictures differ in shape: {one.shape} and {other.shape}")
    if one.ndim == 3:
        return float(np.mean([structural_similarity(one[..., each], other[..., each]) for each in range(one.shape[2])]))
    side = min(_WINDOW, *one.shape)
    unbiased = side**2 / max(1, side**2 - 1)

    def mean(values: Levels) -> Levels:
        edge = (side - 1) // 2
        found: Levels = uniform_filter(values, side)
        return found[edge : found.shape[0] - edge, edge : found.shape[1] - edge]

    mean_a, mean_b = mean(one), mean(other)
    spread_a, spread_b = unbiased * (mean(one * one) - mean_a**2), unbiased * (mean(other * other) - mean_b**2)
    together = unbiased * (mean(one * other) - mean_a * mean_b)
    light = (2 * mean_a * mean_b + _C1) / (mean_a**2 + mean_b**2 + _C1)
    return float((light * (2 * together + _C2) / (spread_a + spread_b + _C2)).mean())


def look_hash(picture: Image.Image) -> NDArray[np.bool_]:
    """Return 64 bits that tell how a picture looks: which of its slow waves are stronger than the middle one (pHash)."""
    small = np.asarray(picture.convert("L").resize((_HASHED, _HASHED), Image.Resampling.LANCZOS), dtype=float)
    waves = dct(dct(small, axis=0), axis=1)[:_KEPT, :_KEPT]
    found: NDArray[np.bool_] = waves > np.median(waves)
    return found


def look_apart(one: Image.Image, other: Image.Image) -> int:
    """Return in how many of 64 bits two pictures look different."""
    return int((look_hash(one) != look_hash(other)).sum())


def colour_distance(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    """Return the distance CIEDE2000 (Sharma et al. 2005) of two colours in sRGB; about 2 is just seen."""
    (light_a, a1, b1), (light_b, a2, b2) = _lab(one), _lab(other)
    chroma = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    grey = 0.5 * (1 - np.sqrt(chroma**7 / (chroma**7 + 25.0**7)))
    a1, a2 = a1 * (1 + grey), a2 * (1 + grey)
    chroma_a, chroma_b = np.hypot(a1, b1), np.hypot(a2, b2)
    hue_a, hue_b = np.degrees(np.arctan2(b1, a1)) % 360, np.degrees(np.arctan2(b2, a2)) % 360
    turn = 0.0 if not chroma_a * chroma_b else (hue_b - hue_a + 180) % 360 - 180
    hue = hue_a + hue_b if not chroma_a * chroma_b else (hue_a + turn / 2) % 360
    light, mean_chroma = (light_a + light_b) / 2, (chroma_a + chroma_b) / 2
    wave = 1 - 0.17 * _cos(hue - 30) + 0.24 * _cos(2 * hue) + 0.32 * _cos(3 * hue + 6) - 0.20 * _cos(4 * hue - 63)
    by_light = 1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2)
    by_chroma, by_hue = 1 + 0.045 * mean_chroma, 1 + 0.015 * mean_chroma * wave
    rotation = -2 * np.sqrt(mean_chroma**7 / (mean_chroma**7 + 25.0**7)) * np.sin(np.radians(60 * np.exp(-(((hue - 275) / 25) ** 2))))
    steps = (light_b - light_a) / by_light, (chroma_b - chroma_a) / by_chroma
    turned = 2 * np.sqrt(chroma_a * chroma_b) * np.sin(np.radians(turn / 2)) / by_hue
    return float(np.sqrt(steps[0] ** 2 + steps[1] ** 2 + turned**2 + rotation * steps[1] * turned))


def _cos(degrees: Any) -> Any:
    return np.cos(np.radians(degrees))


def _lab(colour: tuple[int, int, int]) -> Any:
    """Return a colour in CIELAB, under daylight D65."""
    levels = np.asarray(colour, dtype=float) / 255
    linear = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)
    matrix = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
    seen = matrix @ linear / np.array([0.95047, 1.0, 1.08883])
    bent = np.where(seen > 216 / 24389, np.cbrt(seen), (24389 / 27 * seen + 16) / 116)
    return 116 * bent[1] - 16, 500 * (bent[0] - bent[1]), 200 * (bent[1] - bent[2])
