"""Protects the catalog: its sizes are pinned, its names are the paper's, and the rule for the web holds."""

import pytest

from atomic_tasks.catalog import Catalog
from atomic_tasks.names import named_in
from atomic_tasks.schema import PLACEHOLDER, is_sentence
from atomic_tasks.validator import validate_catalog

WEB = {"bing_search", "google_search", "microsoft_edge", "chrome"}


def test_the_catalog_is_sound(catalog: Catalog) -> None:
    assert validate_catalog(catalog) == []


def test_sizes_are_pinned(catalog: Catalog) -> None:
    """A change of these numbers is a change of the product: say so in the commit."""
    assert len(catalog.applications) == 100
    assert len(catalog.categories) == 11
    assert len(catalog.tasks) == 3489
    assert len(catalog.generators) >= 100
    assert min(len(application.tasks) for application in catalog.applications.values()) >= 26


def test_candidate_lists_are_the_papers_99_names_and_those_with_google_search(catalog: Catalog) -> None:
    paper = catalog.candidates["appselectbench"].applications
    assert len(paper) == 99
    assert paper[0] == "7zip" and paper[-1] == "zoom" and "google_search" not in paper
    assert [name for name in catalog.candidates["windows"].applications if name != "google_search"] == list(paper)
    assert set(catalog.candidates["windows"].applications) == set(catalog.applications)


def test_every_task_has_three_phrasings_in_both_forms(catalog: Catalog) -> None:
    for task in catalog.tasks.values():
        assert len(task.say) >= 3
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


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ("chrome", "microsoft_edge", "browser.manage_tabs"),
        ("vlc_media_player", "windows_media_player", "video.play_file"),
        ("snipping_tool", "sharex", "screen.capture"),
        ("notepad", "notepad++", "text.find_replace"),
        ("adobe_photoshop", "gimp", "image.edit_layers"),
        ("microsoft_onenote", "obsidian", "notes.write_note"),
        ("notion", "obsidian", "notes.organize_notebook"),
        ("bing_search", "google_search", "web.search"),
        ("clipchamp", "capcut", "video.edit"),
    ],
)
def test_famous_pairs_share_what_both_can_do(catalog: Catalog, one: str, other: str, both: str) -> None:
    assert {one, other} <= set(catalog.capabilities[both].applications)
