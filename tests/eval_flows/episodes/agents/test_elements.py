"""Protects marks of a mixture: what each element source finds, doubles merged with the names of all sources, numbers that go on, and clear failures."""

import io
import json
import pickle
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.element_source import ELEMENTS, Found
from eval_flows.episodes.agents.elements import ocr as reading
from eval_flows.episodes.agents.elements.detector import ADDRESS_VARIABLE, detector
from eval_flows.episodes.agents.elements.dom import Dom
from eval_flows.episodes.agents.elements.icons import Icons
from eval_flows.episodes.agents.elements.ocr import ocr
from eval_flows.episodes.agents.elements.tree import Tree
from eval_flows.episodes.agents.merging import Mark, merged
from eval_flows.episodes.agents.observation_source import observation_choice
from eval_flows.episodes.environment import Observation
from machines.actions import Action, for_guest
from machines.client import PageElement
from machines.errors import MachineError, PluginError
from machines.observation import Element, with_marks

SCREEN = (600, 400)
PAGE = "dom"


def drawn() -> bytes:
    """A screen with two words apart, a framed button and an icon."""
    picture = Image.new("RGB", SCREEN, "white")
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(16)
    draw.text((20, 20), "Document", fill="black", font=font)
    draw.text((220, 20), "Settings", fill="black", font=font)
    draw.rectangle((100, 200, 200, 230), outline="black")
    draw.ellipse((300, 300, 323, 323), outline="black", width=3)
    draw.line((304, 304, 319, 319), fill="black", width=3)
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def element(number: int, role: str, name: str, box: tuple[int, int, int, int], *states: str) -> Element:
    return Element(number, role, name, "", None, frozenset(states), box, "notes", "editor")


SETTINGS = element(3, "push button", "Settings", (200, 10, 120, 40), "focusable")
PANE = element(1, "panel", "", (0, 0, 600, 400))
PAPER = element(7, "document frame", "paper", (0, 60, 600, 340))
SEEN = Observation([PANE, SETTINGS, PAPER], [], drawn(), dom=[PageElement("link", "Home", 20, 100, 40, 16)])
SITUATION = Situation("Do it.", SEEN, None, 1, 35, "", [], SCREEN)


def found(source: str, box: tuple[int, int, int, int], text: str = "", kind: str = "label") -> Found:
    return Found(box, text, kind, source)


def marks(*of: Found, numbered: tuple[Element, ...] = (SETTINGS, PAPER)) -> list[Mark]:
    by_source: dict[str, list[Found]] = {"detector": [], "ocr": [], "tree": Tree().find(replace(SITUATION, observation=Observation(numbered, [])))}
    for one in of:
        by_source.setdefault(one.source, []).append(one)
    return merged(by_source, numbered)


def near(box: tuple[int, int, int, int], other: tuple[int, int, int, int], by: int = 4) -> bool:
    return all(abs(one - another) <= by for one, another in zip(box, other, strict=True))


def test_the_tree_keeps_numbers_and_says_what_is_usable() -> None:
    seen = Tree().find(SITUATION)
    assert [(one.element, one.is_usable) for one in seen] == [(SETTINGS, True), (PAPER, True)]
    label = element(9, "label", "Name", (0, 0, 9, 9))
    assert [one.is_usable for one in Tree().find(replace(SITUATION, observation=Observation([label], [])))] == [False]


def test_the_page_is_found_where_it_is_in_front() -> None:
    (link,) = Dom().find(SITUATION)
    assert (link.box, link.text, link.kind, link.source) == ((20, 100, 40, 16), "Home", "link", "dom") and Dom().wants == {"dom"}
    assert Dom().find(replace(SITUATION, observation=Observation([], []))) == []


def test_icons_and_frames_are_found_and_words_are_none() -> None:
    seen = Icons().find(SITUATION)
    assert [one.kind for one in seen if near(one.box, (100, 200, 101, 31))] == ["push button"]
    assert [one.kind for one in seen if near(one.box, (300, 300, 24, 24))] == ["icon"]
    assert len(seen) == 2, seen
    assert Icons().find(replace(SITUATION, observation=Observation([], []))) == []


