"""Metrics of browsers: tabs, bookmarks, cookies, history, settings, shortcuts."""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any
from urllib.parse import urlsplit

from eval_flows.episodes.osworld.metrics.matching import same_address
from eval_flows.episodes.osworld.metrics.metric import Metrics, Rules, TaskError, asked, unknown
from eval_flows.episodes.osworld.metrics.reading import listed

_LIKED = "Liked Authors"  # a folder of one task
_PAGE_RULES = ("url_must_include", "body_must_include", "body_must_exclude")
_MOST_TABS = 8  # beyond, tabs are paired one after the other


def _kind(rules: Rules, *known: str) -> str:
    kind = str(asked(rules, "type"))
    if kind not in known:
        raise unknown("type", kind, known)
    return kind


def _url(tab: Any) -> str:
    return str(tab["url"] if isinstance(tab, Mapping) else tab)


def tab_is(result: Any, rules: Rules) -> float:
    """1 if the tab in front shows the `url` (type `url`); a slash at the end of the path and `www.` do not matter."""
    _kind(rules, "url")
    return same_address(_url(result), asked(rules, "url"))


def tab_is_but_query(result: Any, rules: Rules) -> float:
    """1 if the tab in front shows the `url` (type `url`), whatever query follows."""
    _kind(rules, "url")
    return same_address(*(urlsplit(url)._replace(query="").geturl() for url in (_url(result), asked(rules, "url"))))


def url_matches(result: Any, rules: Rules) -> float:
    """1 if every pattern that is `expected` is found in the address of the tab in front."""
    return all(re.search(pattern, _url(result)) is not None for pattern in listed(asked(rules, "expected")))


def query_matches(result: Any, rules: Rules) -> float:
    """1 if the pattern `expect.pattern` is found in the address of the tab in front."""
    return re.search(asked(asked(rules, "expect"), "pattern"), _url(result)) is not None


def tabs_are(result: Sequence[Any], rules: Rules) -> float:
    """1 if the open tabs show the `urls` (type `url`), each as often, in any order."""
    _kind(rules, "url")
    found, left = list(map(_url, result)), list(asked(rules, "urls"))
    if len(found) != len(left):
        return 0.0
    for url in found:
        match = next((one for one in left if same_address(url, one)), None)
        if match is None:
            return 0.0
        left.remove(match)
    return 1.0


def has_texts_in_page(result: Any, rules: Rules) -> float:
    """1 if the page in front has every text of `items`."""
    return all(item in result["content"] for item in asked(rules, "items"))


def page_includes(result: Mapping[str, Any], rules: Rules) -> float:
    """1 if the address in front has every text of `url_must_include`, and its page all of `body_must_include` and none of `body_must_exclude`.

    Case does not matter. Rules without a text to include are a mistake of the task.
    """
    url, body = (str(result[key]).lower() for key in ("url", "body"))
    in_url, in_body, not_in_body = ([str(one).lower() for one in rules.get(key, [])] for key in _PAGE_RULES)
    if not in_url and not in_body:
        raise TaskError(f"rules have nothing that must be included: neither {_PAGE_RULES[0]} nor {_PAGE_RULES[1]}")
    return all(one in url for one in in_url) and all(one in body for one in in_body) and not any(one in body for one in not_in_body)


# --- bookmarks


def bookmarks_are(result: Any, rules: Rules) -> float:
    """1 if the bar of bookmarks has exactly the folders `names` (type bookmark_bar_folders_names) or addresses `urls` (bookmark_bar_websites_urls).

    With type liked_authors_websites_urls, the folder "Liked Authors" has them; a list among `urls` is of addresses of which one is wanted.
    """
    kind = _kind(rules, "bookmark_bar_folders_names", "bookmark_bar_websites_urls", "liked_authors_websites_urls")
    bar = result["bookmark_bar"]["children"]
    if kind == "bookmark_bar_folders_names":
        return {one["name"] for one in bar if one["type"] == "folder"} == set(asked(rules, "names"))
    if kind == "bookmark_bar_websites_urls":
        return _are({one["url"] for one in bar if one["type"] == "url"}, asked(rules, "urls"))
    folder = next(one for one in bar if one["type"] == "folder" and one["name"] == _LIKED)
    return _are({one["url"] for one in folder["children"] if one["type"] == "url"}, asked(rules, "urls"))


