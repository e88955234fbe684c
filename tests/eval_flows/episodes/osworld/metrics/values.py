"""What metrics of values, texts, trees, code, mail and the system are given: right, and wrong."""

import json
import sqlite3
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

from tests.eval_flows.episodes.osworld.metrics.made import Call, Maker, document, given, written

_TREE = '<desktop-frame xmlns:st="https://accessibility.ubuntu.example.org/ns/state"><application name="Calc"><label name="a" st:showing="true">Total</label></application><document-frame name="Slides View"/></desktop-frame>'
_OLD_TREE = _TREE.replace("https://accessibility.ubuntu.example.org/ns/state", "uri:deskat:state.at-spi.gnome.org")
_ZONE = "Warning: set\n  Local time: Thu\nUniversal time: Thu\n  RTC time: Thu\n  Time zone: Etc/UTC (UTC, +0000)\nSystem clock synchronized: yes"
_XCU = """<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Writer/DefaultFont"><prop oor:name="Standard"><value>Times New Roman</value></prop></item>
<item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale"><value>ja-JP</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Save/Document"><prop oor:name="AutoSaveTimeIntervall"><value>3</value></prop></item>
<item oor:path="/org.openoffice.Office.Impress/Misc/Start"><prop oor:name="EnablePresenterScreen"><value>false</value></prop></item>
</oor:items>"""
_FILTERS = 'version="9"\nname="News"\nenabled="yes"\ntype="17"\naction="Move to folder"\nactionValue="mailbox://x"\ncondition="AND (subject,contains,discount)"\n'
_PREFS = '// c\nuser_pref("extensions.activeThemeID", "thunderbird-compact-dark@mozilla.org");\nuser_pref("a.n", 3);\n'
_MAIL = "From - Thu\nX-Mozilla-Status: {status}\nX-Mozilla-Keys: {keys}\nSubject: {subject}\n\nbody {subject}\n\n"


def _database(place: Path) -> Path:
    with sqlite3.connect(place) as made:
        made.execute("create table t (n)")
        made.execute("insert into t values (1)")
    made.close()
    return place


def _mbox(place: Path, *subjects: str, status: str = "0001", keys: str = "") -> Path:
    return written(place, "".join(_MAIL.format(subject=subject, status=status, keys=keys) for subject in subjects))


def _speed(folder: Path, ago: timedelta) -> Call:
    said = (datetime.now() - ago).strftime("%Y-%m-%d %H:%M")
    return given(written(folder / "speed.csv", f"id,date\n1,{said}\n"), 30)


def _json(folder: Path, value: object, name: str = "a.json") -> Path:
    return written(folder / name, json.dumps(value))