def test_texts_are_read_where_they_are_and_texts_apart_are_two() -> None:
    source = pickle.loads(pickle.dumps(ocr()))
    seen = {one.text: one for one in source.find(SITUATION)}
    assert {"Document", "Settings"} <= set(seen) and source.content.startswith("tesseract ")
    x, y, width, height = seen["Settings"].box
    assert 215 <= x <= 225 and 16 <= y <= 28 and 50 <= width <= 80 and 8 <= height <= 22 and 0.3 <= seen["Settings"].confidence <= 1


def test_a_part_of_the_screen_that_did_not_change_is_not_read_again() -> None:
    source = ocr()
    source.find(SITUATION)
    before = reading._read.cache_info().misses
    assert source.find(SITUATION) and reading._read.cache_info().misses == before


def test_without_the_language_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(reading, "_FOLDERS", (str(tmp_path),))
    with pytest.raises(PluginError, match=r"apt-get install tesseract-ocr-eng(.|\n)*there is no eng.traineddata"):
        ocr()


@pytest.mark.parametrize(
    ("seen", "is_double"),
    [
        (found("ocr", (230, 20, 60, 20), "Settings"), True),
        (found("ocr", (202, 12, 116, 36)), True),
        (found("ocr", (205, 15, 30, 30), "Settinqs"), True),
        (found("ocr", (215, 25, 9, 9), "x"), False),
        (found("ocr", (40, 100, 60, 20), "pears"), False),
        (found("ocr", (40, 100, 60, 20), "paper"), True),
        (found("ocr", (318, 10, 60, 40), "Settings"), False),
    ],
    ids=["label of a button", "nearly the same box", "misread label", "speck in a button", "word on a page", "title of a page", "beside it"],
)
def test_doubles_are_merged_and_what_lies_on_a_page_is_none(seen: Found, is_double: bool) -> None:
    made = marks(seen)
    assert len(made) == (2 if is_double else 3)
    assert ("tree", "ocr") in [mark.sources for mark in made] if is_double else made[-1].sources == ("ocr",)


def test_the_trusted_source_decides_and_a_text_that_it_lacks_is_the_other_ones() -> None:
    nameless = replace(SETTINGS, name="")
    (button,) = marks(found("detector", (200, 10, 118, 40), "gear", "icon"), found("ocr", (230, 20, 60, 20), "Settings"), numbered=(nameless,))
    assert (button.element, button.sources) == (replace(nameless, name="Settings"), ("tree", "ocr", "detector"))
    (link,) = marks(found("icons", (10, 10, 20, 20), "", "icon"), found("dom", (11, 11, 20, 20), "Home", "link"), numbered=())
    assert (link.element.role, link.element.box, link.sources) == ("link", (11, 11, 20, 20), ("dom", "icons"))


def test_two_elements_of_one_source_are_never_doubles() -> None:
    inner = replace(SETTINGS, number=4, role="link", name="More")
    assert [mark.element.number for mark in marks(numbered=(SETTINGS, inner))] == [3, 4]


def test_numbers_go_on_after_the_tree_and_can_be_clicked() -> None:
    made = marks(found("ocr", (40, 100, 60, 20), "pears"), found("detector", (500, 300, 20, 20), "x", "icon"))
    assert [mark.element.number for mark in made] == [3, 7, 8, 9]
    asked = Action("move_id", {"id": 8})
    assert for_guest(asked, [mark.element for mark in made], SCREEN) == [{"name": "move", "x": 70, "y": 110}]
    assert [mark.element.number for mark in marks(numbered=())] == []


def test_a_source_of_a_package_comes_last_in_trust() -> None:
    made = merged({"my.package:Mine": [found("mine", (0, 0, 10, 10), "a")], "icons": [found("icons", (0, 0, 10, 10))]}, [])
    assert [mark.sources for mark in made] == [("icons", "mine")] and made[0].element.name == "a"