def _are(found: set[str], wanted: Sequence[Any]) -> bool:
    """Tell whether addresses are the wanted ones, each of which may be one of a list."""
    if len(found) != len(wanted) or len(wanted) > _MOST_TABS:
        return len(found) == len(wanted) and all(any(same_address(url, one) for each in wanted for one in listed(each)) for url in found)
    return any(
        all(any(same_address(url, one) for one in listed(each)) for url, each in zip(order, wanted, strict=True)) for order in permutations(found)
    )


# --- cookies and history


def cookies_gone(result: Sequence[Sequence[Any]], rules: Rules) -> float:
    """1 if no cookie is of one of the `domains` (type `domains`) or of a host in it. Cookies are rows of Chrome's table, hosts the second column."""
    _kind(rules, "domains")
    hosts = [str(row[1]).lower() for row in result]
    return not any(_is_of(host, str(domain).lower()) for host in hosts for domain in asked(rules, "domains"))


def _is_of(host: str, domain: str) -> bool:
    host, domain = (name.removeprefix(".").removeprefix("www.").removeprefix(".") for name in (host, domain))
    return host == domain or host.endswith(f".{domain}")


def history_gone(result: Sequence[Sequence[Any]], rules: Rules) -> float:
    """1 if no address that was visited has one of the `keywords` (type `keywords`)."""
    _kind(rules, "keywords")
    return not any(keyword in str(row[0]) for row in result for keyword in asked(rules, "keywords"))


# --- settings


def extensions_installed(result: Sequence[str], rules: Rules) -> float:
    """1 if all extensions that are `expected` are installed."""
    return set(asked(rules, "expected")) <= set(result)


def experiments_are(result: Sequence[str], rules: Rules) -> float:
    """1 if exactly the experiments `names` (type `names`) are turned on, in any order."""
    _kind(rules, "names")
    return sorted(str(one).split("@")[0] for one in result) == sorted(asked(rules, "names"))


def font_size_is(result: Mapping[str, Any], rules: Rules) -> float:
    """1 if the default font size is the `value` (type `value`), or between `min` and `max` (type `range`)."""
    size = result["default_font_size"]
    if _kind(rules, "value", "range") == "value":
        return bool(size == asked(rules, "value"))
    return bool(asked(rules, "min") < size < asked(rules, "max"))


def edge_font_size_is(result: Mapping[str, Any], rules: Rules) -> float:
    """1 if the default font size is the `value` (type `value`), or at least `min` and below `max` (type `range`)."""
    size = result["default_font_size"]
    if _kind(rules, "value", "range") == "value":
        return bool(size == asked(rules, "value"))
    return bool(asked(rules, "min") <= size < asked(rules, "max"))


# --- shortcuts on the desktop


def shortcut_is_there(result: Mapping[str, str], rules: Rules) -> float:
    """1 if a shortcut on the desktop has the `name`, the `exec` or, on Windows, the `description`, as the type says."""
    kind = _kind(rules, "name", "exec", "description")
    wanted = asked(rules, kind)
    if kind == "description":
        return any(wanted in _description(one) for one in result.values())
    return any(f"{kind.capitalize()}={wanted}" in one.splitlines() for one in result.values())


def _description(shortcut: str) -> str:
    try:
        return str(json.loads(shortcut)["data"]["description"])
    except (ValueError, KeyError, TypeError):
        return ""


def address_is_there(result: Mapping[str, str], rules: Rules) -> float:
    """1 if a shortcut to an address (.url) on the desktop has the text `url_content` (type `url`)."""
    _kind(rules, "url")
    return any(asked(rules, "url_content") in one for one in result.values())


METRICS: Metrics = {
    "is_expected_active_tab": tab_is,
    "is_expected_active_tab_approximate": tab_is_but_query,
    "is_expected_url_pattern_match": url_matches,
    "is_expected_search_query": query_matches,
    "is_expected_tabs": tabs_are,
    "check_url_and_content_include": page_includes,
    "is_added_to_steam_cart": has_texts_in_page,
    "is_expected_bookmarks": bookmarks_are,
    "is_cookie_deleted": cookies_gone,
    "check_history_deleted": history_gone,
    "is_expected_installed_extensions": extensions_installed,
    "check_enabled_experiments": experiments_are,
    "check_font_size": font_size_is,
    "check_edge_font_size": edge_font_size_is,
    "is_shortcut_on_desktop": shortcut_is_there,
    "is_url_shortcut_on_desktop": address_is_there,
}
