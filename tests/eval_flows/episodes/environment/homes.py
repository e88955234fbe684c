"""Home folders of a few files, and the side effects that one has over another."""

from collections.abc import Mapping
from typing import Any

from eval_flows.episodes.environment.side_effects.compare import side_effects
from eval_flows.episodes.environment.side_effects.home import Entry, Home
from eval_flows.episodes.tasks.changes import Changes

Json = Mapping[str, Any]


def home(files: Mapping[str, bytes], **entries: Entry) -> Home:
    known = {name: Entry("f", "0644", len(content), "", str(hash(content))) for name, content in files.items()}
    return Home({**known, **{name.replace("__", "/"): entry for name, entry in entries.items()}}, dict(files))


def told(before: Mapping[str, bytes], after: Mapping[str, bytes], *changes: Json) -> list[str]:
    return side_effects(home(before), home(after), Changes(changes), after.get)