def test_a_mixture_shows_boxes_and_lines_with_their_sources() -> None:
    chosen = observation_choice("marks[tree,dom,icons]", "smoke")
    assert chosen.words == "marks[tree,dom,icons]" and chosen.wants == {"screenshot", "dom"}
    shown = pickle.loads(pickle.dumps(chosen)).show(SITUATION)
    lines = [line for line in shown.text.split("\n") if line.startswith("Seen by")]
    assert lines == ["Seen by tree:", "Seen by dom:", "Seen by icons:"]
    assert [one.number for one in shown.elements] == [3, 7, 8, 9, 10] and shown.pictures != (SEEN.screenshot,)
    assert any("dom (the page of the browser)" in sentence for sentence in chosen.about)
    assert len(observation_choice("tree+marks[tree,icons]", "smoke").show(SITUATION).elements) == 4


def test_marks_alone_are_the_tree_as_ever() -> None:
    chosen = observation_choice("marks", "smoke")
    assert chosen.described == [["marks", ""]] and chosen.wants == {"screenshot"}
    shown = chosen.show(SITUATION)
    assert (
        SEEN.screenshot
        and shown.pictures == (with_marks(SEEN.screenshot, SEEN.elements),)
        and shown.text == observation_choice("tree", "").show(SITUATION).text
    )


def test_the_mixture_belongs_to_the_identity_of_a_run() -> None:
    described = [json.dumps(observation_choice(f"marks[{names}]", "smoke").described) for names in ("tree,dom", "tree,icons", "tree")]
    assert len(set(described)) == 3


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("marks[tree,smell]", r"there is no element source 'smell'(.|\n)*tree \(.*tree:Tree, built in\)"),
        ("tree[ocr]", "element sources are named after marks"),
        ("marks[]", "element sources are named after marks"),
        ("marks[tree", "there is no observation source"),
    ],
)
def test_a_wrong_mixture_is_refused(text: str, told: str) -> None:
    with pytest.raises(PluginError, match=told):
        observation_choice(text, "smoke")


def test_the_order_of_trust_is_declared() -> None:
    assert ELEMENTS.names[:5] == ["tree", "dom", "ocr", "icons", "detector"]


PARSED = [
    {"type": "text", "bbox": [0.1, 0.1, 0.2, 0.15], "interactivity": False, "content": "Total", "source": "box_ocr_content_ocr"},
    {"type": "icon", "bbox": [0.5, 0.5, 0.55, 0.6], "interactivity": True, "content": "a gear", "source": "box_yolo_content_yolo"},
]


@contextmanager
def fake_detector(answer: Any, status: int = 200) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server that answers as OmniParser's; its address, and what it was asked."""
    asked: list[dict[str, Any]] = []

    class Fake(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append({"path": self.path, **json.loads(self.rfile.read(int(self.headers["Content-Length"])))})
            self._say(json.dumps(answer).encode())

        def do_GET(self) -> None:
            self._say(b"{}")

        def _say(self, body: bytes) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Be quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Fake) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()


def test_a_detector_answers_in_the_form_of_omniparser(monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_detector({"som_image_base64": "", "parsed_content_list": PARSED, "latency": 0.1}) as (address, asked):
        monkeypatch.setenv(ADDRESS_VARIABLE, f"{address}/")
        source = detector()
        text, icon = source.find(SITUATION)
    assert (text.box, text.text, text.kind, text.is_usable) == ((60, 40, 60, 20), "Total", "label", False)
    assert (icon.box, icon.text, icon.kind, icon.is_usable) == ((300, 200, 30, 40), "a gear", "icon", True)
    assert asked[0]["path"] == "/parse/" and set(asked[0]) == {"path", "base64_image"} and source.content == address


def test_a_detector_that_is_gone_or_strange_is_a_fault_and_no_failure_of_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_detector([]) as (address, _):
        monkeypatch.setenv(ADDRESS_VARIABLE, address)
        source = detector()
        with pytest.raises(MachineError, match="is not OmniParser's"):
            source.find(SITUATION)
    with pytest.raises(MachineError, match=f"the detector at {address} does not answer"):
        source.find(SITUATION)
    with pytest.raises(PluginError, match=f"no detector answers at {address} "):
        detector()
    with fake_detector({}, status=500) as (failing, _):
        monkeypatch.setenv(ADDRESS_VARIABLE, failing)
        with pytest.raises(MachineError, match="500"):
            detector().find(SITUATION)
    monkeypatch.delenv(ADDRESS_VARIABLE)
    with pytest.raises(PluginError, match=f"needs its address in {ADDRESS_VARIABLE}"):
        detector()
