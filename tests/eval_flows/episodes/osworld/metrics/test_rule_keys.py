"""Keys of rules are declared: those that metrics read are known, and a misspelt one is told with its place."""

from typing import Any

import pytest

from eval_flows.episodes.osworld.getters import GETTERS
from eval_flows.episodes.osworld.metrics import METRICS
from eval_flows.episodes.osworld.metrics.rule_keys import rule_keys, strange_keys, strange_keys_of_tables
from eval_flows.episodes.osworld.metrics.tables import _OF_BOTH, _OF_ONE
from eval_flows.episodes.osworld.task_file import TaskFile, option_mistakes
from tests.eval_flows.episodes.osworld.made import task
from tests.eval_flows.episodes.osworld.metrics.test_metrics import MORE, RIGHT, WRONG

FREE = {"check_mp3_meta"}  # its keys are names of tags


def test_every_metric_with_rules_declares_its_keys() -> None:
    from inspect import signature

    known = rule_keys()
    assert {*known.rules, *known.lists, "compare_table"} <= set(METRICS) and set(known.getters) <= set(GETTERS)
    with_rules = {name for name, metric in METRICS.items() if "rules" in signature(metric).parameters}
    assert with_rules - {*known.rules, *known.lists, "compare_table", *FREE} == set()
    assert set(known.tables) == {*_OF_BOTH, *_OF_ONE, "sheet_name", "sheet_fuzzy"}


@pytest.mark.parametrize("case", sorted({*RIGHT, *WRONG, *MORE}))
def test_the_rules_that_metrics_are_tested_with_are_known(case: str, tmp_path: Any) -> None:
    name = case.split(maxsplit=1)[0]
    for number, made in enumerate((RIGHT.get(case), WRONG.get(case), MORE[case][1] if case in MORE else None)):
        if made is not None:
            (folder := tmp_path / str(number)).mkdir()
            call = made(folder)
            assert list(strange_keys(name, "rule", call.compared[-1])) == []
            if name == "compare_table":
                assert list(strange_keys_of_tables(call.options.get("rules"))) == []


@pytest.mark.parametrize(
    ("func", "rules", "told"),
    [
        ("exact_match", {"expectd": 1}, ("expectd",)),
        ("check_include_exclude", {"includes": ["a"]}, ("includes",)),
        ("check_json", {"expect": [{"key": ["a"], "metod": "eq", "ref": 1}]}, ("expect", 0, "metod")),
        ("check_accessibility_tree", [{"xpath": "//a", "tekst": "b"}], (0, "tekst")),
        ("check_accessibility_tree", {"xpat": "//a"}, (0, "xpat")),
    ],
)
def test_a_misspelt_key_is_told_with_its_place(func: str, rules: Any, told: tuple[Any, ...]) -> None:
    evaluator = {"func": func, "result": {"type": "vm_file", "path": "/a", "dest": "a"}, "expected": {"type": "rule", "rules": rules}}
    (found,) = option_mistakes(TaskFile.model_validate(task(evaluator=evaluator)), METRICS)
    assert found[0] == ("evaluator", "expected", "rules", *told) and f"{func} knows no key '{told[-1]}' of its rules; did you mean" in found[1]


def test_a_misspelt_key_of_a_table_is_told_with_its_place_among_several() -> None:
    first = task()["evaluator"]
    rules = [{"type": "sheet_fuzzy", "sheet_idx0": 0, "sheet_idx1": "EI0", "rules": [{"range": ["A1"], "type": "exact_match", "treshold": 1}]}]
    evaluator = {**{side: [first[side]] * 2 for side in ("func", "result", "expected")}, "options": [{}, {"rules": rules}]}
    ((place, _),) = option_mistakes(TaskFile.model_validate(task(evaluator=evaluator)), METRICS)
    assert place == ("evaluator", "options", 1, "rules", 0, "rules", 0, "treshold")


def test_comments_a_kind_and_what_the_getter_reads_are_known() -> None:
    rules = {"type": "id", "_comment": "x", "expected": {}, "relativeTime": {"from": "tomorrow"}, "timezone": "UTC"}
    assert list(strange_keys("check_direct_json_object", "rule_relativeTime", rules)) == []
    assert [key for _, key, _ in strange_keys("check_direct_json_object", "rule", rules)] == ["relativeTime", "timezone"]
    assert list(strange_keys("exact_match", "vm_command_line", None)) == list(strange_keys("check_json", "rule", None)) == []
