"""Protects drafting: what a draft keeps can be pasted into the catalog, the rest is refused with its reason, and nothing is paid for twice."""

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from atomic_tasks.catalog import CATALOG_ROOT, Catalog, read_catalog
from atomic_tasks.problems import BadInput
from atomic_tasks.schema import AtomicTask
from atomic_tasks.validator import validate_catalog
from compositions.library import read_workflows
from compositions.validator import validate_workflows
from flows.draft import Draft, draft_tasks
from flows.draft_review import settled
from language_models.client import Endpoint
from language_models.errors import ModelError
from tests.conftest import quiet
from tests.language_models.fake_server import Fault, fake_server
from warehouse.layout import DataFolder

CARD = {
    "aliases": ["Gantter"],
    "name_is_a_word": False,
    "vendor": "Contoso",
    "kind": "project planner",
    "platform": "windows",
    "category": "Office & Knowledge Work",
    "description": "A planner with bars on a calendar.",
    "features": ["bars", "dependencies", "milestones"],
    "typical_scenarios": ["planning a move", "spreading work", "showing a client the dates"],
}


def proposal(name: str, words: str, **changed: Any) -> dict[str, Any]:
    """A sound proposal for Notepad, in the form of an answer; its phrasings stand on the words, which nothing else there says."""
    return {
        "id": f"notepad.{name}",
        "title": "".join(part.title() for part in name.split("_")),
        "capability": "text.change_view",
        "generic": False,
        "arguments": [{"name": "text_file", "generator": "text_file", "of": None, "one_of": None}],
        "needs": ["open(text_file)"],
        "gives": [],
        "ends": [],
        "revises": False,
        "last": False,
        "say": [
            f"{words} in {{text_file}}",
            f"I keep wishing {{text_file}} would let me {words}.",
            f"Which trick in {{text_file}} helps to {words} again?",
        ],
        "named": [f"Can Notepad {words}?", f"use Notepad to {words}"],
        **changed,
    }


RULER = proposal("show_ruler", "draw column numbers above everything")
TABS = proposal("split_tabs", "place two tabs beside one another", capability="notepad.compare_tabs", gives=["split(text_file)"])
WIDER = proposal("sum_numbers", "total whatever figures were typed", capability="spreadsheet.aggregate")
FOLLOWER = proposal("scroll_together", "move both halves at once", needs=["split(text_file)"])
ENTRIES = [{"capability": "notepad.compare_tabs", "applications": ["notepad"], "reason": "Two tabs of the plain text editor."}]


def answer(*tasks: Any, entries: Sequence[Any] = ()) -> str:
    return json.dumps({"tasks": tasks, "capabilities": entries})


def drafted(said: str, catalog: Catalog, root: Path, application: str = "notepad", title: str | None = None) -> Draft:
    """The draft of a model that says this, and describes new applications by CARD."""

    def reply(request: dict[str, Any]) -> str:
        return json.dumps(CARD) if "Describe Gantter" in request["messages"][1]["content"] else said

    with fake_server(reply) as server:
        return draft_tasks(application, Endpoint("m", server.base_url), 5, catalog, DataFolder(root), quiet, title)


def block(text: str, key: str) -> str:
    """The lines under a key of the draft, as a person would copy them."""
    lines = text.splitlines(keepends=True)
    start = lines.index(f"{key}:\n") + 1
    length = next((number for number, line in enumerate(lines[start:]) if not line.startswith(" ")), None)
    return "".join(lines[start : None if length is None else start + length])


def pasted(draft: Draft, root: Path, application: str) -> Path:
    """A copy of the catalog with the draft pasted in, and the entries that were there before taken out; the file of the application."""
    shutil.copytree(CATALOG_ROOT, root, ignore=shutil.ignore_patterns("*.py", "__pycache__", "json_schemas"))
    text = draft.path.read_text()
    file = root / "applications" / f"{application}.yaml"
    file.write_text(file.read_text() + block(text, "tasks") if file.is_file() else text[: text.index("equivalence:")])
    entries = root / "equivalence.yaml"
    before = entries.read_text()
    for name in yaml.safe_load(text)["equivalence"]:
        before = re.sub(rf"^  {re.escape(name)}:\n(    .*\n)+", "", before, flags=re.MULTILINE)
    entries.write_text(before + block(text, "equivalence"))
    return file


