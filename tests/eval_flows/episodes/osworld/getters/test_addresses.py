"""Getters of the address in front, where no browser answers: from the tree."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.eval_flows.episodes.osworld.getters.guests import FolderGuest, ToldGuest, got


def test_the_address_in_front_is_read_from_the_tree(guest: FolderGuest, tmp_path: Path) -> None:
    assert got(guest, "active_url_from_accessTree", goto_prefix="https://www.") == "https://www.www.united.com/en/us"
    guest.address = "chrome://settings"
    assert got(guest, "active_url_from_accessTree") == "chrome://settings"
    told = ToldGuest(tmp_path)
    assert [got(told, name, **rest) for name, rest in _OF_ADDRESS.items()] == [None] * len(_OF_ADDRESS)


_OF_ADDRESS: Mapping[str, Mapping[str, Any]] = {
    "active_url_from_accessTree": {},
    "active_tab_info": {},
    "active_tab_info_simple": {},
    "active_tab_url_and_body_text": {},
    "active_tab_html_parse": {"category": "class"},
    "active_tab_url_parse": {"parse_keys": ["q"]},
    "url_dashPart": {"partIndex": 0, "returnType": "string"},
    "macys_product_url_parse": {"parse_keys": []},
}


def test_a_browser_that_does_not_answer_leaves_the_address(tmp_path: Path) -> None:
    told = ToldGuest(tmp_path, shown=FolderGuest(tmp_path, "a.com").tree())
    assert got(told, "active_tab_info") == {"title": "", "url": "https://a.com", "content": ""}
    assert got(told, "active_tab_info_simple") == {"title": "", "url": "https://a.com", "content": ""}
    assert got(told, "active_tab_url_and_body_text", goto_prefix="https://www.") == {"url": "https://www.a.com", "body": ""}
    assert got(told, "active_tab_html_parse", category="class") == {}
    assert got(told, "open_tabs_info") == []
    assert got(told, "page_info", url="https://b") == {"title": "", "url": "https://b", "content": ""}
    assert got(told, "pdf_from_url", path="https://b", dest="b.pdf") is None
    assert got(told, "info_from_website", url="https://b", infos=[{"selector": "p"}], backups=["x"]) == ["x"]


def test_parts_of_the_address_are_parsed(guest: FolderGuest) -> None:
    guest.address = "a.com/hotels/Rome-Italy?q=cats,dogs&n=2"
    assert got(guest, "active_tab_url_parse", parse_keys=["q", "z"], replace={"q": "what"}) == {"what": "cats,dogs", "z": ""}
    assert got(guest, "active_tab_url_parse", parse_keys=["q"], split_list=True) == {"q": ["cats", "dogs"]}
    assert got(guest, "url_dashPart", partIndex=-1, needDeleteId=True, returnType="json", key="place") == {"place": "Rome-Italy"}
    assert got(guest, "url_dashPart", partIndex=3, returnType="string") == "hotels"
    assert got(guest, "url_dashPart", partIndex=9, returnType="string") is None
    guest.address = "m.com/shop/mens-clothing/shirts/Men_regular_size_t,Price_discount_range/L,50_PERCENT_%20off%20%26%20more?id=1"
    assert got(guest, "url_path_parse", parse_keys=["Men_regular_size_t", "Price_discount_range"]) == {
        "mens_clothing": True, "shirts": True, "short_sleeve": None, "Men_regular_size_t": "L", "Price_discount_range": "50_PERCENT_ off & more",
    }  # fmt: skip
