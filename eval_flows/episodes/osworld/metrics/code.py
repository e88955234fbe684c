"""Metrics of VS Code and of text files: settings, key bindings, extensions, contents."""

import re
from typing import Any

from lxml import html

from eval_flows.episodes.osworld.metrics.metric import Metrics, Rules, asked, unknown
from eval_flows.episodes.osworld.metrics.reading import Place, content, json_with_comments, text

_SAME_NUMBER = 1e-4


def settings_have(result: Place, rules: Rules) -> float:
    """1 if the settings of VS Code (JSON, which may have comments) have every value that is `expected`."""
    found = json_with_comments(result)
    return all(name in found and found[name] == value for name, value in asked(rules, "expected").items())


def binding_is_there(result: Place, rules: Rules) -> float:
    """1 if the key bindings of VS Code (JSON, which may have comments) have the one that is `expected`."""
    found = json_with_comments(result)
    return isinstance(found, list) and asked(rules, "expected") in found


def same_text(result: Place, expected: Place, ignore_blanks: bool = False, ignore_case: bool = False) -> float:
    """1 if two files have the same text; with `ignore_blanks`, any blank space is like a single one."""

    def shown(place: Place) -> str:
        found = text(place).lower() if ignore_case else text(place)
        return " ".join(found.split()) if ignore_blanks else found

    return shown(result) == shown(expected)


def file_is(result: Place, rules: Rules) -> float:
    """1 if a file has exactly the text that is `expected`."""
    return bool(text(result) == asked(rules, "expected"))


def answer_is(result: Any, rules: Rules) -> float:
    """1 if an answer, which is not empty, is what is `expected`."""
    return bool(result and result == asked(rules, "expected"))


def extension_installed(result: str, rules: Rules) -> float:
    """1 if a list of extensions, one a line, has the one that is `expected` (type `contain`), or lacks it (`not_contain`)."""
    kind, wanted = asked(rules, "type"), str(asked(rules, "expected")).strip().lower()
    if kind not in ("contain", "not_contain"):
        raise unknown("type", kind, ("contain", "not_contain"))
    names = [line.strip().lower().partition("@")[0] for line in result.splitlines() if line.strip()]
    return bool(names) and (wanted in names) == (kind == "contain") if wanted.count(".") == 1 else (wanted in result.lower()) == (kind == "contain")


def background_picture(result: Place, rules: Rules) -> float:
    """1 if a style in a page (HTML) has the picture `value` as a background."""
    wanted = re.compile(rf"background(?:-image)?\s*:[^;}}]*url\(\s*['\"]?{re.escape(asked(rules, 'value'))}['\"]?\s*\)")
    return any(wanted.search(one.text_content()) for one in html.fromstring(content(result)).iter("style"))


def same_or_number(result: Place, expected: Place) -> float:
    """1 if two files have the same text; a number that is expected may stand within the text, or be written in another way."""
    found, wanted = text(result).strip(), text(expected).strip()
    number = _number(wanted)
    if number is None:
        return found == wanted
    other = _number(found)
    in_text = re.search(rf"(?<![\d.]){re.escape(wanted)}(?!\.?\d)", found) is not None
    return in_text or (other is not None and abs(other - number) < _SAME_NUMBER)


def _number(written: str) -> float | None:
    try:
        return float(written)
    except ValueError:
        return None


METRICS: Metrics = {
    "check_json_settings": settings_have,
    "check_json_keybindings": binding_is_there,
    "compare_text_file": same_text,
    "compare_config": file_is,
    "compare_answer": answer_is,
    "is_extension_installed": extension_installed,
    "check_html_background_image": background_picture,
    "compare_result_files": same_or_number,
}
