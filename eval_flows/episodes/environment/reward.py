"""The reward of an episode: its checks, how the agent ended it, and the damage that the agent did besides."""

from dataclasses import dataclass
from statistics import fmean

from eval_flows.episodes.checkers.checks import Checked, Sources, check_all, look_until, sources_of
from eval_flows.episodes.environment.desktop import Desktop
from eval_flows.episodes.environment.observation import Ending
from eval_flows.episodes.environment.side_effects.compare import side_effects
from eval_flows.episodes.environment.side_effects.home import Home, look_at_home
from eval_flows.episodes.tasks.task import Task
from machines.errors import LeftUnreadable

CHECK_SECONDS = 3.0  # an application may still be writing when the agent is done


@dataclass(frozen=True)
class Before:
    """The state of the machine before anyone works there: the sources that checks compare with, and the home folder."""

    sources: Sources
    home: Home


@dataclass(frozen=True)
class Reward:
    """The reward, and what it is made of: the share that the checks earn, every check, and the damage in words.

    The lowest share of the checks counts: of all for L1 and L2, and of those of each phase for L3, whose mean is taken. A check that is not graded
    has the share 0 or 1. Damage is a change that no step of the task allows. `ended` is how the agent ended the episode, if it did.
    """

    by_checks: float
    checked: list[Checked]
    side_effects: list[str]
    is_infeasible: bool = False
    ended: Ending | None = None

    @property
    def holds(self) -> bool:
        """Tell whether every check holds: its share reaches its threshold."""
        return all(one.holds for one in self.checked)

    @property
    def is_success(self) -> bool:
        """Tell whether the task is done: every check holds and nothing was damaged, or FAIL was right."""
        return self.value > 0 and (self.is_infeasible or self.holds)

    @property
    def value(self) -> float:
        """Return the reward from 0 to 1. FAIL earns 1 if the task is infeasible, else 0; damage earns 0 at every level.

        Damage belongs to no phase: several phases may touch the same file, and other files belong to none. Rewarding an L3 episode for its other
        phases would say that a part of the work is acceptable, but nobody who lost a file would accept it.
        """
        if self.side_effects:
            return 0.0
        if self.is_infeasible or self.ended == "FAIL":
            return float(self.is_infeasible and self.ended == "FAIL")
        return self.by_checks


def look_before(desktop: Desktop, task: Task) -> Before:
    """Return the state that the end is compared with; call it on a desktop that is set up, before anyone works there."""
    return Before(sources_of(desktop, [step.check for step in task.steps]), look_at_home(desktop, task.changes.paths, with_contents=True))


def rewarded(desktop: Desktop, task: Task, before: Before, ended: Ending | None = None, seconds: float = CHECK_SECONDS) -> Reward:
    """Judge the final state; a check that fails, and then damage, is looked at again for `seconds`.

    For L1 and L2 the checks earn their lowest share. For L3 they earn the mean of the phases, each with its lowest share.
    """
    desktop.settle(quiet=0.2, limit=5.0)
    desktop.write_settings()
    phases = [phase for phase in task.phases if any(step.check for step in phase)]
    found = check_all(desktop, [entry for phase in phases for step in phase for entry in step.check], before.sources, seconds)
    damage = _damage(desktop, task, before, seconds)
    left = iter(found)
    lowest = [min(next(left).share for step in phase for _ in step.check) for phase in phases]
    share = fmean(lowest) if task.level == "L3" and lowest else min(lowest, default=1.0)
    return Reward(share, found, damage, task.infeasible is not None, ended)


def _damage(desktop: Desktop, task: Task, before: Before, seconds: float) -> list[str]:
    """Return the side effects; if there are any, those that remain within `seconds`."""
    changes = task.changes.with_own_keys(desktop.offers.own_keys)

    def look() -> list[str]:
        try:
            home = look_at_home(desktop, changes.paths, with_contents=False)
        except LeftUnreadable as error:  # it could be listed before the agent began
            return [str(error)]
        return side_effects(before.home, home, changes, lambda path: desktop.client.file(desktop.place(path)))

    return look_until(look, lambda found: not found, seconds)