RIGHT: Mapping[str, Maker] = {
    "exact_match": lambda _: given([True, "07:00 PM"], {"expected": [True, "07:00 PM"]}),
    "match_in_list": lambda _: given("b", {"expected": ["a", "b"]}),
    "is_in_list": lambda _: given(["a", "b"], {"expected": "b"}),
    "literal_match": lambda _: given(["A", 1], ["a", "1"], type="list", ignore_case=True),
    "check_include_exclude": lambda _: given("The File Has Set Number!", {"include": ["Set"], "exclude": ["error"]}),
    "fuzzy_match": lambda _: given("kitten", {"expected": "kitten"}),
    "diff_text_file": lambda p: given(written(p / "a", "x\ny\n"), written(p / "b", "x\r\ny")),
    "check_list": lambda p: given(
        written(p / "a", "COMPANY\nCOMPANY.msf\n"), {"expect": [r"\bCOMPANY\.msf\b", r"\bCOMPANY/?(?!\.msf)"], "unexpect": ["X"]}
    ),
    "file_contains": lambda p: given(written(p / "a", "one two"), {"expected": ["one", "two"]}),
    "check_line_number": lambda p: given(written(p / "a", "12:00:01 a\nb\n23:59:60 c\n"), {"expected": "2"}),
    "compare_terminal_and_txt": lambda p: given(written(p / "a", "a\nb"), "a\nb\n"),
    "check_csv": lambda p: given(written(p / "a", "url,user\nimap://a,b\n"), {"expect": [{"user": "b"}], "unexpect": [{"user": "c"}]}),
    "check_json": lambda p: given(
        _json(p, {"a": [{"b": 5}]}),
        {"expect": [{"key": ["a", 0, "b"], "method": "range.te", "ref": [4, 5]}], "unexpect": [{"key": ["z"], "method": "eq", "ref": 1}]},
    ),
    "check_direct_json_object": lambda _: given(
        {"a": 1, "l": ["x", "y"], "more": 0}, {"expected": {"a": 1, "l": ["y", "x"], "ignore_list_order": True}}
    ),
    "is_included_all_json_objects": lambda p: given(_json(p, {"a": 1, "b": 2}), _json(p, {"a": 1}, "b.json")),
    "run_sqlite3": lambda p: given(_database(p / "a.db"), {"sql": "select count(*) from t"}),
    "compare_time_in_speedtest_results": lambda p: _speed(p, timedelta(minutes=3)),
    "compare_python_pure_text": lambda p: given(
        written(p / "a.py", "#!/usr/bin/python\nx = 1  \n\n\ty = 2\n"), written(p / "b.py", "x = 1\n    y = 2")
    ),
    "check_accessibility_tree": lambda _: given(
        _TREE, [{"xpath": "//label[@st:showing='true']", "text": "Total"}, {"selectors": ["application[name=Calc] label"]}]
    ),
    "check_left_panel": lambda _: given(_TREE),
    "check_gnome_favorite_apps": lambda _: given("['b.desktop', 'a.desktop']\n", {"expected": ["a.desktop", "b.desktop"]}),
    "is_utc_0": lambda _: given(_ZONE),
    "check_text_enlarged": lambda _: given("1.25\n"),
    "check_moved_jpgs": lambda _: given({"children": [{"name": "b.jpg"}, {"name": "a.jpg"}]}, {"expected": ["a.jpg", "b.jpg"]}),
    "is_in_vm_clickboard": lambda _: given({"expected": ["/a", "b"]}, "/a/b\n"),
    "find_default_font": lambda p: given(written(p / "r.xcu", _XCU), {"font_name": "Times New Roman"}),
    "check_libre_locale": lambda p: given(written(p / "r.xcu", _XCU), {"locale_set": ["de*", "ja*"]}),
    "check_auto_saving_time": lambda p: given(written(p / "r.xcu", _XCU), {"minutes": 3}),
    "check_presenter_console_disable": lambda p: given(written(p / "r.xcu", _XCU)),
    "check_json_settings": lambda p: given(
        written(p / "s.json", '{\n  // mine\n  "editor.wordWrapColumn": 50, /* x */\n  "u": "http://a//b",\n}'),
        {"expected": {"editor.wordWrapColumn": 50, "u": "http://a//b"}},
    ),
    "check_json_keybindings": lambda p: given(
        written(p / "k.json", '// Place\n[{"key": "ctrl+f", "command": "x"},]'), {"expected": {"key": "ctrl+f", "command": "x"}}
    ),
    "compare_text_file": lambda p: given(written(p / "a", "A  b\r\n"), written(p / "b", "a\tb"), ignore_blanks=True, ignore_case=True),
    "compare_config": lambda p: given(written(p / "a", "x"), {"expected": "x"}),
    "compare_answer": lambda _: given("x", {"expected": "x"}),
    "is_extension_installed": lambda _: given(
        "ms-python.python\nNjpwerner.autodocstring\n", {"type": "contain", "expected": "njpwerner.autodocstring"}
    ),
    "check_html_background_image": lambda p: given(
        written(p / "a.html", '<style>body{background-image:url( "b.png" );}</style>'), {"value": "b.png"}
    ),
    "compare_result_files": lambda p: given(written(p / "a", "python: 12.50 s"), written(p / "b", "12.50\n")),
    "check_thunderbird_prefs": lambda p: given(
        written(p / "prefs.js", _PREFS),
        {
            "expect": {"extensions.activeThemeID": {"method": "re.I", "ref": "DARK"}, "a.n": {"method": "ge", "ref": 3}},
            "unexpect": {"z": {"method": "eq", "ref": 1}},
        },
    ),
    "check_thunderbird_filter": lambda p: given(
        written(p / "f.dat", _FILTERS), {"expect": [{"enabled": "yes", "action": "Move to folder", "condition": ["AND (subject,contains,discount)"]}]}
    ),
    "check_thunderbird_folder": lambda p: given(
        _mbox(p / "a", "one", "two", "one", keys="x"), _mbox(p / "b", "two", "one", status="0003"), ignore_status=True, ignore_keys=True
    ),
    "fuzzy_place_math": lambda p: given(document(p / "a.docx", "alpha beta", "gamma"), {"expected": ["alpha", "beta", "gamma", "delta"]}),
}

