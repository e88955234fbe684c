"""Getters of what a browser shows: the address in front by the accessibility tree, pages by the browser's DevTools inside the machine."""

import base64
import json
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from eval_flows.episodes.osworld.getters.getter import Asked, Getters, Guest, TaskError, asked, cached, json_from_python, nodes

_PORTS = (1337, 9222)  # tasks start Chrome with the first, and offer it at the second
_BROWSERS = ("chrome", "chromium", "edge")
_ADDRESS_BAR = "Address and search bar"
_CATEGORIES = ("class", "label", "xpath", "input", "class&url")
_PAGE = "({title: document.title, url: location.href, content: document.documentElement.outerHTML})"
_BODY = "document.body.innerText"
_INFOS = ("inner_text", "attribute", "click_and_inner_text", "click_and_attribute")


@cache
def _beside(name: str) -> str:
    return Path(__file__).with_name(name).read_text()


def _devtools(guest: Guest, do: str, **rest: Any) -> Any:
    """Return what the browser of the machine answers; None if it does not."""
    return json_from_python(guest, _beside("devtools.py"), json.dumps({"do": do, "ports": _PORTS, **rest}))


def active_url_from_access_tree(guest: Guest, wanted: Asked) -> str | None:
    """The address of the tab in front, by the browser's address bar, or None; `goto_prefix` (https://) comes before one without a scheme."""
    bars = [
        node.text.strip()
        for program in nodes(guest, "application")
        if any(name in str(program.get("name")).lower() for name in _BROWSERS)
        for node in program.iter("entry")
        if node.get("name") == _ADDRESS_BAR and node.text and node.text.strip()
    ]
    if not bars:
        return None
    return bars[0] if "://" in bars[0] else f"{wanted.get('goto_prefix', 'https://')}{bars[0]}"


def active_tab_info(guest: Guest, wanted: Asked) -> Mapping[str, str] | None:
    """The `title`, `url` and `content` (HTML) of the tab in front; of an address alone where the browser does not answer. None without a tab."""
    url = active_url_from_access_tree(guest, wanted)
    if url is None:
        return None
    found = _devtools(guest, "evaluate", url=url, scripts=[_PAGE])
    return found[0] if found and found[0] else {"title": "", "url": url, "content": ""}


def active_tab_info_simple(guest: Guest, wanted: Asked) -> Mapping[str, str] | None:
    """The `url` of the tab in front by the browser's address bar, with an empty `title` and `content`. None without a tab."""
    url = active_url_from_access_tree(guest, wanted)
    return None if url is None else {"title": "", "url": url, "content": ""}


def active_tab_url_and_body_text(guest: Guest, wanted: Asked) -> Mapping[str, str] | None:
    """The `url` of the tab in front and the text of its page (`body`), an empty one where the browser does not answer. None without a tab."""
    url = active_url_from_access_tree(guest, wanted)
    if url is None:
        return None
    found = _devtools(guest, "evaluate", url=url, scripts=[_BODY])
    return {"url": url, "body": str(found[0]) if found and found[0] else ""}


def open_tabs_info(guest: Guest, wanted: Asked) -> Sequence[Mapping[str, str]]:
    """The `title` and `url` of every tab; an empty list if the browser does not answer."""
    return _devtools(guest, "tabs") or []


def page_info(guest: Guest, wanted: Asked) -> Mapping[str, str]:
    """The `title`, `url` and `content` (HTML) of a page (`url`), opened anew; empty ones if the browser does not answer."""
    url = asked(wanted, "url")
    found = _devtools(guest, "evaluate", url=url, scripts=[_PAGE], anew=True)
    return found[0] if found and found[0] else {"title": "", "url": url, "content": ""}


def pdf_from_url(guest: Guest, wanted: Asked) -> Path | None:
    """A page (`path`) as the machine's browser prints it, at `dest`: the path of the PDF file, or None."""
    place = cached(guest, asked(wanted, "dest"))
    place.unlink(missing_ok=True)
    printed = _devtools(guest, "print", url=asked(wanted, "path"), anew=True)
    if not printed:
        return None
    place.write_bytes(base64.b64decode(printed))
    return place


def active_tab_html_parse(guest: Guest, wanted: Asked) -> Any:
    """What the tab in front says at places, by the `category`: class, label, xpath, input or class&url. None without a tab, `{}` without an answer.

    The places are keys, and the names of what is got there values: class_singleObject, class_multiObject (by number), class_multiObject_child (texts
    of its own), class_multiObject_only_child (h3), class_multiObject_search_exist, labelObject, xpathObject, inputObject, url_include_expected.
    """
    if asked(wanted, "category") not in _CATEGORIES:
        raise TaskError(f"unknown category {wanted['category']!r}: the known ones are {', '.join(_CATEGORIES)}")
    url = active_url_from_access_tree(guest, wanted)
    if url is None:
        return None
    return (_devtools(guest, "evaluate", url=url, scripts=[f"({_beside('parse.js')})({json.dumps(dict(wanted))})"]) or [None])[0] or {}


