"""Protects the reading of a user's tasks: sound lines are read as they stand, and every problem of a file is said at once, with line and remedy."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput, Problem
from flows.facts import shape_of
from flows.task_file import Row, read_tasks

Task = dict[str, Any]
SHEET = {"text": "Sum up the second column", "valid_applications": ["excel"]}
MAIL = {"valid_applications": ["outlook"]}
CHAIN = {"text": "Sum the column up and mail it", "nodes": [{"valid_applications": ["excel"]}, MAIL], "edges": [[0, 1]]}


def lines(tasks: list[Task]) -> bytes:
    return "".join(json.dumps(task) + "\n" for task in tasks).encode()


def read(content: bytes, catalog: Catalog) -> list[Row]:
    return read_tasks(Path("tasks.jsonl"), content, catalog, "windows")


def problems_of(content: bytes, catalog: Catalog) -> list[Problem]:
    with pytest.raises(BadInput) as refused:
        read(content, catalog)
    return refused.value.problems


BAD_LINES: dict[str, tuple[str | bytes | Task, str]] = {
    "not JSON": ('{"text": "Sum", }', r"file: not JSON: .* at column \d+; every line"),
    "a number too long": ('{"text": ' + "9" * 5000 + "}", "file: not JSON: .*4300"),
    "nested too deep": ("[" * 100_000, "file: not JSON: .*recursion"),
    "not an object": ('["Sum"]', "file: wants a JSON object"),
    "not UTF-8": (b'{"text": "\xe9t\xe9"}', "file: not UTF-8 at byte 11: save the file as UTF-8"),
    "a key twice": ('{"text": "a", "text": "b", "valid_applications": ["excel"]}', "text: this key occurs twice"),
    "an unknown key": ({**SHEET, "valid_aplications": []}, "valid_aplications: unknown key 'valid_aplications'; did you mean 'valid_applications'?"),
    "no text": ({"valid_applications": ["excel"]}, "text: give either text or instruction"),
    "two texts": ({**SHEET, "instruction": "Sum"}, "text: give either text or instruction"),
    "a text that is none": ({**SHEET, "text": 5}, "text: wants what the user types"),
    "an empty text": ({"instruction": " \n", "valid_applications": ["excel"]}, "instruction: is empty"),
    "two lines": ({**SHEET, "text": "Sum\nup"}, "text: holds a line break"),
    "a tab": ({**SHEET, "text": "Sum\tup"}, "text: holds a line break, a tab"),
    "a line separator": ({**SHEET, "text": "Sum\u2028up"}, "text: holds a line break"),
    "two spaces": ({**SHEET, "text": "Sum  up"}, "text: holds two spaces in a row: write one"),
    "a brace": ({**SHEET, "text": "Sum {column} up"}, "text: holds a brace"),
    "half a character": ('{"text": "Sum \\ud83d up", "valid_applications": ["excel"]}', "text: holds half a character"),
    "no applications": ({"text": "Sum"}, "valid_applications: wants a list .* at least one"),
    "an empty list": ({**SHEET, "valid_applications": []}, "valid_applications: wants a list .* at least one"),
    "a bare name": ({**SHEET, "valid_applications": "excel"}, "valid_applications: wants a list"),
    "a misspelt name": ({**SHEET, "valid_applications": ["word", "exel"]}, r"valid_applications\[1\]: no application 'exel' .*did you mean 'excel'"),
    "a title": (
        {**SHEET, "valid_applications": ["Microsoft Excel"]},
        r"valid_applications\[0\]: 'Microsoft Excel' is what people call it: write the name, 'excel'",
    ),
    "an alias": ({**SHEET, "valid_applications": ["MS Excel"]}, r"valid_applications\[0\]: .* write the name, 'excel'"),
    "a name that is none": ({**SHEET, "valid_applications": [["excel"]]}, r"valid_applications\[0\]: wants the name"),
    "a name twice": ({**SHEET, "valid_applications": ["excel", "excel"]}, r"valid_applications\[1\]: 'excel' occurs twice"),
    "a target that is not valid": ({**SHEET, "target_application": "word"}, "target_application: 'word' is not among the valid_applications"),
    "a misspelt target": ({**SHEET, "target_application": "exel"}, "target_application: no application 'exel'"),
    "an unknown split": ({**SHEET, "split": "validation"}, "split: wants one of train, dev, test"),
    "nodes and applications": ({**CHAIN, "valid_applications": ["excel"]}, "valid_applications: belongs into each node"),
    "nodes and a target": ({**CHAIN, "target_application": "excel"}, "target_application: belongs into each node"),
    "no nodes": ({**CHAIN, "nodes": []}, "nodes: wants a list of objects"),
    "a node that is none": ({**CHAIN, "nodes": [MAIL, "excel"]}, r"nodes\[1\]: wants an object"),
    "an unknown key of a node": ({**CHAIN, "nodes": [MAIL, {**MAIL, "target": "outlook"}]}, r"nodes\[1\]\.target: unknown key 'target'"),
    "a node without applications": ({**CHAIN, "nodes": [MAIL, {}]}, r"nodes\[1\]\.valid_applications: wants a list"),
    "a node with another's target": (
        {**CHAIN, "nodes": [MAIL, {**MAIL, "target_application": "excel"}]},
        r"nodes\[1\]\.target_application: 'excel' is not among",
    ),
    "a misspelt name in a node": (
        {**CHAIN, "nodes": [MAIL, {"valid_applications": ["outlok"]}]},
        r"nodes\[1\]\.valid_applications\[0\]: .*'outlook'",
    ),
    "edges of one application": ({**SHEET, "edges": []}, "edges: edges are between nodes"),
    "no edges": ({"text": "Sum", "nodes": CHAIN["nodes"]}, "edges: is missing"),
    "edges that are none": ({**CHAIN, "edges": "0-1"}, "edges: wants a list of pairs"),
    "an edge that is none": ({**CHAIN, "edges": [[0]]}, r"edges\[0\]: wants two node numbers"),
    "an edge of names": ({**CHAIN, "edges": [["excel", "outlook"]]}, r"edges\[0\]: wants two node numbers"),
    "an edge of truths": ({**CHAIN, "edges": [[False, True]]}, r"edges\[0\]: wants two node numbers"),
    "an edge out of range": ({**CHAIN, "edges": [[0, 2]]}, r"edges\[0\]: \[0, 2\] names a node that does not exist"),
    "an edge below the range": ({**CHAIN, "edges": [[-1, 1]]}, r"edges\[0\]: \[-1, 1\] names a node that does not exist"),
    "an edge to itself": ({**CHAIN, "edges": [[1, 1]]}, r"edges\[0\]: \[1, 1\] puts a node before itself"),
    "an edge twice": ({**CHAIN, "edges": [[0, 1], [0, 1]]}, r"edges\[1\]: \[0, 1\] occurs twice"),
    "a circle": ({**CHAIN, "edges": [[0, 1], [1, 0]]}, "edges: nodes .* come before each other in a circle"),
}


def as_line(bad: str | bytes | Task) -> bytes:
    return bad if isinstance(bad, bytes) else (bad if isinstance(bad, str) else json.dumps(bad)).encode()


@pytest.mark.parametrize("kind", BAD_LINES)
def test_a_bad_line_is_one_problem_with_its_place_and_remedy(kind: str, catalog: Catalog) -> None:
    bad, reason = BAD_LINES[kind]
    good = {"text": "A good line above", "valid_applications": ["word"]}
    (problem,) = problems_of(lines([good]) + b"\n" + as_line(bad) + b"\n", catalog)
    assert re.fullmatch(f"tasks.jsonl:3: {reason}.*", str(problem)), str(problem)


def test_every_problem_of_a_file_and_of_a_line_is_said_at_once(catalog: Catalog) -> None:
    problems = problems_of(b"\n".join(as_line(bad) for bad, _ in BAD_LINES.values()), catalog)
    assert {problem.line for problem in problems} == set(range(1, len(BAD_LINES) + 1))
    several = {"txt": "Sum", "instruction": "Sum  up", "valid_applications": ["exel"], "target_application": "wrd", "split": "all"}
    fields = ["instruction", "split", "target_application", "txt", "valid_applications[0]"]
    assert [problem.field for problem in problems_of(lines([several]), catalog)] == fields


def test_the_same_text_twice_names_the_line_that_has_it(catalog: Catalog) -> None:
    problems = problems_of(lines([SHEET, {**CHAIN, "text": "sum up the Second column "}, SHEET]), catalog)
    assert [str(problem) for problem in problems] == [
        f"tasks.jsonl:{line}: text: is the text of line 1, except for case and spacing: write every text only once" for line in (2, 3)
    ]


def test_a_file_that_is_no_such_file_is_said(catalog: Catalog) -> None:
    for empty in (b"", b"\r\n\n"):
        (problem,) = problems_of(empty, catalog)
        assert str(problem).startswith("tasks.jsonl:1: file: holds no task")
    mark, edge = problems_of(b"\xef\xbb\xbf" + lines([SHEET, {**CHAIN, "edges": [[0, 5]]}]), catalog)
    assert str(mark) == "tasks.jsonl:1: file: starts with a byte order mark: save it as UTF-8 without one"
    assert edge.line == 2, "what stands after the mark is read all the same"
    assert problems_of(lines([SHEET]).decode().encode("utf-16"), catalog)[0].reason.startswith("not UTF-8 at byte 1")


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.floats() | st.text(max_size=4) | st.sampled_from(["excel", "Excel", "test", "outlook"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["valid_applications", "target_application", "x"]), inner, max_size=2)
    ),
    max_leaves=12,
)
ANY_TASK = st.dictionaries(st.sampled_from(["text", "instruction", "valid_applications", "target_application", "nodes", "edges", "split"]), ANYTHING)


@settings(deadline=None, max_examples=300)
@given(st.lists(ANY_TASK.map(json.dumps).map(str.encode) | st.binary(max_size=30), max_size=4))
def test_whatever_stands_in_a_file_is_read_or_refused(catalog: Catalog, content: list[bytes]) -> None:
    try:
        tasks = read(b"\n".join(content), catalog)
    except BadInput as refused:
        assert refused.problems
    else:
        assert tasks and all(task["text"] and task["nodes"] for task in tasks)


TARGETS = st.lists(st.sampled_from(["excel", "word", "outlook", "chrome", "google_search"]), min_size=1, unique=True)


@settings(deadline=None, max_examples=100)
@given(st.lists(TARGETS, min_size=1, max_size=5), st.data())
def test_sound_graphs_are_read_as_they_stand(catalog: Catalog, valid: list[list[str]], draw: st.DataObject) -> None:
    pairs = [(i, j) for i in range(len(valid)) for j in range(i + 1, len(valid))]
    edges = draw.draw(st.permutations(draw.draw(st.lists(st.sampled_from(pairs), unique=True)))) if pairs else []
    line = {"text": "Do it all", "nodes": [{"valid_applications": names} for names in valid], "edges": [list(edge) for edge in edges]}
    (task,) = read(lines([line]), catalog)
    assert [(edge["source"], edge["target"]) for edge in task["edges"]] == sorted(edges)
    assert [(node["target_application"], sorted(node["valid_applications"])) for node in task["nodes"]] == [
        (names[0], sorted(names)) for names in valid
    ]
    chain = [(number, number + 1) for number in range(len(valid) - 1)]
    expected = "singleton" if len(valid) == 1 else "sequential" if sorted(edges) == chain else "parallel"
    assert shape_of(task["edges"], len(task["nodes"])) == expected
