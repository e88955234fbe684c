"""Protects the messages about executable tasks: what is wrong with a setup, an oracle or a check is said with its place and a remedy."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from atomic_tasks.catalog import CATALOG_ROOT, Catalog, read_catalog
from atomic_tasks.executable import executable_tasks

TASKS = """\
application: editor
title: The Editor
vendor: Nobody
kind: editor of texts
platform: linux
category: Office & Knowledge Work
description: An editor.
features: [lines, words, letters]
typical_scenarios: [notes, lists, letters]
tasks:
  - id: editor.write_note
    title: WriteNote
    capability: text.write
    arguments: {note: {one_of: [milk, bread]}, file: text_file}
    say: [write {note} in {file}, have {note} in {file}, put {note} into {file}]
    setup:
      - text: {path: "Documents/{file}", content: ["{note}", "{}"]}
    oracle:
      - menu: [Edit, Paste]
        within: Editor
      - write: "{note}"
    check:
      - text: "Documents/{file}"
        contains: "{note}"
      - clipboard: {}
        same_as: {text: "Documents/{file}"}
    changes:
      - text: {path: "Documents/{file}", lines: ["{note}"]}
""" + "".join(
    f"""\
  - id: editor.task_{number}
    title: Task{number}
    capability: text.write
    say: [do thing {number}, have thing {number} done, get thing {number} done]
