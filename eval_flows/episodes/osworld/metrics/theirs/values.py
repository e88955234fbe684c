"""Mistakes of theirs in metrics of values, texts, browsers, programs and the system."""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import yaml

from eval_flows.episodes.osworld.metrics import general, vlc
from eval_flows.episodes.osworld.metrics.matching import holds
from eval_flows.episodes.osworld.metrics.metric import Metric, Metrics, Rules
from eval_flows.episodes.osworld.metrics.reading import Place, content, json_file, text, xml
from eval_flows.episodes.osworld.metrics.theirs.difference import TheirCrash


def _favourites(result: Any, rules: Rules) -> float:
    try:
        found = ast.literal_eval(result)
    except (ValueError, SyntaxError, TypeError) as error:
        raise TheirCrash(str(error)) from None
    return len(found) == len(rules["expected"]) and set(found) == set(rules["expected"])


def _fourth_line(result: Any) -> float:
    try:
        return str(result.split("\n")[3]).endswith("+0000)")
    except (AttributeError, IndexError) as error:
        raise TheirCrash(str(error)) from None


def _in_list(result: Any, rules: Rules) -> float:
    if result is None:
        raise TheirCrash("there is no result")
    return rules["expected"] in result


def _never_rules(result: Any, expected: Any, type: str = "str", ignore_case: bool = False) -> float:
    return 0.0 if isinstance(expected, Mapping) else general.equals_literally(result, expected, type, ignore_case)


def _quoted(result: Any, rules: Rules) -> float:
    if isinstance(result, str):
        try:
            result = json.loads(result.strip().replace("'", '"'))
        except ValueError as error:
            raise TheirCrash(str(error)) from None
    if result is None:
        return 0.0
    wanted = rules["expected"]
    if rules.get("expect_in_result", False):
        return all(_one_of(result.get(key), value) for key, value in wanted.items())
    if wanted.get("ignore_list_order", False):
        return 0.0  # it takes the switch itself for a list to sort
    return all(result.get(key) == value for key, value in wanted.items())


def _one_of(got: Any, wanted: Any) -> bool:
    if isinstance(wanted, list):
        return any(each in got if isinstance(got, list) else each == got for each in wanted)
    return isinstance(wanted, str) and got is not None and wanted in got


def _first_in_second(result: Place, expected: Place) -> float:
    one, other = json_file(result), json_file(expected)
    return all(key in other and other[key] == value for key, value in one.items())


def _within_day(result: Place, minutes: Any) -> float:
    then = datetime.strptime(text(result).splitlines()[1].split(",")[1][-5:], "%H:%M")
    now = datetime.now()
    return abs((then.hour - now.hour) * 60 + then.minute - now.minute) < int(minutes)


def _same_output(result: Place, output: str) -> float:
    return bool(output) and text(result) == output


# --- browsers


def _as_written(one: Any, other: Any) -> bool:
    def normal(url: str) -> Any:
        found = urlparse(url)
        return found._replace(
            scheme=(found.scheme or "http").lower(), netloc=found.netloc.lower().replace("www.", ""), path="" if found.path == "/" else found.path
        )

    return bool(one == other) if one is None or other is None else normal(one) == normal(other)


def _active_tab(result: Any, rules: Rules) -> float:
    return bool(result) and _as_written(rules["url"], result["url"] if isinstance(result, Mapping) else result)


def _tabs_one_way(result: Any, rules: Rules) -> float:
    if result is None:
        raise TheirCrash("there is no result")
    found = [tab["url"] for tab in result]
    return len(found) == len(rules["urls"]) and all(any(_as_written(url, one) for one in found) for url in rules["urls"])


def _cookies_of_host(result: Any, rules: Rules) -> float:
    if result is None:
        raise TheirCrash("there is no result")
    return not any(_as_written(domain, row[1]) for domain in rules["domains"] for row in result)


def _experiments_in_order(result: Any, rules: Rules) -> float:
    if result is None:
        raise TheirCrash("there is no result")
    return bool([one.split("@")[0] for one in result] == rules["names"])


def _shortcut_with_end(result: Any, rules: Rules) -> float:
    if result is None:
        raise TheirCrash("there is no result")
    if rules["type"] == "description":
        return any(rules["description"] in str(json.loads(one)["data"]["description"]) for one in result.values())
    return any(f"{rules['type'].capitalize()}={rules[rules['type']]}\n" in one for one in result.values())


