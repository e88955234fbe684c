"""The getters of OSWorld and Windows Agent Arena, by the `type` of a result or of what is expected."""

from collections.abc import Mapping
from types import MappingProxyType

from eval_flows.episodes.osworld.getters import arena, files, profiles, programs, rules, screen, tabs, windows
from eval_flows.episodes.osworld.getters.getter import Getter, Getters

FAMILIES = (rules, files, screen, programs, profiles, tabs, arena, windows)

GETTERS: Getters = MappingProxyType({name: getter for family in FAMILIES for name, getter in family.GETTERS.items()})
"""By the name that `type` gives: getter(guest, what the task says of it). A file is its path on the host; None if there is nothing to get.
`TaskError` if the task says something that no getter understands."""

OF_WINDOWS = frozenset(windows.GETTERS)
"""Those that only a machine with Windows can answer."""

MISSING: Mapping[str, str] = MappingProxyType(
    {
        "googledrive_file": "needs an account",
        "local_file": "reads any file of the host of the checks, which a task file must not",
        "chrome_saved_address": "is offered to no task file by OSWorld, and says of itself that it does not work",
        "gotoRecreationPage_and_get_html_content": "plays through a site of the internet",
        "number_of_search_results": "asks a site of the internet",
        "replay": "plays actions, and gives nothing",
        "are_files_sorted_by_modified_time": "Windows' own: the order of a window of its explorer",
        "is_details_view": "Windows' own: the view of a window of its explorer",
        "validate_pwa_installed": "Windows' own: its list of applications",
    }
)
"""Getters of theirs that are not here, with why."""

__all__ = ["FAMILIES", "GETTERS", "MISSING", "OF_WINDOWS", "Getter", "Getters"]