def info_from_website(guest: Guest, wanted: Asked) -> Any:
    """What a page (`url`) says: of each of `infos`, by `action` and `selector`, a text or an `attribute`. `backups` if it does not answer."""
    found = []
    for info in wanted.get("infos", []):
        action = info.get("action", "inner_text")
        if action not in _INFOS:
            raise TaskError(f"unknown action {action!r}: the known ones are {', '.join(_INFOS)}")
        *clicked, last = info["selector"] if isinstance(asked(info, "selector"), list) else [info["selector"]]
        got = f"getAttribute({json.dumps(info.get('attribute'))})" if action.endswith("attribute") else "innerText"
        clicks = [f"document.querySelector({json.dumps(one)}).click(), true" for one in clicked]
        scripts = [*clicks, f"document.querySelector({json.dumps(last)}).{got}"]
        said = _devtools(guest, "evaluate", url=asked(wanted, "url"), scripts=scripts, anew=True)
        if not said or said[-1] is None:
            return wanted.get("backups")
        found.append(said[-1])
    return found


# --- what the address itself says


def active_tab_url_parse(guest: Guest, wanted: Asked) -> Mapping[str, Any] | None:
    """Values of the query of the address in front: of `parse_keys`, renamed by `replace`, in parts with `split_list`. None without a tab."""
    url = active_url_from_access_tree(guest, wanted)
    if url is None:
        return None
    query = parse_qs(urlsplit(url).query)
    names = wanted.get("replace", {})
    values = {names.get(key, key): query.get(key, [""])[0] for key in asked(wanted, "parse_keys")}
    return {key: value.split(",") for key, value in values.items()} if wanted.get("split_list", False) else values


def url_dash_part(guest: Guest, wanted: Asked) -> Any:
    """The part number `partIndex` of the address in front between slashes, without its query if `needDeleteId`; a text, or with `key` an object."""
    url = active_url_from_access_tree(guest, wanted)
    parts = [] if url is None else url.split("/")
    at, kind = int(asked(wanted, "partIndex")), asked(wanted, "returnType")
    if kind not in ("string", "json"):
        raise TaskError(f"unknown returnType {kind!r}: the known ones are string, json")
    if not -len(parts) <= at < len(parts):
        return None
    part = parts[at].split("?")[0] if wanted.get("needDeleteId", False) else parts[at]
    return part if kind == "string" else {asked(wanted, "key"): part}


_ALMOST_HALF, _HALF = "not_50_PERCENT_ off & more", "50_PERCENT_ off & more"


def macys_product_url_parse(guest: Guest, wanted: Asked) -> Mapping[str, Any] | None:
    """What an address of the shop of one task chooses: `mens_clothing`, `shirts`, `short_sleeve` and `parse_keys`. None without a tab."""
    url = active_url_from_access_tree(guest, wanted)
    if url is None:
        return None
    path = unquote(urlsplit(url).path)
    parts = path.strip("/").split("/")
    pairs = next((pair for pair in pairwise(parts) if "," in pair[0] and "," in pair[1]), ("", ""))
    chosen = {key.strip(): value.strip() for key, value in zip(pairs[0].split(","), pairs[1].split(","), strict=False) if value.strip()}
    found: dict[str, Any] = {
        "mens_clothing": "mens-clothing" in path or None,
        "shirts": "shirts" in path or chosen.get("Product_department", "").lower() in ("shirts", "shirt") or None,
        "short_sleeve": "short-sleeve" in path or chosen.get("Sleeve_length") in ("short-sleeve", "Short Sleeve") or None,
    }
    for key in asked(wanted, "parse_keys"):
        found[key] = chosen.get(key)
        if key == "Price_discount_range":
            found[key] = _HALF if (chosen.get(key) or "").split("|") == ["50_PERCENT_ off & more"] else _ALMOST_HALF
    return found


GETTERS: Getters = {
    "active_url_from_accessTree": active_url_from_access_tree,
    "active_tab_info": active_tab_info,
    "active_tab_info_simple": active_tab_info_simple,
    "active_tab_url_and_body_text": active_tab_url_and_body_text,
    "open_tabs_info": open_tabs_info,
    "page_info": page_info,
    "pdf_from_url": pdf_from_url,
    "active_tab_html_parse": active_tab_html_parse,
    "info_from_website": info_from_website,
    "active_tab_url_parse": active_tab_url_parse,
    "url_dashPart": url_dash_part,
    "macys_product_url_parse": macys_product_url_parse,
    "url_path_parse": macys_product_url_parse,
}
