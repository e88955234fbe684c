"""What all getters share: mistakes of the task are told, and what is missing is not there."""

from collections.abc import Mapping
from typing import Any

import pytest

from eval_flows.episodes.osworld.getters import GETTERS, MISSING
from eval_flows.episodes.osworld.metrics import TaskError
from tests.eval_flows.episodes.osworld.getters.guests import FolderGuest, got


@pytest.mark.parametrize(
    ("name", "asked", "told"),
    [
        ("active_tab_html_parse", {"category": "smell"}, "unknown category 'smell'"),
        ("url_dashPart", {"partIndex": 0, "returnType": "xml"}, "unknown returnType 'xml'"),
        ("info_from_website", {"url": "x", "infos": [{"action": "sing", "selector": "p"}]}, "unknown action 'sing'"),
        ("vm_command_line", {}, "lack 'command'"),
    ],
)
def test_what_no_getter_understands_is_a_mistake_of_the_task(guest: FolderGuest, name: str, asked: Mapping[str, Any], told: str) -> None:
    with pytest.raises(TaskError, match=told):
        got(guest, name, **asked)


def test_what_is_missing_is_not_there() -> None:
    assert not set(MISSING) & set(GETTERS)
