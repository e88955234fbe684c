"""Metrics of VLC: its settings, what it plays, and films."""

from collections.abc import Mapping
from itertools import islice, zip_longest
from pathlib import PurePath, PureWindowsPath
from typing import Any
from urllib.parse import unquote, urlsplit

import av

from eval_flows.episodes.osworld.metrics.metric import Metric, Metrics, Rules, asked, unknown
from eval_flows.episodes.osworld.metrics.reading import Place, content, text, xml
from eval_flows.episodes.osworld.metrics.similarity import look_apart

_SLIDER = "153;210;153;20;210;20;255;199;15;245;39;29"
_BLACKISH = 100  # levels of 255
_FILE_KEYS, _URL_KEYS = ("filename", "title", "uri", "location", "name"), ("url", "URI", "location", "title", "filename")


def settings(place: Place) -> Mapping[str, str]:
    """Return the settings that a file vlcrc sets; those behind `#` are VLC's own defaults."""
    lines = (line.partition("=") for line in text(place).splitlines() if not line.lstrip().startswith("#"))
    return {name.strip(): value.strip() for name, equals, value in lines if equals}


def setting_is(name: str, key: str, default: str) -> Metric:
    """Return the metric that holds a setting of VLC, which has a default, against a rule."""

    def holds(result: Place, rules: Rules) -> float:
        return settings(result).get(name, default) == str(asked(rules, key))

    holds.__doc__ = f"1 if the setting {name} of VLC (file vlcrc; {default} if it is not set) is `{key}`."
    return holds


def records_to(result: Place, rules: Rules) -> float:
    """1 if VLC (file vlcrc) records into the folder `recording_file_path`."""
    return bool(settings(result).get("input-record-path") == asked(rules, "recording_file_path"))


def global_play_key(result: Place, rules: Rules) -> float:
    """1 if VLC (file vlcrc) has a global key for play and pause, for an `expected_global_key_play_pause` of 1, or has none, for 0."""
    return str(int(bool(settings(result).get("global-key-play-pause")))) == str(asked(rules, "expected_global_key_play_pause"))


def slider_colours(result: Place, rules: Rules) -> float:
    """1 if the colours of the volume slider (file vlcrc) are `expected_qt_slider_colours` (type `match`), or all dark (type `blackish`)."""
    found, kind = settings(result).get("qt-slider-colours", _SLIDER), asked(rules, "type")
    if kind == "match":
        return bool(found == asked(rules, "expected_qt_slider_colours"))
    if kind == "blackish":
        return all(int(level) < _BLACKISH for level in found.split(";"))
    raise unknown("type", kind, ("match", "blackish"))


def plays(result: Place, rules: Rules) -> float:
    """1 if VLC (its status.xml) plays the file `file_name` (type `file_name`) or the address `url` (type `url`)."""
    status, kind = xml(content(result)), asked(rules, "type")
    if kind not in ("file_name", "url"):
        raise unknown("type", kind, ("file_name", "url"))
    if status.findtext("state") != "playing":
        return 0.0
    said = {one.get("name"): one.text for one in status.iterfind("information/category[@name='meta']/info") if one.text}
    names = [said[key] for key in (_FILE_KEYS if kind == "file_name" else _URL_KEYS) if key in said]
    return _plays_file(names, asked(rules, "file_name")) if kind == "file_name" else _plays_url(names, asked(rules, "url"))


def _plays_file(names: list[str], wanted: str) -> bool:
    return any(PureWindowsPath(unquote(name)).name == PurePath(wanted).name for name in names)


def _plays_url(names: list[str], wanted: str) -> bool:
    """Tell whether VLC names an address: of streams, it often shows the last part alone."""
    last = PurePath(urlsplit(wanted).path).name
    return any(wanted in name or name == last for name in names)


def fills_screen(result: Any, window: Any) -> float:
    """1 if two sizes, each `width` and `height`, are the same: a window fills the screen."""
    return all(result[side] == window[side] for side in ("width", "height"))


def same_film(result: Place, expected: Place, max_frames_to_check: int = 100, threshold: int = 5) -> float:
    """1 if two films look the same in their first frames, and have as many of them; at most `threshold` frames look different.

    Frames look different if their hashes differ in more than `threshold` of 64 bits. The extra `osworld` reads films.
    """
    pairs = list(islice(zip_longest(_frames(result), _frames(expected)), max_frames_to_check))
    if not pairs or any(None in pair for pair in pairs):
        return 0.0
    return sum(look_apart(one, other) > threshold for one, other in pairs if one and other) <= threshold


def _frames(place: Place) -> Any:
    content(place)  # refuses what is no regular file
    with av.open(str(place)) as film:
        yield from (frame.to_image() for frame in film.decode(video=0))  # type: ignore[no-untyped-call]


METRICS: Metrics = {
    "is_vlc_playing": plays,
    "is_vlc_recordings_folder": records_to,
    "is_vlc_fullscreen": fills_screen,
    "check_qt_bgcone": setting_is("qt-bgcone", "expected_qt_bgcone", "1"),
    "check_qt_max_volume": setting_is("qt-max-volume", "expected_qt_max_volume", "125"),
    "check_qt_minimal_view": setting_is("qt-minimal-view", "expected_qt_minimal_view", "0"),
    "check_one_instance_when_started_from_file": setting_is(
        "one-instance-when-started-from-file", "expected_one_instance_when_started_from_file", "1"
    ),
    "check_play_and_exit": setting_is("play-and-exit", "expected_play_and_exit", "0"),
    "check_qt_slider_colours": slider_colours,
    "check_global_key_play_pause": global_play_key,
    "compare_videos": same_film,
}
