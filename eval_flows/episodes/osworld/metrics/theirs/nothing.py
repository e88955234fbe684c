"""Metrics of theirs that crash if there is no result."""

from typing import Any

from eval_flows.episodes.osworld.metrics import browser, gimp, system, trees, vlc, writer
from eval_flows.episodes.osworld.metrics.metric import Metric, Metrics
from eval_flows.episodes.osworld.metrics.theirs.difference import TheirCrash

_CRASHING = (
    (system, ("check_text_enlarged", "check_moved_jpgs")),
    (browser, ("check_history_deleted", "check_font_size", "is_added_to_steam_cart", "is_expected_search_query", "is_expected_installed_extensions")),
    (vlc, ("is_vlc_recordings_folder", "check_qt_slider_colours")),
    (gimp, ("increase_saturation", "decrease_brightness", "check_sharper")),
    (writer, ("check_libre_locale",)),
    (trees, ("check_left_panel",)),
)


def _crashing(metric: Metric) -> Metric:
    def theirs(result: Any, *rest: Any, **options: Any) -> float:
        if result is None:
            raise TheirCrash("there is no result")
        return float(metric(result, *rest, **options))

    return theirs


NOTHING: Metrics = {name: _crashing(module.METRICS[name]) for module, names in _CRASHING for name in names}
