"""Setting the stage of an episode, and doing it by its oracle."""

from collections.abc import Sequence

from eval_flows.episodes.checkers.reward import Checked, Sources, check_all, sources_of
from eval_flows.episodes.desk import Desk
from eval_flows.episodes.episode import Episode, EpisodeStep
from eval_flows.episodes.makers import make
from eval_flows.episodes.oracle import ELEMENT_SECONDS, expanded, perform

CHECK_SECONDS = 3.0  # an application may still be writing when the agent is done


def prepare(desk: Desk, episode: Episode, bare: bool = False) -> int:
    """Make what the episode needs; unless it starts bare, open its first application with what its first steps open. How many steps that did."""
    for step in episode.steps:
        for entry in step.setup:
            make(desk.client, entry)
    if bare:
        return 0
    first = episode.steps[0]
    desk.open(first.program, first.preload or ())
    return 1 if first.preload is not None else 0


def sources(desk: Desk, episode: Episode) -> Sources:
    """What the episode's checks compare with that stands on the machine, before anyone works there."""
    return sources_of(desk, [step.check for step in episode.steps])


def steps_left(episode: Episode, done: int) -> Sequence[EpisodeStep]:
    """The steps that the agent, or the oracle, has to do."""
    return episode.steps[done:]


def do_step(desk: Desk, step: EpisodeStep, leave_out: int | None = None, seconds: float = ELEMENT_SECONDS) -> None:
    """Carry out a step by its oracle, without one of its lines if so asked. Its application is opened where no window of it is there."""
    bring_up(desk, step)
    for number, entry in enumerate(expanded(step.oracle)):
        if number != leave_out:
            perform(desk, entry, seconds)


def bring_up(desk: Desk, step: EpisodeStep) -> None:
    """Open the step's application, or bring its window to the front, unless that is what its oracle begins with."""
    if begins_by_opening(step):
        return
    mine = desk.windows_of(step.program)
    if not mine:
        desk.open(step.program)
    elif not any(window.is_active for window in mine):
        desk.client.act({"name": "switch_to_app", "window": mine[-1].title})
        desk.settle()


def begins_by_opening(step: EpisodeStep) -> bool:
    """Whether opening its program is the first thing that the oracle of a step does."""
    return bool(step.oracle) and "open_program" in step.oracle[0]


def reward(desk: Desk, episode: Episode, before: Sources, seconds: float = CHECK_SECONDS) -> tuple[float, list[Checked]]:
    """The reward of the final state, and every check: 0 or 1 for L1 and L2, the share of passed phases for L3. `before` is that of `sources`."""
    desk.settle(quiet=0.2, limit=5.0)
    desk.write_settings()
    phases = [phase for phase in episode.phases if any(step.check for step in phase)]
    found = check_all(desk, [entry for phase in phases for step in phase for entry in step.check], before, seconds)
    held = iter(found)
    by_phase = [[next(held).holds for step in phase for _ in step.check] for phase in phases]
    passed = [all(holds) for holds in by_phase]
    if episode.level == "L3" and passed:
        return sum(passed) / len(passed), found
    return float(all(passed)), found
