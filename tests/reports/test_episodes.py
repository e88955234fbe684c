"""Protects the pages of episodes: they open from disk with pictures and the actions on them, their numbers are those of the query shown, and what is not known is said in words."""

import html
import json
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from PIL import Image

from reports.exhibits import declared
from reports.report import write_report
from tests.reports.test_report import EXHIBITS, HREF, QUERY, opened
from tests.warehouse.episode_rows import FAULT, episode_row, step_row, write_run, write_suite
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import answer

Row = dict[str, Any]
QUERIES = Path("reports/queries")


def picture(folder: Path, row: Row, number: int) -> Path:
    path = folder / "trajectories" / f"{row['episode_id']}_{row['repeat']}" / f"{number:03}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (1280, 800), (40, 90, 140)).save(path)
    return path


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    """A bare run of five kinds of outcomes, one of them over two applications, and a run where everything was a fault."""
    folder = DataFolder(tmp_path_factory.mktemp("episodes"))
    bare: Row = {"agent": "clicker", "start": "bare"}
    missed = [{"check": '{"text": "Documents/a.txt"}', "got": "'<script>alert(1)</script>'", "holds": False}]
    done = episode_row(
        "mixed", "done", **bare, first_application="mousepad", is_valid_choice=True, steps=2, input_tokens=900, output_tokens=40, cost_usd=0.02
    )
    half = episode_row(
        "mixed",
        "half",
        **bare,
        first_application="thunar",
        is_valid_choice=False,
        steps=1,
        level="L3",
        reward=0.5,
        checks=missed,
        applications=["mousepad", "gimp"],
    )
    rows = [
        done, half,
        episode_row("mixed", "done", 2, **bare, reward=0.0, instruction="<script>alert(2)</script>", status="out of steps", side_effects=["Documents/<old>.txt deleted"]),
        episode_row("mixed", "never", **bare, level="L2", application="gimp", discipline="Art & Design", infeasible="no such menu", status="failed by agent", checks=[]),
        episode_row("mixed", "lost", **bare, application="gimp", discipline="Art & Design", **FAULT),
    ]  # fmt: skip
    steps = [
        step_row(done, 1, actions=["move_abs(x=0.25, y=0.5)", "single_click()"], pointer_x=320, pointer_y=400, words="the field is there", memory="pears",
                 calls=["call1"], input_tokens=900, output_tokens=40, cost_usd=0.02),
        step_row(done, 2, decision="DONE", actions=[], feedback="press() lacks a key", printed="a < b", notes=["an older picture did not fit"]),
        step_row(half, 1),
    ]  # fmt: skip
    run = write_run(folder, rows, steps)
    for number in (1, 2):
        picture(run, done, number)
    picture(run, half, 2)  # that of step 1 is gone
    write_run(folder, [episode_row("faulty", name, **FAULT) for name in "ab"], started_at="2026-05-02T08:00:00+00:00")
    write_suite(folder, "smoke", [
        {"episode_id": "done", "difficulty": "hard", "subfield": "physics", "oracle_lines": 20, "oracle_seconds": 9.5},
        {"episode_id": "never", "level": "L2", "infeasible": "no such menu", "oracle_lines": 0, "subfield": "art", "discipline": "Art & Design", "applications": ["gimp"]},
        {"episode_id": "half", "oracle_lines": 6, "oracle_seconds": 2.5},
    ])  # fmt: skip
    load_warehouse(folder)
    write_report(folder)
    return folder


def pages_of(data: DataFolder) -> list[Path]:
    return sorted((data.report / "episodes").rglob("*.html"))


def page(data: DataFolder, path: str) -> str:
    return (data.report / "episodes" / path).read_text()


def test_there_is_a_page_for_every_run_and_episode(data: DataFolder) -> None:
    found = {path.relative_to(data.report / "episodes").as_posix() for path in pages_of(data)}
    assert found == {"index.html", "mixed.html", "faulty.html", "faulty/a_1.html", "faulty/b_1.html", "mixed/lost_1.html",
                     "mixed/done_1.html", "mixed/done_2.html", "mixed/half_1.html", "mixed/never_1.html"}  # fmt: skip
    assert 'aria-current="page">Episodes' in page(data, "index.html")