# --- programs


def _plain_json(result: Place | None, rules: Rules) -> float:
    try:
        found = json.loads(Path(result or "").read_text())
    except (ValueError, OSError):
        return 0.0
    return all(key in found and found[key] == value for key, value in rules["expected"].items())


def _plain_bindings(result: Place | None, rules: Rules) -> float:
    """They try the file as it is, and then without its first line."""
    if result is None:
        return 0.0
    written = Path(result).read_text()
    for source in (written, written.partition("\n")[2]):
        try:
            found = json.loads(source)
        except ValueError:
            continue
        if isinstance(found, list):
            return rules["expected"] in found
    return 0.0


def _extension_within(result: Any, rules: Rules) -> float:
    if result is None:
        raise TheirCrash("there is no result")
    return bool((rules["expected"] in result) == (rules["type"] == "contain"))


def _json_by_keys(result: Place | None, rules: Rules, is_yaml: bool = False) -> float:
    if result is None:
        return 0.0
    found = yaml.safe_load(text(result)) if is_yaml else json_file(result)
    for rule in rules.get("expect", []):
        value = found
        for key in rule["key"]:
            try:
                value = value[key]
            except KeyError:
                return 0.0
            except (IndexError, TypeError) as error:
                raise TheirCrash(str(error)) from None
        if not holds(value, rule):
            return 0.0
    return 1.0


def _mail_in_one(result: Any, expected: Any, **options: bool) -> float:
    """They look for `FROM - ` in capitals, which no folder has: a folder is one message."""
    pairs = zip(result, expected, strict=False) if isinstance(expected, list) else [(result, expected)]
    return all(one is not None and _whole(one, **options) == _whole(other, **options) for one, other in pairs)


def _whole(place: Place, remove_deleted: bool = True, **_: bool) -> str:
    found = text(place).strip()
    return "" if remove_deleted and re.search(r"X-Mozilla-Status: 000[89]", found) else found


def _with_comments(name: str, key: str, default: str) -> Metric:
    def theirs(result: Place | None, rules: Rules) -> float:
        if result is None:
            raise TheirCrash("there is no result")
        found = [line for line in text(result).split("\n") if f"{name}=" in line]
        value = found[-1].split("=")[-1].strip() if found else default
        return bool(value == str(rules[key]))

    return theirs


def _any_end(result: Place | None, rules: Rules) -> float:
    if result is None:
        raise TheirCrash("there is no result")
    if rules["type"] != "file_name":
        return vlc.plays(result, rules)
    root = xml(content(result))
    said: Sequence[str] = [
        one.text for key in vlc._FILE_KEYS for one in root.iterfind(f"information/category[@name='meta']/info[@name='{key}']") if one.text
    ]
    return root.findtext("state") == "playing" and bool(said) and said[0].endswith(rules["file_name"])


VALUES: Metrics = {
    "check_gnome_favorite_apps": _favourites,
    "is_utc_0": _fourth_line,
    "is_in_list": _in_list,
    "literal_match": _never_rules,
    "check_direct_json_object": _quoted,
    "is_included_all_json_objects": _first_in_second,
    "compare_time_in_speedtest_results": _within_day,
    "compare_terminal_and_txt": _same_output,
    "is_expected_active_tab": _active_tab,
    "is_expected_tabs": _tabs_one_way,
    "is_cookie_deleted": _cookies_of_host,
    "check_enabled_experiments": _experiments_in_order,
    "is_shortcut_on_desktop": _shortcut_with_end,
    "check_json_settings": _plain_json,
    "check_json_keybindings": _plain_bindings,
    "is_extension_installed": _extension_within,
    "check_json": _json_by_keys,
    "check_thunderbird_folder": _mail_in_one,
    "is_vlc_playing": _any_end,
    "check_qt_bgcone": _with_comments("qt-bgcone", "expected_qt_bgcone", "1"),
    "check_qt_max_volume": _with_comments("qt-max-volume", "expected_qt_max_volume", "125"),
    "check_qt_minimal_view": _with_comments("qt-minimal-view", "expected_qt_minimal_view", "0"),
    "check_one_instance_when_started_from_file": _with_comments(
        "one-instance-when-started-from-file", "expected_one_instance_when_started_from_file", "1"
    ),
}
