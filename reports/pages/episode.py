"""The page of one episode: the instruction, the steps of the agent with pictures of the screen, and what the checks saw."""

from collections.abc import Mapping, Sequence
from typing import Any

from reports.exhibits import Shown, declared
from reports.pictures import Picture
from reports.site import Site

Row = dict[str, Any]


_ASKED = ("episode_facts", "episode_steps")


class EpisodePages:
    """The pages of the episodes of one run; each query is asked once for all of them."""

    def __init__(self, site: Site, run_id: str) -> None:
        self._site = site
        self._answers = {name: site.ask_for_each(name, ("episode_id", "repeat"), run_id=run_id) for name in _ASKED}

    def write(self, episode: Row, screens: Mapping[int, Sequence[Picture]], beside: Mapping[str, str | None]) -> None:
        """Write episodes/<run_id>/<episode_id>_<repeat>.html. `screens` are its pictures by step; `beside` names the pages next to it."""
        key = (episode["episode_id"], str(episode["repeat"]))
        shown = {name: Shown(name, declared()[name], self._answers[name](*key), {}) for name in _ASKED}
        facts = shown["episode_facts"].answer.rows[0]
        steps = [{**step, "pictures": screens.get(step["number"], ())} for step in shown["episode_steps"].answer.rows]
        self._site.page(
            f"episodes/{episode['run_id']}/{'_'.join(key)}.html", f"Episode {episode['episode_id']}", "episode.html.j2", "Episodes",
            facts=facts, outcome=episode["outcome"], choice=_choice(facts), steps=steps, has_pictures=bool(screens), shown=shown, beside=beside,
        )  # fmt: skip


def _choice(facts: Row) -> str:
    """Return the first program that was opened on an empty desktop, and whether it can do the first phase."""
    if facts["start"] != "bare":
        return "not scored: the application was open at the start"
    if facts["fault"] is not None:
        return "not known: the infrastructure failed"
    if facts["first_application"] is None:
        return "none was opened"
    return f"{facts['first_application']}, {'valid' if facts['is_valid_choice'] else 'not valid'}"