def test_links_and_pictures_lead_to_files(data: DataFolder) -> None:
    pictures = 0
    for path in pages_of(data):
        for address in HREF.findall(path.read_text()):
            if not address.startswith(("data:", "#")):
                target = (path.parent / unquote(address.split("#")[0])).resolve()
                assert target.is_file(), f"{path.relative_to(data.report)}: {address}"
                pictures += target.is_relative_to(data.runs)
    assert pictures == 2 + 2, "two steps with a picture, and two cards"


@pytest.mark.rotates
@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (400, "dark")])
def test_every_page_opens_from_disk_without_errors(data: DataFolder, browser: Any, width: int, scheme: str) -> None:
    for path in pages_of(data):
        shown, wrong = opened(browser, path, width, scheme)
        assert wrong == [], path.name
        assert shown.locator("h1").count() == 1 and shown.locator("nav [aria-current]").count() == 1
        assert shown.evaluate("document.documentElement.scrollWidth") <= width, f"{path.name} must not scroll sideways as a whole"
        assert shown.locator(".table:not([tabindex])").count() == 0
        shown.close()


@pytest.mark.browser
@pytest.mark.parametrize("width", [1200, 400])
def test_the_action_is_drawn_on_the_picture_where_it_landed(data: DataFolder, browser: Any, width: int) -> None:
    shown, _ = opened(browser, data.report / "episodes" / "mixed" / "done_1.html", width, "light")
    before = shown.locator("#step-1 .screen").bounding_box()
    shown.locator("#step-1 img").scroll_into_view_if_needed()
    shown.wait_for_function("document.querySelector('#step-1 img').naturalWidth === 1280")
    screen, ring = (shown.locator(f"#step-1 {part}").bounding_box() for part in (".screen img", ".ring"))
    after = shown.locator("#step-1 .screen").bounding_box()
    assert (before["width"], before["height"]) == (after["width"], after["height"]), "nothing jumps when a picture comes"
    at = [(ring[axis] + ring[size] / 2 - screen[axis]) / screen[size] for axis, size in (("x", "width"), ("y", "height"))]
    assert at == pytest.approx([320 / 1280, 400 / 800], abs=0.01)
    assert shown.locator("#step-2 .ring").count() == 0
    assert shown.locator("#step-1 .actions li").all_text_contents() == ["move_abs(x=0.25, y=0.5)", "single_click()"]


@pytest.mark.browser
def test_the_contact_sheet_is_filtered_and_its_address_keeps_the_filters(data: DataFolder, browser: Any) -> None:
    shown, wrong = opened(browser, data.report / "episodes" / "mixed.html", 1200, "light")
    cards = shown.locator(".sheet > li:visible")
    assert cards.count() == 5 and shown.locator("#sheet-count").text_content() == "5 of 5 shown"
    shown.locator("[name=application]").select_option("gimp")
    assert cards.count() == 2
    shown.locator("[name=outcome]").select_option("fault")
    assert cards.count() == 1 and "lost" in cards.first.text_content() and shown.url.endswith("#application=gimp&outcome=fault")
    again, _ = opened(browser, data.report / "episodes" / "mixed.html", 1200, "light")
    again.goto(shown.url)
    assert again.locator("#sheet-count").text_content() == "1 of 5 shown"
    shown.locator("[name=outcome]").select_option("")
    shown.locator("[name=level]").select_option("L3")
    assert cards.count() == 0 and wrong == []
    shown.locator("[name=level]").select_option("")
    shown.locator("[name=application]").select_option("")
    shown.locator("[name=difficulty]").select_option("hard")
    assert cards.count() == 2 and "hard, physics" in cards.first.text_content()
    shown.locator("[name=difficulty]").select_option("")
    shown.locator("[name=subfield]").select_option("art")
    assert cards.count() == 1 and "no such" not in cards.first.text_content()


@pytest.mark.browser
def test_a_picture_that_is_removed_later_is_said_to_be_gone(data: DataFolder, browser: Any) -> None:
    path = data.runs / "mixed" / "trajectories" / "done_1" / "002.png"
    kept = path.read_bytes()
    path.unlink()
    try:
        shown, _ = opened(browser, data.report / "episodes" / "mixed" / "done_1.html", 1200, "light")
        shown.locator("#step-2").scroll_into_view_if_needed()
        shown.wait_for_selector("#step-2 .gone")
        assert shown.locator("#step-2 .gone").text_content() == "The picture is gone." and shown.locator("#step-1 img").count() == 1
    finally:
        path.write_bytes(kept)


