"""The page of metrics and getters is that of the code, and its example holds."""

import re

from eval_flows.episodes.osworld.getters import GETTERS
from eval_flows.episodes.osworld.metrics import METRICS, MISSING
from eval_flows.episodes.osworld.metrics.document import DOCUMENT, document


def test_the_page_is_what_the_code_says() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == document(), "run python -m eval_flows.episodes.osworld.metrics.document"


def test_every_function_is_told_and_says_what_it_gives() -> None:
    rows = dict(re.findall(r"^\| `([^`]+)` \| .*?([^|]+) \|$", document(), re.MULTILINE))
    assert {*METRICS, *GETTERS} <= set(rows)
    assert all(rows[name].strip() for name in (*METRICS, *GETTERS))
    assert not set(MISSING) & set(METRICS)


def test_the_example_of_the_page_holds() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", document(), re.DOTALL)
    exec(example, {})