def problems_of(root: Path) -> list[str]:
    """What `deskmill validate` says of the catalog in the folder."""
    catalog, form = read_catalog(root)
    located, more = read_workflows()
    return [str(problem) for problem in [*form, *more, *validate_catalog(catalog), *validate_workflows(located, catalog)]]


def test_what_is_kept_can_be_pasted_into_the_catalog(catalog: Catalog, tmp_path: Path) -> None:
    said = answer(FOLLOWER, RULER, TABS, WIDER, entries=ENTRIES)
    draft = drafted(said, catalog, tmp_path / "data")
    assert [task.id for task in draft.kept] == [each["id"] for each in (FOLLOWER, RULER, TABS, WIDER)] and not draft.refused
    content = yaml.safe_load(draft.path.read_text())
    assert content["tasks"][1] == {
        "id": "notepad.show_ruler",
        "title": "ShowRuler",
        "capability": "text.change_view",
        "arguments": {"text_file": "text_file"},
        **{key: RULER[key] for key in ("needs", "say", "named")},
    }
    widened = catalog.capabilities["spreadsheet.aggregate"]
    assert content["equivalence"] == {
        "notepad.compare_tabs": {"applications": ["notepad"], "reason": "Two tabs of the plain text editor."},
        "spreadsheet.aggregate": {"applications": sorted([*widened.applications, "notepad"]), "reason": widened.reason},
    }
    file = pasted(draft, tmp_path / "catalog", "notepad")
    assert problems_of(tmp_path / "catalog") == []
    file.write_text(file.read_text().replace("gives: [split(text_file)]", "gives: []"))
    assert any("unmet need" in problem for problem in problems_of(tmp_path / "catalog")), "a paste that is not sound is not seen"