@pytest.mark.browser
def test_numbers_are_those_of_the_query_that_is_shown(data: DataFolder, browser: Any) -> None:
    seen = set()
    for path in (data.report / "episodes" / name for name in ("index.html", "mixed.html", "faulty.html")):
        shown, _ = opened(browser, path, 1200, "light")
        for exhibit in shown.evaluate(EXHIBITS):
            rows = json.loads(answer(data.warehouse, exhibit["query"], "json"))
            columns = declared()[exhibit["name"]].columns
            if not columns:
                continue  # a figure
            if exhibit["name"] == "suite_run_faults":
                assert [cells[-1] for cells in exhibit["rows"]] == [row["fault"] for row in rows]
            elif all(column.form != "date" for column in columns):
                texts = [[" ".join(f"{column.text(row)} {column.interval_text(row)}".split()) for column in columns] for row in rows]
                assert [cells[: len(columns)] for cells in exhibit["rows"]] == texts, exhibit["name"]
            seen.add(exhibit["name"])
    assert {
        "episode_runs",
        "episode_table_2",
        "episode_table_3",
        "episode_table_4",
        "episode_osworld",
        "episode_applications",
        "episode_repeats",
        "episode_costs",
        "suite_run_slices",
    } <= seen


def test_an_episode_has_the_rows_of_the_query_that_it_shows(data: DataFolder) -> None:
    for name, cells in (("done_1", 2), ("half_1", 1), ("never_1", 0), ("lost_1", 0)):
        text = page(data, f"mixed/{name}.html")
        facts, *steps = (json.loads(answer(data.warehouse, html.unescape(query), "json")) for query in QUERY.findall(text))
        assert [f"{row['episode_id']}_{row['repeat']}" for row in facts] == [name]
        assert text.count('<article class="step"') == sum(map(len, steps)) == cells


def test_queries_can_be_pasted_between_double_quotes(data: DataFolder) -> None:
    for path in pages_of(data):
        queries = QUERY.findall(path.read_text())
        assert len(queries) == path.read_text().count("<summary>Query</summary>") > 0, path.name
        assert not any(set('"$`\\!') & set(query.replace("&#39;", "'")) for query in queries), path.name


def test_published_figures_are_marked_as_theirs(data: DataFolder) -> None:
    text = page(data, "index.html")
    theirs = [line for line in text.splitlines() if line.startswith('<tr class="theirs">')]
    assert len(theirs) == 5 + 16 + 33 + 2 and "Claude 4 Computer Use" in text and ">0.244<" in text and ">0.195<" in text
    assert not any("mixed.html" in line for line in theirs)


def test_suites_are_counted_in_the_shape_of_table_2(data: DataFolder) -> None:
    rows = {
        (row["suite"], row["level"]): row for row in json.loads(answer(data.warehouse, QUERIES.joinpath("episode_table_2.sql").read_text(), "json"))
    }
    whole, first = rows["smoke", "all"], rows["smoke", "L1"]
    assert (whole["tasks"], whole["infeasible"], whole["hard"], whole["applications"], whole["disciplines"], whole["subfields"]) == (3, 1, 1, 2, 2, 2)
    assert (first["tasks"], first["mean_steps"], first["least_steps"], first["most_steps"], first["mean_seconds"]) == (2, 13, 6, 20, 6)
    assert abs(first["share"] - 2 / 3) < 1e-9 and abs(rows["ProSoftArena", "L1"]["share"] - 0.578) < 0.001
    assert (rows["ProSoftArena", "all"]["tasks"], rows["ProSoftArena", "L3"]["mean_steps"], rows["ProSoftArena", "L4"]["mean_steps"]) == (
        436,
        86.9,
        None,
    )


def test_success_by_application_is_drawn_for_both_levels(data: DataFolder) -> None:
    text = page(data, "index.html")
    assert text.count('class="exhibit episode_figure_5"') == 2
    assert (data.report / "figures" / "episode_figure_5-L1.svg").is_file() and "clicker on smoke, bare" in text