WRONG: Mapping[str, Maker] = {
    "exact_match": lambda _: given("True", {"expected": True}),
    "match_in_list": lambda _: given("c", {"expected": ["a", "b"]}),
    "is_in_list": lambda _: given(["a"], {"expected": "b"}),
    "literal_match": lambda _: given(["a"], ["b"], type="list"),
    "check_include_exclude": lambda _: given("error: Set", {"include": ["Set"], "exclude": ["error"]}),
    "fuzzy_match": lambda _: given("abc", {"expected": "xyz"}),
    "diff_text_file": lambda p: given(written(p / "a", "x"), written(p / "b", "y")),
    "check_list": lambda p: given(written(p / "a", "COMPANY.msf\n"), {"expect": [r"\bUNIVERSITY\b"]}),
    "file_contains": lambda p: given(written(p / "a", "one"), {"expected": ["one", "two"]}),
    "check_line_number": lambda p: given(written(p / "a", "25:00:01 a\n"), {"expected": "1"}),
    "compare_terminal_and_txt": lambda p: given(written(p / "a", "a"), "b"),
    "check_csv": lambda p: given(written(p / "a", "url,user\nimap://a,b\n"), {"unexpect": [{"url": "imap://a", "user": "b"}]}),
    "check_json": lambda p: given(_json(p, {"a": []}), {"expect": [{"key": ["a", 0], "method": "eq", "ref": 1}]}),
    "check_direct_json_object": lambda _: given("{'a': 'it'}", {"expected": {"a": "other"}}),
    "is_included_all_json_objects": lambda p: given(_json(p, {}), _json(p, {"a": 1}, "b.json")),
    "run_sqlite3": lambda p: given(_database(p / "a.db"), {"sql": "select n from t where n = 2"}),
    "compare_time_in_speedtest_results": lambda p: _speed(p, timedelta(hours=2)),
    "compare_python_pure_text": lambda p: given(written(p / "a.py", "x = 1"), written(p / "b.py", "x = 2")),
    "check_accessibility_tree": lambda _: given(_TREE, [{"xpath": "//label", "text": "Sum"}]),
    "check_left_panel": lambda _: given("<desktop-frame/>"),
    "check_gnome_favorite_apps": lambda _: given("['a', 'b', 'b']", {"expected": ["a", "b", "c"]}),
    "is_utc_0": lambda _: given(_ZONE.replace("UTC, +0000", "CET, +0100")),
    "check_text_enlarged": lambda _: given("1.0\n"),
    "check_moved_jpgs": lambda _: given({"children": [{"name": "a.jpg"}]}, {"expected": ["a.jpg", "b.jpg"]}),
    "is_in_vm_clickboard": lambda _: given({"expected": "/a"}, "b"),
    "find_default_font": lambda p: given(written(p / "r.xcu", _XCU), {"font_name": "Arial"}),
    "check_libre_locale": lambda p: given(written(p / "r.xcu", _XCU), {"locale_set": ["en*"]}),
    "check_auto_saving_time": lambda p: given(written(p / "r.xcu", _XCU), {"minutes": 10}),
    "check_presenter_console_disable": lambda p: given(written(p / "r.xcu", _XCU.replace("false", "true"))),
    "check_json_settings": lambda p: given(written(p / "s.json", '{"a": 1}'), {"expected": {"a": 2}}),
    "check_json_keybindings": lambda p: given(written(p / "k.json", "[]"), {"expected": {"key": "ctrl+f"}}),
    "compare_text_file": lambda p: given(written(p / "a", "A"), written(p / "b", "a")),
    "compare_config": lambda p: given(written(p / "a", "x\n"), {"expected": "x"}),
    "compare_answer": lambda _: given("", {"expected": ""}),
    "is_extension_installed": lambda _: given("a.b-extra\n", {"type": "contain", "expected": "a.b"}),
    "check_html_background_image": lambda p: given(written(p / "a.html", "<style>body{background-image:url(c.png)}</style>"), {"value": "b.png"}),
    "compare_result_files": lambda p: given(written(p / "a", "112.50"), written(p / "b", "12.50")),
    "check_thunderbird_prefs": lambda p: given(written(p / "prefs.js", _PREFS), {"expect": {"missing": {"method": "eq", "ref": 1}}}),
    "check_thunderbird_filter": lambda p: given(written(p / "f.dat", _FILTERS), {"unexpect": [{"name": "News"}]}),
    "check_thunderbird_folder": lambda p: given(_mbox(p / "a", "one", "two", status="0009"), _mbox(p / "b", "one")),
    "fuzzy_place_math": lambda p: given(document(p / "a.docx", "alpha beta"), {"expected": ["alpha", "beta"]}),
}

