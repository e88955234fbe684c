"""Protects the strict parser: names, titles and aliases count whatever their case and marks; anything more is no answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_tasks.catalog import Catalog
from atomic_tasks.pinned import candidates_of
from eval_flows.selection.parser import Names, names_of, read_graph, read_json, read_name, read_set

NAMES = Names(
    {
        "excel": ("Microsoft Excel", "MS Excel", "Sheets"),
        "notepad": ("Notepad",),
        "notepad++": ("Notepad++",),
        "battle.net": ("Battle.net",),
        "windows_subsystem_for_linux_(wsl)": ("WSL",),
        "xbox_speech-to-text_overlay": (),
        "word": ("Word",),
        "calc": ("Sheets",),
    }
)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("excel", "excel"),
        (" Excel.\n", "excel"),
        ('**"Microsoft Excel"**', "excel"),
        ("MS-Excel", "excel"),
        ("Application: excel", "excel"),
        ("The best application is: Excel.", "excel"),
        ("notepad++", "notepad++"),
        ("Notepad", "notepad"),
        ("battle.net.", "battle.net"),
        ("wsl", "windows_subsystem_for_linux_(wsl)"),
        ("Xbox Speech to Text Overlay", "xbox_speech-to-text_overlay"),
        ("excel\nBecause it has columns.", "excel"),
        ("```\nexcel\n```", "excel"),
    ],
)
def test_a_name_is_read(said: str, meant: str) -> None:
    assert read_name(said, False, NAMES) == (meant, "answered")


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        ("excel or word", "not_in_list"),
        ("I would use Excel for this", "not_in_list"),
        ("Sheets", "not_in_list"),  # two candidates are called so
        ("libreoffice", "not_in_list"),
        ("I'm sorry, but I can't help with that.", "refused"),
        ("I cannot choose an application", "refused"),
        ("I can\u2019t do that", "refused"),
    ],
)
def test_anything_else_is_no_answer_and_says_why(said: str, status: str) -> None:
    assert read_name(said, False, NAMES) == (None, status)


def test_a_truncated_answer_counts_only_by_a_line_that_was_ended() -> None:
    assert read_name("excel", True, NAMES) == (None, "truncated")
    assert read_name("note", True, NAMES) == (None, "truncated")
    assert read_name("excel\nand the reason is that", True, NAMES) == ("excel", "answered")
    assert read_name("", True, NAMES) == (None, "truncated")


def test_sets_keep_their_order_and_what_is_no_candidate() -> None:
    assert read_set("Word, excel, Lotus 1-2-3, Word", False, NAMES) == (("word", "excel", "Lotus 1-2-3"), "answered")
    assert read_set("- word\n- excel and notepad\n", False, NAMES) == (("word", "excel", "notepad"), "answered")
    assert read_set("no idea", False, NAMES) == (("no idea",), "not_in_list")
    assert read_set("word, exc", True, NAMES) == ((), "truncated")
    assert read_set("Sorry, no.", False, NAMES) == ((), "refused")


def test_json_is_read_and_nothing_is_guessed() -> None:
    assert read_json('{"application": "excel"}', False, "application", NAMES) == (("excel",), "answered")
    assert read_json('{"applications": ["word", "Excel"]}', False, "applications", NAMES) == (("word", "excel"), "answered")
    assert read_json('{"applications": []}', False, "applications", NAMES) == ((), "empty")
    assert read_json('{"application": "lotus"}', False, "application", NAMES) == (("lotus",), "not_in_list")
    assert read_json('{"application": "exc', True, "application", NAMES) == ((), "truncated")
    assert read_json("excel", False, "application", NAMES) == ((), "not_in_list")
    assert read_json("", False, "application", NAMES) == ((), "empty")


def test_graphs_are_read_with_the_edges_that_point_nowhere() -> None:
    said = '{"nodes": ["Excel", "word", "lotus"], "edges": [[0, 1], [0, 1], [2, 9], [1], ["a", 0]]} and so on'
    assert read_graph(said, False, NAMES) == (("excel", "word", "lotus"), ((0, 1), (2, 9)), "answered")
    assert read_graph('```json\n{"nodes": ["word"]}\n```', False, NAMES) == (("word",), (), "answered")
    assert read_graph('{"nodes": []}', False, NAMES)[2] == "not_in_list"
    assert read_graph("I'm sorry", False, NAMES)[2] == "refused"
    assert read_graph('{"nodes": ["wo', True, NAMES)[2] == "truncated"


@given(st.text(max_size=80), st.booleans())
def test_no_text_makes_the_parser_fail(said: str, truncated: bool) -> None:
    for read in (read_name, read_set, read_graph):
        read(said, truncated, NAMES)
    read_json(said, truncated, "application", NAMES)


def test_every_application_is_read_by_its_name_and_title(catalog: Catalog) -> None:
    candidates = catalog.candidates["windows"].applications
    names = names_of(candidates_of(catalog, "windows").values())
    for name in candidates:
        assert read_name(name, False, names) == (name, "answered")
        assert read_name(f"{catalog.applications[name].title}.", False, names) == (name, "answered")
