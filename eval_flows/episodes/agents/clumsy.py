"""The agent `clumsy`: the oracle with mistakes by declared rates, so that tables and figures can be made and tested without a model.

It is a script: its figures say nothing about any agent that sees and decides. Each kind of mistake has its own stream of draws, made from the seed,
the episode and the repeat, with one draw for each line of the oracle. So the mistakes of a low rate are among those of a higher rate, and one
kind does not move the others. It looks for the elements of a line only after it has decided to do the line.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random

from pydantic import Field

from atomic_tasks.seeds import derived_random
from eval_flows.episodes.agents.agent import Decision
from eval_flows.episodes.agents.choice import Setting
from eval_flows.episodes.agents.follower import Follower
from eval_flows.episodes.agents.options import AgentOptions
from eval_flows.episodes.agents.oracle import Line, lines
from machines.actions import Action
from machines.observation import Element, marked

_PATIENCE = 4.0  # seconds that it waits for an element: after a mistake, many do not come
_MOVES, _AT_POINTER = ("move_id", "move_abs"), frozenset({"single_click", "double_click", "triple_click", "right_click", "drag"})


class ClumsyOptions(AgentOptions):
    """How often it makes which mistake."""

    wrong_clicks: float = Field(0.0, ge=0, le=1, description="share of its lines with a click whose click goes to another element")
    skipped_steps: float = Field(0.0, ge=0, le=1, description="share of its lines that it leaves out")
    stops_early: float = Field(0.0, ge=0, le=1, description="chance at each line that it says DONE instead")
    seed: int = Field(0, ge=0, description="another number makes other mistakes at the same rates")


class Mistakes:
    """Decides which mistakes are made in one episode."""

    def __init__(self, options: ClumsyOptions, *episode: str | int) -> None:
        """Draw from the seed and what names the episode and its repeat."""
        self._options = options
        self._stop, self._skip, self._miss, self._place = (derived_random("clumsy agent", kind, options.seed, *episode) for kind in range(4))

    def made(self, planned: Iterator[Line]) -> Iterator[tuple[Line, bool]]:
        """Yield the lines that are done, until it stops early, and whether a click in the line goes wrong. It looks for no elements."""
        for line in planned:
            stops, skips, misses = (stream.random() for stream in (self._stop, self._skip, self._miss))
            if stops < self._options.stops_early:
                return
            if skips >= self._options.skipped_steps:
                yield line, misses < self._options.wrong_clicks

    def missed(self, actions: Sequence[Action], elements: Sequence[Element]) -> list[Action]:
        """Return the actions with every click on another element that can be used, or at another place if there is none."""
        aimed = {number for number, (move, then) in enumerate(pairwise(actions)) if move.name in _MOVES and then.name in _AT_POINTER}
        return [_elsewhere(action, elements, self._place) if number in aimed else action for number, action in enumerate(actions)]


class Clumsy(Follower):
    """Follows the oracle and makes mistakes; after a mistake it notices nothing, and gives up where the oracle is stuck."""

    options = ClumsyOptions

    def __init__(self, setting: Setting) -> None:
        """Take the mistakes from the options, the episode and the repeat."""
        super().__init__(setting)
        self._mistakes = Mistakes(setting.options(ClumsyOptions), setting.task.episode_id, setting.repeat)

    def _worked(self) -> Iterator[Decision]:
        environment = self._environment
        planned = (line for step in environment.steps_left for line in lines(environment, step, seconds=_PATIENCE))
        for line, is_missed in self._mistakes.made(planned):
            meant = line.actions
            actions = self._mistakes.missed(meant, environment.observation.elements) if is_missed else meant
            yield Decision(actions, words=line.words if actions == meant else f"missed: {line.words}")


def _elsewhere(move: Action, elements: Sequence[Element], random: Random) -> Action:
    others = [one.number for one in marked(elements) if one.number != move.arguments.get("id")]
    if others:
        return Action("move_id", {"id": random.choice(others)})
    return Action("move_abs", {"x": random.random(), "y": random.random()})
