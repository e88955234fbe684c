"""Protects the pages on which people judge, in a browser: two judges on a pair, labels, keyboard alone, what was wrong is said, and the door is shut."""

import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe

from eval_flows.episodes.judging.compare import Comparing
from eval_flows.episodes.judging.failures import failures_of, label_row
from eval_flows.episodes.judging.kept import Kept
from eval_flows.episodes.judging.label import Labelling
from eval_flows.episodes.judging.pairs import Pair, pairs_of
from eval_flows.episodes.judging.readings import Reading, Readings
from eval_flows.episodes.judging.review import Answering, Reviewing
from eval_flows.episodes.judging.server import judging_app
from eval_flows.episodes.judging.work import Work
from eval_flows.episodes.pages.access import Access, Guard
from tests.eval_flows.episodes.judging.played import play
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import connect, rows_of

TOKEN = "of-these-tests"
RUBRIC = ("It is readable.", "It is right.")


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path)


@contextmanager
def served(work: Work) -> Iterator[str]:
    """The address of pages behind their door."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(Guard(judging_app(work), Access(TOKEN)), log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@pytest.fixture
def comparing(data: DataFolder) -> Comparing:
    runs = [play(data, name, {"e1": 1.0, "e2": 1.0}) for name in ("human", "agent")]
    return Comparing([Pair(pair.a, pair.b, pair.suite, RUBRIC) for pair in pairs_of(runs)], data)


@contextmanager
def judge(browser: Any, address: str, name: str, **more: Any) -> Iterator[tuple[Any, list[str]]]:
    """A page of a judge in a browser of their own who has opened the link and given a name, and what went wrong on it."""
    context = browser.new_context(**more)
    page, wrong = context.new_page(), []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(f"{address}/enter#{TOKEN}")
    page.wait_for_url(f"{address}/")
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Begin").click()
    page.wait_for_selector("ol.items")
    yield page, wrong
    context.close()


def colour_of(page: Any, side: str) -> list[int]:
    """The colour of the last screen of a side, as it is drawn."""
    return list(
        page.locator(f"section[aria-labelledby={side}-title] img").first.evaluate(
            """async image => { await image.decode(); const canvas = document.createElement('canvas'); const drawn = canvas.getContext('2d');
            drawn.drawImage(image, 0, 0); return [...drawn.getImageData(5, 5, 1, 1).data].slice(0, 3) }"""
        )
    )


def prefer_green(page: Any) -> None:
    """Judge the pair that is shown: what is green is better, and meets the rubric."""
    better, worse = ("left", "right") if colour_of(page, "left") == [60, 120, 60] else ("right", "left")
    for number in (1, 2):
        page.locator(f"input[name={better}_{number}][value=met]").check()
        page.locator(f"input[name={worse}_{number}][value='in part']").check()
    page.locator(f"input[name=preference][value={better}]").check()
    page.get_by_role("button", name="Keep").click()


@pytest.mark.browser
def test_two_judges_on_the_pairs(data: DataFolder, comparing: Comparing, browser: Any) -> None:
    with served(comparing) as address, judge(browser, address, "Ada") as (ada, wrong), judge(browser, address, "Bob") as (bob, wrong_too):
        for page in (ada, bob):
            page.get_by_role("link", name="Begin").click()
            for number in (0, 1):
                page.wait_for_selector(f"nav :text('{number} of 2 done')")
                assert not re.search("human|agent|person|model", page.content()), "the page is blind"
                prefer_green(page)
            page.wait_for_selector(":text('2 of 2 done')")
        assert wrong == wrong_too == []
    load_warehouse(data)
    with connect(data.warehouse) as connection:
        judged = rows_of(connection, "select judge, preferred_run_id, left_run_id, marks, seconds from judgements")
        [agent, human] = rows_of(connection, "from bradley_terry order by run_id")
        [agreed] = rows_of(connection, "from judging_agreement")
    assert [row["judge"] for row in judged] == ["Ada", "Ada", "Bob", "Bob"] and {row["preferred_run_id"] for row in judged} == {"human"}
    assert all([mark["mark_a"] for mark in row["marks"]] == [0.5, 0.5] and [mark["mark_b"] for mark in row["marks"]] == [1, 1] for row in judged)
    assert all(row["seconds"] > 0 for row in judged)
    assert agent["score"] < human["score"] == 0 and (agreed["who"], agreed["items"], agreed["same"]) == (2, 2, 1)


@pytest.mark.browser
def test_keyboard_alone_is_enough_and_a_judge_may_look_again(data: DataFolder, comparing: Comparing, browser: Any) -> None:
    with served(comparing) as address, judge(browser, address, "Ada") as (page, wrong):
        page.wait_for_selector("a.go:focus")
        page.keyboard.press("Enter")
        page.wait_for_url("**/items/*")
        for _ in range(60):
            page.keyboard.press("Tab")
            kind = page.evaluate("document.activeElement.type || document.activeElement.tagName")
            if kind == "radio":
                page.keyboard.press("Space")
            elif kind == "submit":
                break
        page.keyboard.press("1")
        assert page.locator("input[name=preference][value=left]").is_checked()
        page.keyboard.press("Enter")
        page.wait_for_selector(":text('1 of 2 done')")
        [row] = Kept(data, "judgements").rows()
        assert row["preferred_run_id"] == row["left_run_id"]
        page.goto(f"{address}/items/{row['pair_id']}")
        assert page.locator("input[name=preference][value=left]").is_checked(), "what was said before is shown"
        page.keyboard.press("0")
        page.get_by_label("Note").fill("I looked again.")
        page.get_by_role("button", name="Keep").click()
        page.wait_for_selector(":text('1 of 2 done')")
        [row] = Kept(data, "judgements").rows()
        assert (row["preferred_run_id"], row["note"]) == (None, "I looked again.") and wrong == []


@pytest.mark.browser
def test_two_labellers_and_what_a_model_proposed(data: DataFolder, browser: Any) -> None:
    run = play(data, "agent", {"e1": 0.0}, steps=3, checks=[{"check": '{"text": "a.txt"}', "got": "'<b>x</b>'", "holds": False}])
    kept = Kept(data, "labels")
    kept.add(label_row("smoke", run.results["e1", 1], "model:m", "model", "planning", 1, "it forgot to save", 2.0))
    with served(Labelling(failures_of([run]), data)) as address:
        for name, key, looks in (("Ada", "3", False), ("Bob", "1", True)):
            with judge(browser, address, name) as (page, wrong):
                page.get_by_role("link", name="Begin").click()
                assert "it forgot to save" not in page.content() and "'<b>x</b>'" in page.locator(".checks").text_content()
                assert page.locator("article").count() == 3
                if looks:
                    page.get_by_role("link", name="See what a model proposed").click()
                    page.wait_for_selector(":text('it forgot to save')")
                page.locator("h1").click()
                page.keyboard.press(key)
                page.get_by_label("Step of the error").select_option("2")
                page.get_by_role("button", name="Keep").click()
                page.wait_for_selector(":text('1 of 1 done')")
                assert wrong == []
    found = [(row["labeller"], row["kind"], row["step"], row["saw_proposal"]) for row in kept.rows() if row["labeller_kind"] == "person"]
    assert found == [("Ada", "grounding", 2, False), ("Bob", "planning", 2, True)]


@pytest.mark.rotates
@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (400, "dark")])
def test_pages_pass_the_rules_of_axe_and_are_usable_on_narrow_screens(
    data: DataFolder, comparing: Comparing, browser: Any, width: int, scheme: str
) -> None:
    failing = Labelling(failures_of([play(data, "other", {"e1": 0.0})]), data)
    reviewing = Reviewing("smoke", data)
    item = reviewing.items("Bob")[0].item
    Readings("smoke", data).add(Reading(item, "Bob", "An instruction that was read.", "as it says", ["two ways"], "unclear", 1.0, ""))
    for work in (comparing, failing, reviewing, Answering("smoke", data)):
        with served(work) as address, judge(browser, address, "Ada", viewport={"width": width, "height": 900}, color_scheme=scheme) as (page, wrong):
            for _ in range(2):
                assert page.evaluate("document.documentElement.scrollWidth") <= width
                assert page.locator("h1").count() == 1
                found = Axe().run(page)
                assert found.violations_count == 0, found.generate_report()
                page.goto(f"{address}/next")
            assert wrong == []


def test_nobody_comes_in_without_the_token_or_writes_from_another_page(comparing: Comparing, data: DataFolder) -> None:
    with served(comparing) as address, httpx.Client(base_url=address) as client:
        item = comparing.items("ada")[0].item
        for path in ("/", "/next", f"/items/{item}", f"/items/{item}/pictures/left_1", "/assets/judging.css"):
            assert client.get(path).status_code == 403, path
        own = {"Origin": address}
        assert client.post("/enter", content="wrong", headers=own).status_code == 403
        assert client.post("/enter", content=TOKEN, headers={"Origin": "http://evil.example"}).status_code == 403
        assert client.post("/enter", content=TOKEN, headers=own).status_code == 204
        assert client.post("/name", data={"name": "Ada"}, headers={"Origin": "http://evil.example"}).status_code == 403
        assert client.post("/name", data={"name": "model:m"}, headers=own).status_code == 422
        assert client.post("/name", data={"name": "Ada"}, headers=own).status_code == 303
        answer = client.get(f"/items/{item}")
        assert answer.status_code == 200 and "default-src 'none'" in answer.headers["content-security-policy"]
        assert client.get(f"/items/{item}/pictures/left_1").headers["cache-control"] == "no-store", "another judge in this browser has other sides"
        for place in ("left_0", "left_9", f"left_{'9' * 5000}", "middle_1", "left", "..%2F..%2Fsuite_run.json"):
            assert client.get(f"/items/{item}/pictures/{place}").status_code == 404, place
        answer = client.post(f"/items/{item}", data={"preference": "left", "left_1": "met"}, headers=own)
        assert answer.status_code == 422 and "line 2 of the rubric, left: choose one of" in answer.text
        assert 'value="met" required checked' in answer.text, "what was filled in stays"
        assert client.get("/items/nonesuch").status_code == 404
    assert not (data.judging / "judgements").exists()


def test_a_judgement_is_on_disk_when_the_page_goes_on(comparing: Comparing, data: DataFolder) -> None:
    item = comparing.items("Ada SS")[0].item
    said = {f"{side}_{number}": "met" for side in ("left", "right") for number in (1, 2)}
    comparing.keep(item, "Ada SS", {**said, "preference": "tie", "seconds": "nan"})
    [path] = (data.judging / "judgements").glob("*.jsonl")
    row = json.loads(path.read_text())
    assert (row["judge"], row["preferred_run_id"], row["seconds"]) == ("Ada SS", None, 0)
    assert comparing.done("Ada SS") == {item} and comparing.done("Bob") == set()
