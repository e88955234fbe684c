"""Protects that task files are read as they are: nothing is unread, nothing changes, and what is not understood is said with its line and place."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_tasks.problems import Problem
from eval_flows.episodes.osworld.task_file import TaskFile, is_index, option_mistakes, read_task_file
from eval_flows.episodes.osworld.vocabulary import vocabulary
from tests.conftest import REPOSITORY
from tests.eval_flows.episodes.osworld.made import GOLD, SHEET, step, task

GIVEN = REPOSITORY.parent / "shared" / "osworld_tasks"  # real files, which are not ours to keep
Json = dict[str, Any]


def read(path: Path, document: object) -> tuple[TaskFile | None, list[Problem]]:
    path.write_text(document if isinstance(document, str) else json.dumps(document, indent=1))
    problems: list[Problem] = []
    return read_task_file(path, problems), problems


def mistakes(path: Path, document: object) -> list[str]:
    made, problems = read(path, document)
    assert made is None and problems
    return [f"{one.line}: {one.field}: {one.reason}" for one in problems]


def spelled(document: object) -> str:
    """JSON in which 1, 1.0 and true are different things."""
    return json.dumps(document, sort_keys=True)


@pytest.mark.skipif(not GIVEN.is_dir(), reason="the real task files are not here")
def test_the_given_files_are_all_read_and_none_changes() -> None:
    paths, problems = sorted(GIVEN.rglob("*.json")), list[Problem]()
    read_again = {path: read_task_file(path, problems) for path in paths}
    assert len(paths) == 54 and problems == []
    for path, made in read_again.items():
        assert made is not None and spelled(made.document) == spelled(json.loads(path.read_bytes())), path


TEXT, JSON_VALUE = st.text(max_size=12), st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
FLAG = st.booleans() | st.sampled_from(["true", "false"])
COMMAND = TEXT | st.lists(TEXT, max_size=3)
STEPS = st.one_of(
    st.builds(lambda seconds: step("sleep", seconds=seconds), st.integers(0, 9) | st.floats(0, 9)),
    st.builds(lambda command, shell: step("execute", command=command, shell=shell), COMMAND, FLAG),
    st.builds(lambda name, strict: {**step("activate_window", window_name=name, strict=strict), "_comment": name}, TEXT, FLAG),
    st.builds(lambda urls: step("chrome_open_tabs", urls_to_open=urls), st.lists(TEXT, max_size=3)),
    st.builds(
        lambda url, title, seconds: step("update_browse_history", history=[{"url": url, "title": title, "visit_time_from_now_in_seconds": seconds}]),
        TEXT,
        TEXT,
        st.integers(0, 10**10),
    ),
)
EVALUATORS = st.one_of(
    st.just({"func": "infeasible"}),
    st.builds(
        lambda rules, options: {
            "func": "exact_match",
            "result": {"type": "vm_terminal_output"},
            "expected": {"type": "rule", "rules": rules},
            "options": options,
        },
        JSON_VALUE,
        st.dictionaries(TEXT, JSON_VALUE, max_size=2),
    ),
    st.builds(
        lambda conj, rules: {
            "func": ["check_list", "exact_match"],
            "conj": conj,
            "result": [{"type": "vm_terminal_output"}] * 2,
            "expected": [{"type": "rule", "rules": rules}, {}],
            "options": [{}, None],
        },
        st.sampled_from(["and", "or"]),
        JSON_VALUE,
    ),
)


@given(
    st.fixed_dictionaries(
        {"id": st.text(min_size=1), "instruction": st.text(min_size=1), "evaluator": EVALUATORS},
        optional={
            "config": st.lists(STEPS, max_size=4),
            "source": TEXT | st.lists(TEXT, max_size=2),
            "snapshot": TEXT,
            "related_apps": st.lists(TEXT, max_size=3),
            "proxy": st.booleans(),
            "fixed_ip": st.booleans(),
            "possibility_of_env_change": TEXT,
            "_comments": JSON_VALUE,
        },
    )
)
def test_any_document_of_the_form_comes_out_as_it_went_in(tmp_path_factory: pytest.TempPathFactory, document: Json) -> None:
    made, problems = read(tmp_path_factory.mktemp("task") / "task.json", document)
    assert problems == [] and made is not None and spelled(made.document) == spelled(document)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"relatd_apps": []}, "56: relatd_apps: unknown key 'relatd_apps'; did you mean 'related_apps'?"),
        ({"config": [step("slep", seconds=1)]}, "8: config[0].type: unknown type of step 'slep'; did you mean 'sleep'?"),
        ({"config": [step("sleep", second=1)]}, "10: config[0].parameters.second: unknown key 'second'; did you mean 'seconds'?"),
        ({"config": [step("sleep", seconds="2")]}, "10: config[0].parameters.seconds: must be a number of seconds from 0 to 600, not '2'"),
        ({"config": [step("launch", command=["a", 1])]}, "10: config[0].parameters.command: must be a text or a list of texts"),
        ({"config": [step("execute", command="ls", until={"returncod": 0})]}, "config[0].parameters.until.returncod: unknown key 'returncod'; did you mean 'returncode'?"),
        ({"config": [{"type": "open", "parameters": {}}]}, "config[0].parameters.path: is missing"),
        ({"config": [{**step("sleep", seconds=1), "when": "now"}]}, "config[0].when: unknown key 'when'"),
        ({"proxy": "true"}, "proxy: must be true or false, not 'true'"),
        ({"instruction": 5}, "instruction: must be a text"),
        ({"config": [step("sleep", seconds=1e30)]}, "config[0].parameters.seconds: must be a number of seconds from 0 to 600, not '1e+30'"),
        ({"config": [step("sleep", seconds=601)]}, "config[0].parameters.seconds: must be a number of seconds from 0 to 600, not '601'"),
        ({"config": [step("sleep", seconds=600)] * 2, "evaluator": {**task()["evaluator"], "postconfig": [step("sleep", seconds=600), step("sleep", seconds=1)]}},
         "evaluator.postconfig[1].parameters.seconds: with it, the steps wait for 1801 seconds; at most 1800 are taken for a task"),
        ({"config": [step("sleep", seconds=-1)]}, "config[0].parameters.seconds: must be a number of seconds from 0 to 600"),
        ({"config": [step("update_browse_history", history=[{"url": "u", "title": "t", "visit_time_from_now_in_seconds": 10**400}])]},
         "config[0].parameters.history[0].visit_time_from_now_in_seconds: must be a number of seconds from 0 to 10000000000"),
        ({"config": [step("execute", command="ls", stdout=".")]}, "config[0].parameters.stdout: '.' leads out"),
        ({"config": [step("execute", command="ls", stdout="a" * 300)]}, "leads out of the task's own folder"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_an_error_with_its_place(tmp_path: Path, changes: Json, told: str) -> None:
    found = mistakes(tmp_path / "task.json", task(**changes))
    assert any(told in one for one in found), found


RESULT, RULE = {"type": "vm_terminal_output"}, {"type": "rule", "rules": {}}
TWO = {"type": "vm_file", "path": ["/a", "/b"], "dest": ["a", "b"], "multi": True}


@pytest.mark.parametrize(
    ("evaluator", "told"),
    [
        ({"func": "compare_tabel", "result": RESULT}, "evaluator.func: unknown function 'compare_tabel'; did you mean 'compare_table'?"),
        ({"func": "check_list"}, "evaluator.result: is missing: nothing would be compared"),
        ({"func": [], "result": []}, "evaluator.func: needs at least one function"),
        ({"func": "check_list", "result": {"type": "vm_fil", "path": "/a", "dest": "a"}}, "evaluator.result.type: unknown type 'vm_fil'; did you mean 'vm_file'?"),
        ({"func": "check_list", "result": {"path": "/a"}}, "evaluator.result.type: is missing"),
        ({"func": "check_list", "result": {"type": "vm_file", "path": "/a", "dest": "a", "pth": "b"}}, "evaluator.result.pth: unknown key 'pth'; did you mean 'path'?"),
        ({"func": "check_list", "result": {"type": ["vm_file"], "path": "/a"}}, "evaluator.result.type: unknown type '['vm_file']'"),
        ({"func": ["check_list", "exact_match"], "conj": "or", "result": [RESULT, None]}, "evaluator.result[1]: is missing: nothing would be compared"),
        ({"func": ["infeasible", "exact_match"], "conj": "or", "result": [RESULT, RESULT]}, "evaluator.func: 'infeasible' stands alone"),
        ({"func": "check_list", "result": {**TWO, "multi": False}}, "evaluator.result.path: must be one text: several need `multi`"),
        ({"func": "check_list", "result": {**TWO, "dest": "a"}}, "evaluator.result.dest: must be a list, since `multi` is true"),
        ({"func": "check_list", "result": {**TWO, "dest": ["a"]}}, "evaluator.result.dest: has 1 entries, but path has 2"),
        ({"func": "check_list", "result": {**TWO, "gives": [0, 2]}}, "evaluator.result.gives: names files that are not there: path has 2"),
        ({"func": "check_list", "result": {"type": "audio_in_slide", "ppt_file_path": "/a", "slide_index": "1.5", "dest": "a"}}, "evaluator.result.slide_index: must be a whole number"),
        ({"func": "check_list", "result": [RESULT]}, "evaluator.result: must be one object, as func is"),
        ({"func": ["check_list", "exact_match"], "result": [RESULT]}, "evaluator.result: has 1 entries, but func has 2"),
        ({"func": ["check_list", "exact_match"], "result": [RESULT, RESULT], "expected": RULE}, "evaluator.expected: must be a list, as func is"),
        ({"func": "check_list", "result": RESULT, "conj": "xor"}, "evaluator.conj: must be and or or, not 'xor'"),
        ({"func": "check_list", "result": RESULT, "postconfig": [step("slip", seconds=1)]}, "evaluator.postconfig[0].type: unknown type of step 'slip'"),
        ({"func": "check_list", "result": {"type": "cache_file", "path": "../../secret"}}, "evaluator.result.path: '../../secret' leads out of the task's own folder"),
        ({"func": "check_list", "result": {"type": "vm_file", "path": "/a", "dest": "/etc/passwd"}}, "evaluator.result.dest: '/etc/passwd' leads out"),
        ({"func": "check_list", "result": RESULT, "postconfig": [step("execute", command="ls", stdout="../out")]}, "evaluator.postconfig[0].parameters.stdout: '../out' leads out"),
        ({"func": "check_list", "result": RESULT, "postconfig": [step("download", files=[{"url": SHEET, "path": "/home/user/../root/a"}])]},
         "evaluator.postconfig[0].parameters.files[0].path: '/home/user/../root/a' has '..' in it"),
    ],
)  # fmt: skip
def test_an_evaluator_that_cannot_judge_is_refused(tmp_path: Path, evaluator: Json, told: str) -> None:
    found = mistakes(tmp_path / "task.json", task(evaluator=evaluator))
    assert any(told in one for one in found), found


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"id": "a",\n "id": "b"}', "1: file: the key 'id' stands twice in one object: keep one"),
        ('{"id": "a",\n "x": NaN}', "1: file: NaN is no number of JSON"),
        ('{"id": "a"\n "x": 1}', "2: file: is not JSON"),
        ("[" * 100_000, "1: file: is nested too deeply"),
        ('{"id": ' + "[" * 400 + "]" * 400 + "}", "1: file: is nested too deeply"),
        ('{"id": "a", "x": 1e999}', "1: file: 1e999 is larger than any number that can be held"),
        (r'{"id": "\ud800"}', r"1: file: has half a character, '\ud800', in a text"),
        ("[]", "1: file: is no task: a task file holds one JSON object"),
    ],
)
def test_a_file_that_is_no_task_is_refused(tmp_path: Path, text: str, told: str) -> None:
    assert any(told in one for one in mistakes(tmp_path / "task.json", text))


def test_what_is_no_regular_file_is_refused_without_reading_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "task.json")
    problems: list[Problem] = []
    assert not is_index(tmp_path / "task.json") and read_task_file(tmp_path / "task.json", problems) is None
    assert "is no regular file" in str(problems[0])


def test_all_mistakes_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    found = mistakes(tmp_path / "task.json", task(config=[step("slep", seconds=1), step("open", pth="/a")]))
    assert len(found) == 2, found


def test_addresses_of_both_sides_are_known_with_their_places(tmp_path: Path) -> None:
    made, _ = read(tmp_path / "task.json", task())
    assert made is not None and made.addresses == [(("config", 0, "parameters", "files", 0, "url"), SHEET), (("evaluator", "expected", "path"), GOLD)]


def test_an_option_that_is_misspelt_is_told(tmp_path: Path) -> None:
    def compare_table(result: Any, expected: Any, rules: Any = ()) -> float:
        return 1.0

    made, _ = read(tmp_path / "task.json", task())
    assert made is not None and list(option_mistakes(made, {"compare_table": compare_table})) == []
    wrong, _ = read(tmp_path / "task.json", task(evaluator={**task()["evaluator"], "options": {"ruls": []}}))
    assert wrong is not None
    assert list(option_mistakes(wrong, {"compare_table": compare_table})) == [
        (("evaluator", "options", "ruls"), "compare_table has no option 'ruls'; did you mean 'rules'?")
    ]
    assert list(option_mistakes(wrong, {"compare_table": lambda result, expected, **options: 1.0})) == []
    other, _ = read(tmp_path / "task.json", task(evaluator={**task()["evaluator"], "options": {"in_colour": True}}))
    assert other is not None and list(option_mistakes(other, {"compare_table": compare_table})) == [], "the metric is not there as the task wants it"


def test_a_list_of_tasks_is_no_task(tmp_path: Path) -> None:
    (tmp_path / "all.json").write_text('{"chrome": ["a", "b"]}')
    (tmp_path / "task.json").write_text(json.dumps(task()))
    assert is_index(tmp_path / "all.json") and not is_index(tmp_path / "task.json")


def test_the_vocabulary_declares_kinds_that_there_are() -> None:
    words = vocabulary()
    assert {"download", "execute", "chrome_open_tabs", "googledrive", "login", "recycle_file"} <= set(words.steps)
    assert {"vm_file", "cloud_file", "rule", "active_tab_html_parse"} <= set(words.getters)
    assert len(set(words.functions)) == len(words.functions) >= 140