MORE: Mapping[str, tuple[float, Maker]] = {
    "check_accessibility_tree in an older form": (1.0, lambda _: given(_OLD_TREE, {"xpath": "//label[@st:showing='true']"})),
    "check_accessibility_tree alike": (0.6, lambda _: given(_TREE, {"xpath": "//label", "text": "Totem", "exact": False})),
    "check_direct_json_object with an apostrophe": (1.0, lambda _: given('{"a": "it\'s"}', {"expected": {"a": "it's"}})),
    "check_direct_json_object of Python": (1.0, lambda _: given("{'a': True}", {"expected": {"a": True}})),
    "check_direct_json_object in result": (
        1.0,
        lambda _: given({"a": "red car", "b": ["x"]}, {"expect_in_result": True, "expected": {"a": "car", "b": ["y", "x"]}}),
    ),
    "check_direct_json_object not found by theirs": (0.0, lambda _: given({"a": 1}, {"expected": {"a": "__EVALUATION_FAILED__"}})),
    "check_json of YAML": (
        1.0,
        lambda p: given(written(p / "a.yaml", "a: 1.04"), {"expect": [{"key": ["a"], "method": "approx:0.1", "ref": 1}]}, is_yaml=True),
    ),
    "is_extension_installed of a failed command": (0.0, lambda _: given("", {"type": "not_contain", "expected": "a.b"})),
    "is_extension_installed without": (1.0, lambda _: given("c.d\n", {"type": "not_contain", "expected": "a.b"})),
    "compare_result_files of equal numbers": (1.0, lambda p: given(written(p / "a", "2.0"), written(p / "b", "2"))),
    "compare_result_files of texts": (1.0, lambda p: given(written(p / "a", "abc\n"), written(p / "b", "abc"))),
    "check_thunderbird_folder without deleted mail": (
        1.0,
        lambda p: given([_mbox(p / "a", "one", status="0009"), _mbox(p / "c", "x")], [written(p / "b", ""), _mbox(p / "d", "x")]),
    ),
    "fuzzy_match half": (0.5, lambda _: given("ab", {"expected": "bc"})),
    "diff_text_file half": (0.5, lambda p: given(written(p / "a", "x\ny"), written(p / "b", "x\nz"))),
}