def test_a_new_application_is_drafted_whole(catalog: Catalog, tmp_path: Path) -> None:
    opened = proposal("open_plan", "bring up whatever was planned", generic=True, capability="text.open", needs=[], gives=["open(text_file)"])
    words = ["add a milestone", "shift all bars", "print the calendar", "hide weekends"]
    tasks = [opened, *(proposal(each.replace(" ", "_"), f"{each} for everybody", capability=f"gantter.{each[:4].strip()}") for each in words)]
    tasks = [json.loads(json.dumps(each).replace("notepad", "gantter").replace("Notepad", "Gantter")) for each in tasks]
    entries = [{"capability": task["capability"], "applications": ["gantter"], "reason": "Plans are its own."} for task in tasks[1:]]
    draft = drafted(answer(*tasks, entries=entries), catalog, tmp_path / "data", "gantter", "Gantter Desk")
    assert len(draft.kept) == 5 and not draft.refused
    content = yaml.safe_load(draft.path.read_text())
    assert list(content)[:3] == ["application", "title", "aliases"] and content["category"] == "Office & Knowledge Work"
    assert "gantter" in content["equivalence"]["text.open"]["applications"] and content["origin"]["card_call"] != content["origin"]["call"]
    pasted(draft, tmp_path / "catalog", "gantter")
    assert problems_of(tmp_path / "catalog") == []
    with pytest.raises(ModelError, match="drafted 4 usable tasks of gantter \\(at least 5 needed\\): say.0.: names its own application"):
        named = {**tasks[1], "say": ["add a Gantter milestone", "put in one more milestone of {text_file}", "Is there one more?"]}
        drafted(answer(tasks[0], named, *tasks[2:], entries=entries), catalog, tmp_path / "none", "gantter", "Gantter Desk")
    with (
        pytest.raises(ModelError, match="no usable description of Gantter Desk: category: unknown category 'Planning'"),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setitem(CARD, "category", "Planning")
        drafted(answer(*tasks), catalog, tmp_path / "none", "gantter", "Gantter Desk")
    assert not DataFolder(tmp_path / "none").drafts.exists()


REFUSED = {
    "form": ({**RULER, "say": ["Draw it", "draw it", "Is it drawn?"]}, "say[0]: a clause starts with a verb in lower case"),
    "unknown key": ({**RULER, "hint": "x"}, "hint: unknown key 'hint'"),
    "no object": ("a ruler", "must be a mapping of keys to values, not 'a ruler'"),
    "argument twice": ({**RULER, "arguments": RULER["arguments"] * 2}, "arguments: must be a mapping of keys to values, not a list"),
    "generator": ({**RULER, "arguments": [{"name": "text_file", "generator": "txt_file", "of": None, "one_of": None}]}, "did you mean 'text_file'?"),
    "id there": ({**RULER, "id": "notepad.zoom_text", "title": "Other"}, "id: 'notepad.zoom_text' is already used"),
    "another's id": ({**RULER, "id": "excel.show_ruler"}, "id: 'excel.show_ruler' must begin with 'notepad.'"),
    "title there": ({**RULER, "title": "ZoomText"}, "title: 'ZoomText' is the title of notepad.zoom_text"),
    "names it": ({**RULER, "say": ["put Notepad's ruler above {text_file}", *RULER["say"]]}, "say[0]: names its own application: move it to `named`"),
    "near phrasing": ({**RULER, "say": ["turn on word wrap for {jotting}", *RULER["say"]]}, "say[0]: 'turn on word wrap for {jotting}' is nearly"),
    "near itself": ({**RULER, "say": [*RULER["say"], "please draw column numbers above everything in {text_file}"]}, "of notepad.show_ruler"),
    "no names": ({**RULER, "named": []}, "named is missing"),
    "capability": ({**RULER, "capability": "text.chnge_view"}, "'text.chnge_view' is not in equivalence.yaml; did you mean 'text.change_view'?"),
    "unmet need": (FOLLOWER, "needs[0]: unmet need: no other task of notepad gives 'split(text_file)'"),
}  # fmt: skip


@pytest.mark.slow(minutes=0.4)
def test_each_unfit_proposal_is_refused_with_its_reason_and_harms_no_other(catalog: Catalog, tmp_path: Path) -> None:
    """All at once: among the unfit are duplicates in id and words of the one that fits, before and after it."""
    unfit = [given for given, _ in REFUSED.values()]
    fits = proposal("show_margin", "mark eighty characters by a thin line")
    draft = drafted(answer(*unfit[:7], fits, *unfit[7:], {**fits, "id": "notepad.margin", "title": "Margin"}), catalog, tmp_path)
    assert [task.id for task in draft.kept] == ["notepad.show_margin"]
    assert len(draft.refused) == len(REFUSED) + 1
    found = [reason for each in draft.refused for reason in each.reasons]
    for kind, (_, reason) in REFUSED.items():
        assert any(reason in each for each in found), (kind, found)
    assert any("is nearly" in each and "of notepad.show_margin" in each for each in found)
    kept = yaml.safe_load(draft.path.read_text())
    assert [each["reasons"] for each in kept["refused"]] == [list(each.reasons) for each in draft.refused]


def test_an_entry_of_the_map_that_is_unsound_is_charged_to_the_tasks_that_need_it(catalog: Catalog, tmp_path: Path) -> None:
    wrong = [{**ENTRIES[0], "applications": ["notepad", "notpad"]}, {"capability": "notepad.more", "applications": []}]
    draft = drafted(answer(RULER, TABS, entries=wrong), catalog, tmp_path)
    assert [task.id for task in draft.kept] == ["notepad.show_ruler"] and yaml.safe_load(draft.path.read_text())["equivalence"] == {}
    reasons = {str(each.proposal.get("id", each.proposal.get("capability"))): "; ".join(each.reasons) for each in draft.refused}
    assert "unknown application 'notpad'; did you mean 'notepad'?" in reasons["notepad.split_tabs"]
    assert "reason: is missing" in reasons["notepad.more"]


def test_a_capability_by_which_one_application_does_a_whole_workflow_across_several_is_refused(catalog: Catalog, tmp_path: Path) -> None:
    """A workflow across applications must not come to be one that the drafted application does alone."""
    located, _ = read_workflows()
    for workflow, _, _ in located:
        wanted = {catalog.tasks[step.task].capability for step in workflow.steps}
        lacking = [name for name in wanted if "notepad" not in catalog.capabilities[name].applications]
        if len({step.task.rpartition(".")[0] for step in workflow.steps}) > 1 and 1 < len(lacking) <= 3:
            break
    names = ["first", "second", "third"]
    tasks = [
        proposal(f"{word}_step", f"go {word} through {word} {word} motions", capability=name) for word, name in zip(names, lacking, strict=False)
    ]
    draft = drafted(answer(RULER, *tasks), catalog, tmp_path)
    assert RULER["id"] in [task.id for task in draft.kept] and draft.refused
    assert any("a workflow across applications needs several" in reason for each in draft.refused for reason in each.reasons)


def test_the_same_draft_is_paid_for_once_and_leaves_what_a_person_changed(catalog: Catalog, tmp_path: Path) -> None:
    with fake_server(lambda request: answer(RULER)) as server:
        endpoint = Endpoint("m", server.base_url)
        first = draft_tasks("notepad", endpoint, 5, catalog, DataFolder(tmp_path), quiet)
        origin = yaml.safe_load(first.path.read_text())["origin"]
        first.path.write_text("reviewed")
        again = draft_tasks("notepad", endpoint, 5, catalog, DataFolder(tmp_path), quiet)
        assert len(server.requests) == 1
        system, user = (message["content"] for message in server.requests[0]["messages"])
    assert again == first and first.path.read_text() == "reviewed" and list(first.path.parent.iterdir()) == [first.path]
    assert first.path.parent == DataFolder(tmp_path).drafts and first.path.name.startswith("notepad-")
    assert origin["model"] == "m" and set(origin) == {"model", "prompt", "call", "made_at"} and origin["call"]
    assert (
        "- text_file: " in system
        and "replaced_text + replacement_text: " in system
        and "notepad" not in system.split("# Generators")[0].split("Applications of the catalog")[0]
    )
    for task in catalog.applications["notepad"].tasks:
        assert f"- {task.id} ({task.title}): {task.capability}" in user
    assert "plain text editor by Microsoft" in user and user.count('"named"') == 3 and user.endswith("Propose 5 new atomic tasks of notepad.")


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (answer(), "drafted 0 usable tasks of notepad \\(at least 1 needed\\): it proposed no others"),
        (answer({**RULER, "capability": "text.fly"}), "'text.fly' is not in equivalence.yaml"),
        ("I would rather not", r"the model's answer \(answered\) is not the requested JSON object"),
        ("[1]", "is not the requested JSON object"),
        (Fault("long"), r"\(truncated\) is not the requested JSON object; ask for fewer tasks"),
        (json.dumps({"tasks": "none", "capabilities": 3}), "drafted 0 usable tasks"),
    ],
)
def test_a_draft_with_nothing_usable_says_why_and_writes_nothing(said: Any, reason: str, catalog: Catalog, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=reason):
        drafted(said, catalog, tmp_path)
    assert not DataFolder(tmp_path).drafts.exists()


