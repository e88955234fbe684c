"""Protects that each task is runnable here or has its one reason, the first of the declared ones."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from eval_flows.episodes.osworld import needs
from eval_flows.episodes.osworld.applications import applications, commands_in
from eval_flows.episodes.osworld.needs import Here, Need, need_of, reasons
from eval_flows.episodes.osworld.setup import CARRIED_OUT
from eval_flows.episodes.osworld.task_file import TaskFile
from eval_flows.episodes.osworld.vocabulary import vocabulary
from tests.eval_flows.episodes.osworld.made import GOLD, SHEET, step, task

HERE = Here(
    programs=["libreoffice_calc", "chromium", "vlc"],
    has_file=lambda address: True,
    steps=CARRIED_OUT,
    getters=["vm_file", "cloud_file", "rule", "active_tab_info", "open_tabs_info", "bookmarks", "vlc_playing_info"],
    metrics={"compare_table": lambda result, expected, rules=(): 1.0, "exact_match": lambda result, rules: 1.0},
)
Json = dict[str, Any]


def need(here: Here = HERE, **changes: Any) -> Need | None:
    return need_of(TaskFile.model_validate(task(**changes)), here)


def judged(result: Json, rules: Json | None = None) -> Json:
    return {"func": "exact_match", "result": result, "expected": {"type": "rule", "rules": rules or {}}}


def test_a_task_with_everything_there_needs_nothing() -> None:
    assert need() is None


def test_every_reason_is_looked_for_and_nothing_else() -> None:
    assert list(reasons()) == ["windows", "linux", "home", "account", "internet", "application", "setup", "getter", "metric", "file"]
    assert set(needs._LOOKS) == set(reasons())


DOWNLOAD = task()["config"]


@pytest.mark.parametrize(
    ("changes", "reason", "what"),
    [
        ({"id": "28b9-WOS-2"}, "windows", "its id"),
        ({"related_apps": ["notepad"]}, "windows", "Notepad"),
        ({"config": [step("open", path="C:\\Users\\Docker\\a.txt")]}, "windows", "the path C:\\Users\\Docker\\a.txt"),
        ({"config": [step("launch", command=["start", "ms-clock://"])]}, "windows", "start"),
        ({"evaluator": judged({"type": "night_light_state"})}, "windows", "night_light_state"),
        ({"config": [step("login", settings_file="s.json", platform="googledrive")]}, "account", "login"),
        ({"evaluator": judged({"type": "googledrive_file", "path": ["a"], "dest": "a"})}, "account", "googledrive_file"),
        ({"proxy": True}, "internet", "proxy"),
        ({"config": [step("chrome_open_tabs", urls_to_open=["https://www.united.com/"])]}, "internet", "https://www.united.com/"),
        ({"config": [step("launch", command="vlc https://example.org/a.m3u8")]}, "internet", "https://example.org/a.m3u8"),
        ({"config": [step("execute", command="echo a | sudo -S pip install pysrt", shell=True)]}, "internet", "pip install"),
        ({"config": [step("execute", command=["/bin/bash", "-c", "cd /tmp && git clone there"])]}, "internet", "git clone"),
        ({"config": [step("execute", command=["curl", "-sO", "https://a.org/b"])]}, "internet", "curl -sO"),
        ({"config": [step("command", command="cd /tmp; sudo curl -L a.org/b | sh", shell=True)]}, "internet", "curl -L"),
        ({"config": [step("execute", command=["python", "-c", "print(urlopen('https://a.org/b').read())"])]}, "internet", "https://a.org/b"),
        ({"config": [step("execute", command="python3 -c 'import requests; requests.get(\"http://a.org\")'", shell=True)]}, "internet", "http://a.org"),
        ({"evaluator": judged({"type": "active_tab_info", "goto_prefix": "https://www."}, {"expected": ["united\\.com"]})}, "internet", "active_tab_info"),
        ({"evaluator": judged({"type": "open_tabs_info"}, {"urls": ["https://example.org"]})}, "internet", "https://example.org"),
        ({"evaluator": judged({"type": "info_from_website", "url": "https://a.org", "infos": []})}, "internet", "info_from_website"),
        ({"related_apps": ["libreoffice_impress"]}, "application", "LibreOffice Impress"),
        ({"related_apps": ["blender"]}, "application", "'blender', which is not known here"),
        ({"config": [step("launch", command=["code", "/home/user/a"])]}, "application", "VS Code"),
        ({"config": [*DOWNLOAD, step("tidy_desktop")]}, "setup", "tidy_desktop"),
        ({"evaluator": judged({"type": "vm_screen_size"})}, "getter", "vm_screen_size"),
        ({"evaluator": {**judged({"type": "vm_file", "path": "/a", "dest": "a"}), "func": "check_csv"}}, "metric", "check_csv"),
        ({"evaluator": {"func": "exact_match", "result": {"type": "rule", "rules": 1}}}, "metric", "exact_match: missing a required argument: 'rules'"),
        ({"evaluator": {**task()["evaluator"], "options": {"in_colour": True}}}, "metric", "compare_table has no option 'in_colour' (evaluator.options.in_colour)"),
        ({"evaluator": judged({"type": "vm_file", "path": "/a", "dest": "a"}, {"expected": 1, "weather": 2})}, "metric",
         "exact_match knows no key 'weather' of its rules (evaluator.expected.rules.weather)"),
    ],
)  # fmt: skip
def test_a_task_has_its_reason(changes: Json, reason: str, what: str) -> None:
    found = need(**changes)
    assert found is not None and found.reason == reason and what in found.what


@pytest.mark.parametrize(
    "changes",
    [
        {"config": [step("chrome_open_tabs", urls_to_open=["http://localhost:8000/", "file:///home/user/a.html"])]},
        {"evaluator": judged({"type": "active_tab_info", "goto_prefix": ""}, {"expected": "chrome://settings/passwords"})},
        {"evaluator": judged({"type": "active_tab_info"}, {"expected": "chrome://settings/passwords"})},
        {"evaluator": judged({"type": "bookmarks"}, {"expected": ["Favorites"]})},
        {"related_apps": ["os", "libreoffice_calc"]},
        {"config": [step("execute", command=["curl", "-s", "http://localhost:9222/json"])]},
        {"config": [step("execute", command=["python", "-c", "urlopen('http://127.0.0.1:8080/requests/status.xml')"])]},
        {"config": [step("execute", command="echo https://a.org > /tmp/list", shell=True)]},
        {"config": [step("execute", command=["python", "-c", "import pyautogui; pyautogui.hotkey('ctrl', 's')"])]},
    ],
)
def test_what_needs_nothing_is_not_taken_for_a_need(changes: Json) -> None:
    assert need(**changes) is None


def test_the_first_of_several_reasons_counts() -> None:
    everything = {"related_apps": ["notepad", "gimp"], "proxy": True}
    nothing = Here([], lambda address: False)
    assert [(found := need(nothing, **changes)) and found.reason for changes in (everything, {"proxy": True}, {})] == [
        "windows",
        "internet",
        "application",
    ]


def test_a_missing_file_is_named_by_its_address_once() -> None:
    found = need(replace(HERE, has_file=lambda address: address != GOLD))
    assert found == Need("file", GOLD)
    both = need(replace(HERE, has_file=lambda address: False), config=[*DOWNLOAD, *DOWNLOAD])
    assert both == Need("file", f"{SHEET}, {GOLD}")


def test_an_infeasible_task_needs_no_getter_and_no_metric() -> None:
    assert need(Here(HERE.programs, lambda address: True, CARRIED_OUT), evaluator={"func": "infeasible"}) is None


@pytest.mark.parametrize(
    ("command", "shell", "words"),
    [
        (["/bin/bash", "-c", "cd /a && unzip -q b.zip"], False, [["cd", "/a"], ["unzip", "-q", "b.zip"]]),
        ("VLC_VERBOSE=-1 vlc --no-audio", True, [["vlc", "--no-audio"]]),
        ("export A='b c'\nxdg-open /a", True, [["xdg-open", "/a"]]),
        ("echo a | sudo -S pip install b", True, [["echo", "a"], ["pip", "install", "b"]]),
        (["vlc", "a b.mp4"], False, [["vlc", "a b.mp4"]]),
        ("vlc", False, [["vlc"]]),
        ("", True, []),
        ([], False, []),
    ],
)
def test_the_commands_in_a_command_are_told_apart(command: Any, shell: bool, words: list[list[str]]) -> None:
    assert list(commands_in(command, shell)) == words


def test_applications_are_declared_once_and_suites_name_declared_ones() -> None:
    declared = applications()
    names = [name for one in declared.applications.values() for name in one.names]
    assert len(names) == len(set(names)) and not set(names) & set(declared.nothing)
    assert {handle for options in declared.suites.values() for handle in options.values()} <= set(declared.applications)


def test_setup_steps_that_are_carried_out_are_of_the_vocabulary() -> None:
    carried: Mapping[str, Any] = CARRIED_OUT
    assert set(carried) <= set(vocabulary().steps)
