"""Metrics of the desktop and the system: from what commands print, and from listings of folders."""

import ast
import re
from collections.abc import Mapping
from typing import Any

from eval_flows.episodes.osworld.metrics.metric import Metrics, Rules, asked
from eval_flows.episodes.osworld.metrics.reading import listed

_ZONE = re.compile(r"^\s*Time zone:.*[+-](\d{4})\)\s*$", re.MULTILINE)


def favourites_are(result: str, rules: Rules) -> float:
    """1 if the favourite applications of GNOME, as `gsettings` prints their list, are those `expected`, in any order."""
    found = ast.literal_eval(result.removeprefix("@as").strip())
    return sorted(found) == sorted(asked(rules, "expected"))


def zone_is_utc(result: str) -> float:
    """1 if the time zone that `timedatectl` prints is at UTC."""
    found = _ZONE.search(result)
    return found is not None and found[1] == "0000"


def text_enlarged(result: str) -> float:
    """1 if the factor of text, as `gsettings` prints it, is above 1."""
    return float(result) > 1.0


def files_are(result: Mapping[str, Any], rules: Rules) -> float:
    """1 if a folder (as `list_directory` gives it) has exactly the names that are `expected`, in any order."""
    return sorted(one["name"] for one in result["children"]) == sorted(asked(rules, "expected"))


def printed(rules: Rules, output: str) -> float:
    """1 if the output of a command, the second argument, has every text that is `expected` by the first."""
    return all(part in output for part in listed(asked(rules, "expected")))


METRICS: Metrics = {
    "check_gnome_favorite_apps": favourites_are,
    "is_utc_0": zone_is_utc,
    "check_text_enlarged": text_enlarged,
    "check_moved_jpgs": files_are,
    "is_in_vm_clickboard": printed,
}
