"""Protects the catalog: its sizes are pinned, its names are the paper's, and the rule for the web holds."""

import pytest

from atomic_tasks.catalog import Catalog
from atomic_tasks.names import named_in
from atomic_tasks.schema import PLACEHOLDER, Application, is_sentence
from atomic_tasks.validator import validate_catalog

BIG = [
    "excel",
    "word",
    "powerpoint",
    "outlook",
    "microsoft_teams",
    "chrome",
    "microsoft_edge",
    "visual_studio_code",
    "file_explorer",
    "windows_settings",
    "adobe_photoshop",
    "gimp",
]
DISCIPLINES = {"Art & Design", "Business", "Science", "Health & Medicine", "Humanities & Social Science", "Technology & Engineering"}
WEB = {"bing_search", "google_search", "microsoft_edge", "chrome"}


def published(catalog: Catalog) -> list[Application]:
    """The applications of the list `windows`; those of a new list are not among them, so that a new list changes no size."""
    return [catalog.applications[name] for name in catalog.candidates["windows"].applications]


def of_platform(catalog: Catalog, platform: str) -> list[Application]:
    return [application for application in catalog.applications.values() if application.platform == platform]


def test_the_catalog_is_sound(catalog: Catalog) -> None:
    assert validate_catalog(catalog) == []


def test_sizes_are_pinned(catalog: Catalog) -> None:
    """A change of these numbers is a change of the product: say so in the commit."""
    windows = published(catalog)
    assert len(windows) == 100
    assert len(catalog.categories) == 11
    assert sum(len(application.tasks) for application in windows) == 3487
    assert len(catalog.generators) >= 100
    assert min(len(application.tasks) for application in windows) >= 26
    assert min(len(catalog.applications[name].tasks) for name in BIG) >= 50


def test_sizes_of_what_runs_on_machines_are_pinned(catalog: Catalog) -> None:
    """As above."""
    linux = of_platform(catalog, "linux")
    executable = [task for application in linux for task in application.tasks if task.oracle and not task.generic]
    infeasible = [task for application in linux for task in application.tasks if task.infeasible]
    assert (len(linux), len(executable), len(infeasible)) == (21, 192, 12)
    assert {application.discipline for application in linux} <= DISCIPLINES
    windows = [task for application in of_platform(catalog, "windows") for task in application.tasks if task.oracle]
    assert (len(windows), len([task for task in windows if not task.generic])) == (51, 47)


def test_every_task_can_be_said_with_the_name_of_its_application(catalog: Catalog) -> None:
    for application in published(catalog):
        for task in application.tasks:
            assert task.generic or len(task.named) >= 2, task.id
            assert all(named_in(PLACEHOLDER.sub("", phrasing), application) for phrasing in task.named), task.id


def test_candidate_lists_are_the_papers_99_names_and_those_with_google_search(catalog: Catalog) -> None:
    paper = catalog.candidates["appselectbench"].applications
    assert len(paper) == 99
    assert paper[0] == "7zip" and paper[-1] == "zoom" and "google_search" not in paper
    assert [name for name in catalog.candidates["windows"].applications if name != "google_search"] == list(paper)
    assert {application.platform for application in published(catalog)} == {"windows"}


def test_every_windows_application_stands_in_a_candidate_list(catalog: Catalog) -> None:
    listed = {name for entry in catalog.candidates.values() for name in entry.applications}
    assert {application.application for application in of_platform(catalog, "windows")} <= listed


def test_every_task_has_three_phrasings_in_both_forms(catalog: Catalog) -> None:
    for task in catalog.tasks.values():
        assert len((*task.say, *task.named)) >= 3
        assert {is_sentence(phrasing) for phrasing in task.say} == {True, False}, task.id


def test_no_phrasing_names_its_own_application(catalog: Catalog) -> None:
    for application in catalog.applications.values():
        for task in application.tasks:
            for phrasing in task.say:
                assert named_in(PLACEHOLDER.sub("", phrasing), application) is None, (task.id, phrasing)