def test_an_application_has_a_column_in_page_and_latex(data: DataFolder) -> None:
    assert '<th scope="col" class="number">gimp</th>' in page(data, "index.html")
    latex = (data.report / "tables" / "episode_applications.tex").read_text()
    assert "suite & agent & start & overall & gimp & mousepad" in latex and "---" in latex


def test_an_episode_says_what_was_seen_said_and_told(data: DataFolder) -> None:
    text = page(data, "mixed/done_1.html")
    for words in ("the field is there", "<b>Noted:</b> pears", "<b>It was told:</b> press() lacks a key", "<pre>a &lt; b</pre>", "an older picture did not fit", "mousepad, valid", "900 tokens in, 40 out, 0.0200 dollars",
                  "2 of at most 35", "bare: an empty desktop", "&#39;pears&#39;", 'href="done_2.html">Next episode'):  # fmt: skip
        assert words in text, words
    assert "None: all other files are as they were" in text
    damaged = page(data, "mixed/done_2.html")
    assert "Damage: the agent changed" in damaged and "<li>Documents/&lt;old&gt;.txt deleted</li>" in damaged
    half = page(data, "mixed/half_1.html")
    assert "The picture of this step is gone." in half and "thunar, not valid" in half and "mousepad, gimp" in half and "reward 0.500" in half
    never = page(data, "mixed/never_1.html")
    assert "no such menu; the right end is FAIL" in never and "No check was made in the end" in never and "none was opened" in never
    assert "No steps of this episode were kept" in never


def test_what_is_not_known_is_never_a_silent_zero(data: DataFolder) -> None:
    lost = page(data, "mixed/lost_1.html")
    assert (
        "A fault of the infrastructure" in lost
        and "GuestSilent" in lost
        and "reward" not in lost
        and "No check was made: the infrastructure failed" in lost
        and "Side effects were not checked" in lost
    )
    assert "<dt>Steps</dt><dd>not known</dd>" in lost and "not known: the infrastructure failed" in lost
    text = page(data, "faulty.html")
    assert "Every episode of this run (2) was a fault of the infrastructure, so nothing is known about the agent" in text
    assert "No episode of this run was played to the end" in text and "so there is no time or cost to show" in text
    rows = answer(data.warehouse, "select success, mean_reward from episode_success where run_id = 'faulty' and slice = 'all'", "csv")
    assert rows.splitlines()[1] == ","
    assert "Every episode of the run oracle on smoke (2) was a fault" in page(data, "index.html")
    assert "1 episode was a fault of the infrastructure. It counts as such, and in no other figure" in page(data, "mixed.html")


def test_the_contact_sheet_stands_before_the_tables_of_slices(data: DataFolder) -> None:
    text = page(data, "mixed.html")
    assert text.index("<dt>Success</dt>") < text.index('<ul class="sheet">') < text.index("suite_run_slices") < text.index("suite_run_cost")


def test_texts_are_escaped(data: DataFolder) -> None:
    assert "&lt;script&gt;alert(2)" in page(data, "mixed.html") and "&lt;script&gt;alert(1)" in page(data, "mixed/half_1.html")
    assert not any("<script>alert" in path.read_text() for path in pages_of(data))


def test_without_runs_the_page_says_how_to_make_one(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    load_warehouse(data)
    write_report(data)
    assert [path.name for path in pages_of(data)] == ["index.html"] and not (data.report / "assets" / "episodes").exists()
    text = page(data, "index.html")
    assert "There are no runs of episodes yet" in text and "deskmill machine build" in text and "deskmill episodes smoke --agent oracle" in text
    assert "<table" not in text


def test_a_run_without_a_description_is_shown_with_what_is_known(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    (write_run(data, [episode_row("plain", "a")]) / "suite_run.json").unlink()
    load_warehouse(data)
    write_report(data)
    text = page(data, "plain.html")
    assert text.count("not known") == 3 and "No picture." in text
    assert "—" in page(data, "index.html")


def test_many_episodes_are_written_fast(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    rows = [episode_row("many", f"e{number:03}", steps=15) for number in range(200)]
    folder = write_run(data, rows, [step_row(row, number, words="a line of words") for row in rows for number in range(1, 16)])
    for number in range(1, 16):
        picture(folder, rows[0], number)
    load_warehouse(data)
    begun = time.process_time()
    write_report(data)
    assert len(pages_of(data)) == 202 and time.process_time() - begun < 20
