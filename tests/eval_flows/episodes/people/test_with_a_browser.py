"""Protects what a person does in a browser, on the real sandbox: take over and mend, help an agent that asks, demonstrate, and play that back."""

import json
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.people.intervention import PeopleChoice
from eval_flows.episodes.runs.pipeline import SuiteRun
from eval_flows.episodes.runs.store import read_trajectory
from tests.eval_flows.episodes.conftest import Listed
from tests.eval_flows.episodes.people.conftest import APPEND, Play, append, jotting_of, link_to_only, links, person, take_over
from tests.eval_flows.episodes.people.scripted import GARBAGE
from warehouse.layout import DataFolder

HERE = "tests.eval_flows.episodes.people.scripted"
pytestmark = [pytest.mark.browser, pytest.mark.slow(minutes=1)]
BESIDE = """Array.from(document.querySelectorAll('body *')).filter(one => one.getBoundingClientRect().right > window.innerWidth + 0.5 && !one.closest('.screen'))
    .map(one => `${one.tagName} ${one.id} ${Math.round(one.getBoundingClientRect().right)}`)"""


def kept(data: DataFolder, run: SuiteRun) -> dict[str, Any]:
    (row,) = run.rows
    assert row["fault"] is None
    return read_trajectory(data.runs / run.run_id / "trajectories" / f"{row['episode_id']}_1")


def test_a_person_takes_over_mends_what_the_agent_broke_and_hands_back(data: DataFolder, listed: Listed, play: Play, browser: Any) -> None:
    played = play(listed(APPEND), f"{HERE}:Breaker", PeopleChoice())
    with links(data) as (acting, watching), person(browser, acting) as ann, person(browser, watching) as bob:
        ann.get_by_text("I wait.").first.wait_for()
        assert bob.is_disabled("#take"), "who watches cannot take over"
        take_over(ann)
        bob.get_by_text("ann has the machine.").wait_for()
        bob.keyboard.type("never")
        for _ in GARBAGE:
            ann.keyboard.down("Backspace")  # held: a browser tells its press again and again
        ann.keyboard.up("Backspace")
        ann.keyboard.press("Control+Alt+m")
        ann.keyboard.type("mended")
        ann.click("#back")
        run = played.run()
        ann.get_by_text("Success: reward 1").wait_for()
        assert not list((data.runs / run.run_id / "live").glob("*")), "nothing is left that tells where the episode was reached"
    found = kept(data, run)
    (helped,) = found["interventions"]
    assert (found["episode"]["is_success"], found["episode"]["status"]) == (True, "done")
    assert (helped["initiated_by"], helped["person"], helped["note"], helped["helped_in"]) == ("human", "ann", "mended", "actions")
    assert [act["action"] for act in helped["acts"]] == ["press(key='backspace')"] * len(GARBAGE) and helped["actions"] == len(GARBAGE)
    folder = data.runs / run.run_id / "trajectories" / f"{found['episode']['episode_id']}_1"
    assert all((folder / act["picture"]).read_bytes().startswith(b"\x89PNG") for act in helped["acts"])
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    keys = [(one["is_down"], one["intervention"]) for one in events if one["event"] == "key" and one["key"] == "backspace"]
    assert keys == [(True, 1), (False, 1)] * len(GARBAGE), "a press that repeats is a press after a release"
    assert any("They say: mended" in step["words"] for step in found["steps"]), "the agent was told"
    described = json.loads((data.runs / run.run_id / "suite_run.json").read_text())
    assert described["people"] == {"asks": False, "wait_seconds": 300.0, "most_seconds": 3600.0}


