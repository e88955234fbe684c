"""What all getters share: mistakes of the task are told, and what is missing is not there."""

from collections.abc import Mapping
from typing import Any

import pytest

from eval_flows.episodes.osworld.getters import GETTERS, MISSING
from eval_flows.episodes.osworld.metrics import METRICS, TaskError
from eval_flows.episodes.osworld.metrics import MISSING as MISSING_METRICS
from eval_flows.episodes.osworld.vocabulary import vocabulary
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


def test_every_name_of_the_vocabulary_is_there_or_is_missing_with_a_reason() -> None:
    """A name that is neither would make tasks not runnable without that anybody said why."""
    assert not set(MISSING) & set(GETTERS) and not set(MISSING_METRICS) & set(METRICS)
    assert set(vocabulary().getters) == {*GETTERS, *MISSING}
    assert set(vocabulary().functions) | set(METRICS) == {*METRICS, *MISSING_METRICS}