"""
    for number in range(2, 6)
)

Problems = Callable[..., list[str]]


@pytest.fixture
def problems(tmp_path: Path) -> Problems:
    """The problems of the one application after replacements in its file."""
    (tmp_path / "applications").mkdir()
    shutil.copy(CATALOG_ROOT / "checkers.yaml", tmp_path)

    def found(*changes: tuple[str, str]) -> list[str]:
        text = TASKS.replace(
            "[write {note} in {file}, have {note} in {file}, put {note} into {file}]",
            '["write {note} in {file}", "have {note} in {file}", "put {note} into {file}"]',
        )
        for old, new in changes:
            assert old in text
            text = text.replace(old, new, 1)
        (tmp_path / "applications/editor.yaml").write_text(text)
        catalog, form = read_catalog(tmp_path)
        assert not [problem for problem in form if "editor" in problem.file], form
        return [str(problem).replace(f"{tmp_path}/applications/", "") for problem in executable_tasks(catalog)]

    return found


def test_a_sound_task_has_no_problems(problems: Problems) -> None:
    assert problems() == []


CHECK = (
    '    check:\n      - text: "Documents/{file}"\n        contains: "{note}"\n      - clipboard: {}\n        same_as: {text: "Documents/{file}"}\n'
)
CHANGES = '    changes:\n      - text: {path: "Documents/{file}", lines: ["{note}"]}\n'
ORACLE = '    oracle:\n      - menu: [Edit, Paste]\n        within: Editor\n      - write: "{note}"\n'


@pytest.mark.parametrize(
    ("changes", "place", "reason"),
    [
        ([("contains:", "contain:")], "editor.yaml:23: tasks[0].check[0]", "unknown checker 'contain'; did you mean 'contains'?"),
        ([('      - text: "Documents/{file}"\n        contains', '      - txt: "Documents/{file}"\n        contains')], "tasks[0].check[0]", "unknown checker 'txt'; did you mean 'text'?"),
        ([("{text: \"Documents/{file}\"}\n", "{txet: \"Documents/{file}\"}\n")], "tasks[0].check[1]", "unknown checker 'txet' in same_as; did you mean 'text'?"),
        ([('        contains: "{note}"\n', "")], "tasks[0].check[0]", "needs one getter and one metric, and has 1 and 0"),
        ([('        contains: "{note}"\n', '        contains: "{note}"\n        is: x\n')], "tasks[0].check[0]", "needs one getter and one metric, and has 1 and 2"),
        ([("- text: {path", "- txt: {path")], "editor.yaml:17: tasks[0].setup[0]", "unknown name 'txt'; did you mean 'text'?"),
        ([("content: [", "contents: [")], "editor.yaml:17: tasks[0].setup[0]", "text does not take 'contents'; did you mean 'content'?"),
        ([('path: "Documents/{file}", ', "")], "tasks[0].setup[0]", "text lacks path"),
        ([('{path: "Documents/{file}", content: ["{note}", "{}"]}', '"Documents/{file}"')], "tasks[0].setup[0]", "text takes keys: path, content"),
        ([("clipboard: {}", "clipboard: {what: text}")], "tasks[0].check[1]", "clipboard does not take 'what'"),
        ([("clipboard: {}", "clipboard: all of it")], "tasks[0].check[1]", "clipboard takes keys: none"),
        ([("{text: \"Documents/{file}\"}\n", "{cell: {path: \"Documents/{file}\", sheets: A}}\n")], "tasks[0].check[1]", "cell does not take 'sheets'; did you mean 'sheet'?"),
        ([("clipboard: {}", "picture: {path: a.png, what: hight}")], "tasks[0].check[1]", "picture has no 'hight'; did you mean 'height'?"),
        ([("clipboard: {}", "picture: {path: a.png, what: width.3}")], "tasks[0].check[1]", "picture has width, not 'width.3'"),
        ([("clipboard: {}", 'document: {path: a.docx, what: "style"}')], "tasks[0].check[1]", "document has style.TEXT, not 'style'"),
        ([("- write: ", "- wrote: ")], "editor.yaml:21: tasks[0].oracle[1]", "unknown name 'wrote'; did you mean 'write'?"),
        ([('- write: "{note}"', '- {write: "{note}", press: enter}')], "tasks[0].oracle[1]", "needs exactly one name of checkers.yaml, and has 2: write, press"),
        ([("- menu: [Edit, Paste]\n        within", "- within")], "tasks[0].oracle[0]", "needs exactly one name of checkers.yaml, and has 0"),
        ([('- write: "{note}"', '- write: "{nite}"')], "editor.yaml:21: tasks[0].oracle[1]", "uses {nite}, but editor.write_note has no such argument; did you mean 'note'?"),
        ([('path: "Documents/{file}"', 'path: "Documents/{fil}"')], "tasks[0].setup[0]", "uses {fil}, but editor.write_note has no such argument; did you mean 'file'?"),
        ([('- write: "{note}"', "- click: 17")], "editor.yaml:21: tasks[0].oracle[1].click", "takes an element, as in {role: push button, name: Save}, not 17"),
        ([('- write: "{note}"', "- click: {rol: text}")], "tasks[0].oracle[1].click", "rol: unknown key 'rol'; did you mean 'role'?"),
        ([('- write: "{note}"', "- wait_for: {windw: Editor}")], "tasks[0].oracle[1].wait_for", "takes an element, as in {role: push button, name: Save}, or {window: part of a title}"),
        ([('- write: "{note}"', "- click_at: [12, 0.5]")], "tasks[0].oracle[1].click_at", "takes a place as two shares of the screen"),
        ([('- write: "{note}"', "- drag: {from: [0.1, 0.2]}")], "tasks[0].oracle[1].drag", "takes {from, to}"),
        ([('- write: "{note}"', "- scroll: left")], "tasks[0].oracle[1].scroll", "takes up or down, not 'left'"),
        ([('- write: "{note}"', "- paste: 1")], "tasks[0].oracle[1].paste", "takes true, not 1"),
        ([('- write: "{note}"', "- press: {ctrl: s}")], "tasks[0].oracle[1].press", "takes a key, keys together as in ctrl+s, or a list of them, not"),
        ([("menu: [Edit, Paste]", "menu: Edit")], "editor.yaml:19: tasks[0].oracle[0].menu", "takes a list of names, as in [File, Save], not 'Edit'"),
        ([("within: Editor", "within: [Editor]")], "editor.yaml:20: tasks[0].oracle[0].within", "takes a text, not a list"),
        ([('contains: "{note}"', "contains:")], "editor.yaml:24: tasks[0].check[0].contains", "takes a value, or a list of them, not nothing"),
        ([('contains: "{note}"', 'matches: "({note}"')], "editor.yaml:24: tasks[0].check[0].matches", "takes a regular expression, not '({note}'"),
        ([('contains: "{note}"', "at_least: many")], "tasks[0].check[0].at_least", "takes a number, not 'many'"),
        ([('contains: "{note}"', "close_to: [1, 2, 3]")], "tasks[0].check[0].close_to", "takes a number, or [number, tolerance], not a list"),
        ([('contains: "{note}"', "cells_like: [a]")], "tasks[0].check[0]", "cells_like is graded: give a threshold above 0 and up to 1 from which on it holds"),
        ([('contains: "{note}"', "{cells_like: [a], threshold: 2}".strip("{}").replace(", ", "\n        "))], "tasks[0].check[0]", "cells_like is graded: give a threshold"),
        ([('contains: "{note}"', 'contains: "{note}"\n        threshold: 0.5')], "tasks[0].check[0]", "only a graded metric takes a threshold"),
        ([('contains: "{note}"', "resembles: {size: [1, 2, 3]}\n        threshold: 1")], "tasks[0].check[0].resembles", "size"),
        ([("arguments: {note: {one_of: [milk, bread]}", "arguments: {home: {one_of: [x, y]}, note: {one_of: [milk, bread]}")], "tasks[0].arguments", "give the argument another name"),
        ([('contains: "{note}"', "is_sorted: up")], "tasks[0].check[0].is_sorted", "takes ascending or descending, not 'up'"),
        ([("    oracle:\n", '    preload: ["{flie}"]\n    oracle:\n')], "tasks[0].preload[0]", "uses {flie}, but editor.write_note has no such argument; did you mean 'file'?"),
        ([(CHANGES, "")], "editor.yaml:22: tasks[0].check", "needs changes: the files, and the parts of files, that it may change; write an empty list if it may change none"),
        ([("- text: {path: \"Documents/{file}\", lines", "- txt: {path: \"Documents/{file}\", lines")], "editor.yaml:28: tasks[0].changes[0]", "unknown name 'txt'; did you mean 'text'?"),
        ([("lines: [", "line: [")], "editor.yaml:28: tasks[0].changes[0]", "text does not take 'line'; did you mean 'lines'?"),
        ([('lines: ["{note}"]', 'lines: ["{nte}"]')], "tasks[0].changes[0]", "uses {nte}, but editor.write_note has no such argument; did you mean 'note'?"),
        ([("text: {path: \"Documents/{file}\", lines: [\"{note}\"]", "document: {path: \"Documents/{file}\", parts: [heder]")], "tasks[0].changes[0]", "document has no part 'heder'; did you mean 'header'?"),
        ([("text: {path: \"Documents/{file}\", lines: [\"{note}\"]", "document: {path: \"Documents/{file}\", paragraphs: [\"{note}\"], formats: [blod]")], "tasks[0].changes[0]", "document has no format 'blod'; did you mean 'bold'?"),
        ([(CHECK, "")], "editor.yaml:18: tasks[0].oracle", "needs a check: what holds after the task is done"),
        ([(ORACLE, ""), (CHANGES, "    changes: []\n")], "tasks[0].check", "needs an oracle: the steps that do the task"),
        ([(ORACLE, ""), (CHECK, "")], "tasks[0].changes", "needs an oracle: only a task that is done on a machine changes files there"),
        ([("    oracle:\n", "    infeasible: it cannot\n    oracle:\n")], "editor.yaml:18: tasks[0].infeasible", "an infeasible task has no oracle and no check"),
        ([("platform: linux", "platform: windows")], "tasks[0].oracle", "needs another way (also) and two near misses"),
        ([("platform: linux", "platform: windows"), ("      - text: {path: \"Documents/{file}\", content: [\"{note}\", \"{}\"]}\n", "      - folder: Documents/new\n"), (CHECK, ""), (ORACLE, ""), (CHANGES, "")], "tasks[0].setup[0]", "folder is made by commands of Linux: on Windows, make files"),
        ([('- write: "{note}"', '- powershell: "{note}"')], "tasks[0].oracle[1]", "only applications of platform windows have powershell"),
        ([(ORACLE, ""), (CHECK, ""), (CHANGES, "    asks: [write milk]\n")], "tasks[0].asks", "needs an oracle: only a task that is done on a machine asks something of its own"),
        ([("    oracle:\n", '    asks: ["write {nte} and save the file"]\n    oracle:\n')], "tasks[0].asks[0]", "uses {nte}, but editor.write_note has no such argument; did you mean 'note'?"),
    ],
)  # fmt: skip
def test_each_mistake_is_reported_with_its_place_and_a_remedy(problems: Problems, changes: list[tuple[str, str]], place: str, reason: str) -> None:
    lines = problems(*changes)
    assert len(lines) == 1 and place in lines[0] and reason in lines[0], lines


def test_all_mistakes_are_reported_at_once(problems: Problems) -> None:
    assert (
        len(
            problems(
                ("contains:", "contain:"), ("- write: ", "- wrote: "), ("- text: {path", "- txt: {path"), ("platform: linux", "platform: windows")
            )
        )
        == 4
    )


def test_opening_and_saving_need_no_check(problems: Problems) -> None:
    assert problems((CHECK, ""), ("    title: WriteNote\n", "    title: WriteNote\n    generic: true\n")) == []


def test_the_catalog_is_sound(catalog: Catalog) -> None:
    assert [str(problem) for problem in executable_tasks(catalog)] == []