def test_what_only_needs_the_web_belongs_to_all_that_reach_it(catalog: Catalog) -> None:
    for name in ("web.look_up_fact", "web.search", "web.open_page", "web.check_price", "web.get_directions", "web.check_weather"):
        assert set(catalog.capabilities[name].applications) >= WEB, name


@pytest.mark.parametrize("service", ["spotify", "netflix", "steam", "amazon", "youtube", "tiktok"])
def test_what_is_done_inside_a_service_is_no_browsers(catalog: Catalog, service: str) -> None:
    inside = [name for name in catalog.capabilities if name.startswith(f"{service}.")]
    assert inside
    for name in inside:
        assert not WEB & set(catalog.capabilities[name].applications), name


# What the two famous ones of a pair share, and what only one of them does: no acceptable application missing, and none wrong.
FAMOUS_PAIRS = [
    ("chrome", "microsoft_edge", "browser.manage_tabs browser.clear_history browser.manage_extensions browser.browse_privately browser.cast_tab",
     "chrome.play_dino_game chrome.sync_google_account", "microsoft_edge.use_collections microsoft_edge.use_ie_mode microsoft_edge.use_workspaces"),
    ("vlc_media_player", "windows_media_player", "video.play_file video.show_subtitles video.choose_audio_track music.rip_cd music.set_equalizer",
     "media.open_network_stream video.play_disc video.sync_subtitles video.convert", "music.burn_cd music.remove_from_library media.cast_file_to_device"),
    ("snipping_tool", "sharex", "screen.capture screen.record screen.record_gif screen.annotate_capture screen.extract_text screen.pick_color",
     "screen.trim_recording screen.extract_table", "image.combine_images image.split_grid screen.add_effects"),
    ("notepad", "notepad++", "text.find_replace text.change_encoding text.open text.print text.strip_formatting code.go_to_line",
     "notepad.write_with_ai notepad.keep_log_diary", "notepad_plus_plus.record_macro text.edit_column code.compare_files text.convert_line_endings"),
    ("adobe_photoshop", "gimp", "image.edit_layers image.remove_background image.retouch image.crop image.adjust_curves image.clone image.export_psd",
     "image.generative_fill image.use_smart_object image.use_artboards", "gimp.run_script gimp.save_xcf gimp.color_to_alpha"),
    ("microsoft_onenote", "notion", "notes.write_note notes.make_checklist notes.make_table notes.search_notes notes.organize_notebook",
     "onenote.ink onenote.record_with_notes onenote.protect_section", "notion.build_database notion.relate_databases notion.publish_page"),
    ("notion", "obsidian", "notes.write_note notes.make_checklist notes.make_table notes.search_notes notes.organize_notebook",
     "notion.build_database notion.write_formula notion.manage_members", "obsidian.graph obsidian.canvas obsidian.manage_vault"),
    ("microsoft_onenote", "obsidian", "notes.write_note notes.make_checklist notes.search_notes",
     "onenote.ink onenote.dock_window", "obsidian.write_markdown obsidian.daily_note"),
    ("bing_search", "google_search", "web.search web.look_up_fact web.check_weather web.convert_currency web.get_directions web.reverse_image_search",
     "bing_search.use_rewards bing_search.see_daily_photo", "google_search.see_doodle google_search.see_trends google_search.skip_ai_overview"),
    ("google_search", "chrome", "web.search web.look_up_fact web.open_page web.check_price",
     "google_search.create_alert google_search.remove_personal_info", "browser.manage_tabs browser.manage_bookmarks browser.manage_passwords"),
    ("clipchamp", "capcut", "video.edit", "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other", "both", "only_one", "only_other"), FAMOUS_PAIRS)
def test_famous_pairs_share_what_both_can_do_and_nothing_else(
    catalog: Catalog, one: str, other: str, both: str, only_one: str, only_other: str
) -> None:
    for name in both.split():
        assert {one, other} <= set(catalog.capabilities[name].applications), name
    for name in only_one.split():
        assert one in catalog.capabilities[name].applications and other not in catalog.capabilities[name].applications, name
    for name in only_other.split():
        assert other in catalog.capabilities[name].applications and one not in catalog.capabilities[name].applications, name
