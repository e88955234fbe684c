"""The source `changes`: the elements on the screen as lines of text, but after the first step only those that are new, changed or gone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.observation_source import Asked, Shown
from eval_flows.episodes.agents.observations.tree import ABOUT
from machines.lines import linearised
from machines.observation import Element
from machines.telling import told

_MUCH = 0.5  # share of the elements: if more are new or changed, all are told


@dataclass(frozen=True)
class Changes:
    """Tells what changed since the last step."""

    wants = frozenset[str]()
    about = (
        ABOUT,
        "After the first step you get only the elements that are new or changed, and the ids of those that are gone. All others are as before.",
    )
    content = ""

    def show(self, situation: Situation) -> Shown:
        """Return the lines about all elements in the first step, or where much changed; else about what changed."""
        seen, before = situation.observation, situation.before
        now = told(seen.elements, seen.windows, situation.screen)
        if before is None:
            return Shown(f"Elements on the screen:\n{now.text}", elements=now.elements)
        last = told(before.elements, before.windows, situation.screen)
        fresh = _fresh(now.elements, last.elements)
        if len(fresh) > _MUCH * len(now.elements):
            return Shown(f"Elements on the screen, of which most are new:\n{now.text}", elements=now.elements)
        lines = "\n".join(linearised(fresh, situation.screen)) or "none"
        gone = sorted({one.number for one in last.elements} - {one.number for one in now.elements})
        words = f"\nGone: {', '.join(map(str, gone))}" if gone else ""
        return Shown(f"Elements that are new or changed since the last step:\n{lines}{words}", elements=now.elements)


def _fresh(now: Sequence[Element], last: Iterable[Element]) -> list[Element]:
    known = {one.number: one for one in last}
    return [one for one in now if known.get(one.number) != one]


def changes(asked: Asked) -> Changes:
    """Return the source."""
    return Changes()