def test_an_agent_that_asks_is_helped_and_succeeds(data: DataFolder, listed: Listed, play: Play, browser: Any, catalog: Catalog) -> None:
    suite = listed(APPEND)
    played = play(suite, f"{HERE}:Asker", PeopleChoice(asks=True))
    with links(data) as (acting, _), person(browser, acting) as ann:
        ann.get_by_text("append the line and save").wait_for()
        ann.wait_for_function("document.title.startsWith('(!)')")
        take_over(ann)
        append(ann, jotting_of(suite, catalog))
        ann.click("#back")
        run = played.run()
    found = kept(data, run)
    (helped,) = found["interventions"]
    assert found["episode"]["is_success"] and [step["decision"] for step in found["steps"]] == ["ASK", "DONE"]
    assert (helped["initiated_by"], helped["reason"], helped["request"]) == ("agent", "I cannot type", "append the line and save")
    assert helped["step"] == 1 and helped["helped_in"] == "actions" and 0 < helped["waited_seconds"] <= helped["seconds"]
    assert "acted on the machine" in found["steps"][1]["words"]


def test_a_demonstration_is_a_trajectory_that_plays_back_to_the_same_reward(
    data: DataFolder, listed: Listed, play: Play, browser: Any, catalog: Catalog
) -> None:
    suite = listed(APPEND)
    played = play(suite, "person", PeopleChoice(person="ann"))
    with links(data) as (acting, _), person(browser, acting) as ann:
        ann.click("#take:enabled")
        ann.wait_for_selector("#screen.held")
        append(ann, jotting_of(suite, catalog))
        ann.click("#done")
        run = played.run()
        ann.get_by_text("Success: reward 1").wait_for()
    found = kept(data, run)
    assert '"key": "ctrl"' in (data.runs / run.run_id / "trajectories" / f"{found['episode']['episode_id']}_1" / "events.jsonl").read_text()
    assert (found["episode"]["agent"], found["episode"]["reward"], found["episode"]["status"]) == ("person", 1.0, "done")
    assert json.loads((data.runs / run.run_id / "suite_run.json").read_text())["person"] == "ann"
    jotting = jotting_of(suite, catalog)
    assert [step["actions"] for step in found["steps"]][1:] == [
        ["press(key='ctrl+end')"], [f"write(text={jotting[0]!r})"], [f"write(text={jotting[1:]!r})"], ["press(key='ctrl+s')"], []
    ]  # fmt: skip
    again = kept(data, play(suite, "replay", options={"run": run.run_id}).run())
    assert (again["episode"]["reward"], again["interventions"]) == (found["episode"]["reward"], [])
    assert [step["actions"] for step in again["steps"]] == [step["actions"] for step in found["steps"]]


def test_pages_pass_axe_fit_a_narrow_screen_and_are_used_by_keyboard_alone(data: DataFolder, listed: Listed, play: Play, browser: Any) -> None:
    played = play(listed(APPEND), f"{HERE}:Asker", PeopleChoice(asks=True))
    with links(data) as (acting, _), person(browser, acting) as ann:
        ann.get_by_text("append the line and save").wait_for()
        for path in (link_to_only(ann), "/"):
            ann.goto(acting.partition("/enter#")[0] + path)
            ann.wait_for_selector(".screen canvas")
            for scheme, width in (("light", 1600), ("dark", 1600), ("dark", 360)):
                ann.emulate_media(color_scheme=scheme)
                ann.set_viewport_size({"width": width, "height": 900})
                found = Axe().run(ann)
                assert found.violations_count == 0, found.generate_report()
                assert ann.evaluate(BESIDE) == [], f"nothing lies beside the screen, {scheme}, {width} wide"
        ann.keyboard.press("Tab")
        ann.keyboard.press("Enter")
        ann.wait_for_selector("#take:enabled")
        ann.keyboard.press("t")
        ann.wait_for_selector("#screen.held")
        ann.keyboard.press("Control+Alt+m")
        ann.keyboard.type("I cannot either")
        ann.keyboard.press("Tab")
        ann.keyboard.press("Enter")
        (helped,) = kept(data, played.run())["interventions"]
    assert (helped["note"], helped["helped_in"], helped["acts"]) == ("I cannot either", "words", [])
