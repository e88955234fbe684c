"""Setting the stage of an episode, and carrying it out by its oracle."""

from collections.abc import Sequence

from eval_flows.episodes.desk import Desk
from eval_flows.episodes.episode import Episode, EpisodeStep
from eval_flows.episodes.makers import make
from eval_flows.episodes.oracle import ELEMENT_SECONDS, expanded, perform


def prepare(desk: Desk, episode: Episode, bare: bool = False) -> int:
    """Make what the episode needs. Unless it starts bare, open its first application; return how many first steps that has done."""
    for step in episode.steps:
        for entry in step.setup:
            make(desk.client, entry)
    if bare:
        return 0
    first = episode.steps[0]
    desk.open(first.program, first.preload or ())
    return 1 if first.preload is not None else 0


def steps_left(episode: Episode, done: int) -> Sequence[EpisodeStep]:
    """Return the steps that are left for the agent or the oracle."""
    return episode.steps[done:]


def do_step(desk: Desk, step: EpisodeStep, leave_out: int | None = None, seconds: float = ELEMENT_SECONDS) -> None:
    """Carry out a step by its oracle, optionally without one of its lines. Open its application if it has no window."""
    bring_up(desk, step)
    for number, entry in enumerate(expanded(step.oracle)):
        if number != leave_out:
            perform(desk, entry, seconds)


def bring_up(desk: Desk, step: EpisodeStep) -> None:
    """Open the step's application, or bring its window to the front, unless its oracle begins with that."""
    if begins_by_opening(step):
        return
    mine = desk.windows_of(step.program)
    if not mine:
        desk.open(step.program)
    elif not any(window.is_active for window in mine):
        desk.client.act({"name": "switch_to_app", "window": mine[-1].title})
        desk.settle()


def begins_by_opening(step: EpisodeStep) -> bool:
    """Tell whether the oracle of a step begins by opening its program."""
    return bool(step.oracle) and "open_program" in step.oracle[0]