@pytest.mark.parametrize(
    ("application", "title", "number", "reason"),
    [
        ("notepd", None, 5, r"'notepd' is not in the catalog \(to draft it as a new application, give its --title\); did you mean 'notepad'\?"),
        ("notepad", "Notepad", 5, "'notepad' is in the catalog already; leave out --title"),
        ("Libre Office", "LibreOffice", 5, "write it in lower case without spaces"),
        ("libre_office", "LibreOffice", 4, "a new application needs 5 or more tasks, not 4"),
        ("notepad", None, 0, "ask for 1 or more tasks, not 0"),
    ],
)
def test_names_that_do_not_fit_are_bad_input(application: str, title: str | None, number: int, reason: str, catalog: Catalog, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=reason):
        draft_tasks(application, Endpoint("m", "http://127.0.0.1:9/v1"), number, catalog, DataFolder(tmp_path), quiet, title)


@settings(deadline=None)
@given(st.data())
def test_what_settles_is_sound_and_could_take_in_none_of_the_others(data: st.DataObject) -> None:
    """Tasks that are faulty of themselves, for want of another, or beside an earlier one that they repeat."""
    size = data.draw(st.integers(0, 7))
    places = st.sets(st.integers(0, max(0, size - 1)), max_size=2)
    faulty, needs, repeats = data.draw(places), [data.draw(places) for _ in range(size)], [data.draw(places) for _ in range(size)]
    said = ["do it", "do that", "Is it done?"]
    tasks = [AtomicTask(id=str(number), title="Any", capability="any.thing", say=said) for number in range(size)]

    def faults_of(some: Sequence[AtomicTask]) -> dict[int, list[str]]:
        numbers = [int(task.id) for task in some]
        wrong = [n in faulty or not needs[n] <= set(numbers) or any(m in repeats[n] for m in numbers if m < n) for n in numbers]
        return {place: ["wrong"] for place, is_wrong in enumerate(wrong) if is_wrong}

    kept, faults = settled(tasks, faults_of)
    assert not faults_of(kept)
    assert sorted([int(task.id) for task in kept] + list(faults)) == list(range(size))
    for place in faults:
        assert faults_of(sorted([*kept, tasks[place]], key=lambda task: int(task.id)))
