"""The environment for Gymnasium: `deskmill/Desktop-v0`, registered by importing this module.

The action space is text in the language of the action space, because a language model writes it, and because it holds every action. Its samples are
actions that can be carried out, so an agent that acts at random does act. An agent of reinforcement learning chooses numbers: the wrapper
`PointerActions` has such a space, and `gymnasium.wrappers.FilterObservation` leaves the screenshot alone.
"""

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from atomic_tasks.problems import BadInput
from eval_flows.episodes.environment import Observation
from eval_flows.episodes.environment.stage import Start
from eval_flows.episodes.serving.suite_environment import open_environment
from machines.errors import MachineNeeds
from machines.telling import told
from warehouse.layout import DataFolder

try:
    import gymnasium
    from gymnasium import spaces
except ModuleNotFoundError as error:
    raise MachineNeeds("the Gymnasium environment needs the package gymnasium: pip install 'deskmill[gym]'") from error

Info = dict[str, Any]
ID = "deskmill/Desktop-v0"
CLICKS = ("move", "single_click", "double_click", "right_click", "drag")
KEYS = (
    *("enter", "escape", "tab", "shift+tab", "space", "backspace", "delete", "up", "down", "left", "right", "home", "end", "pageup", "pagedown"),
    *("ctrl+a", "ctrl+c", "ctrl+v", "ctrl+x", "ctrl+s", "ctrl+z", "ctrl+end", "alt+f4", *"abcdefghijklmnopqrstuvwxyz0123456789.,-/="),
)
_PRESS, _WORDS = "press", ("WAIT", "DONE", "FAIL")
KINDS = (*CLICKS, _PRESS, *_WORDS)
_LONGEST_TEXT = 1_000_000
_ENDINGS = 2  # DONE and FAIL are the last of KINDS


class AnyText(spaces.Text):
    """Texts of any characters, not of a small set as in Gymnasium's own space."""

    def __init__(self) -> None:
        super().__init__(_LONGEST_TEXT, min_length=0)

    def contains(self, x: Any) -> bool:
        """Tell whether it is a text."""
        return isinstance(x, str) and len(x) <= self.max_length


class ActionText(AnyText):
    """Texts that an agent may write; a sample is an action that can be carried out and does not end the episode."""

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Return a random action of the pointer or the keyboard, or WAIT."""
        kind = self.np_random.integers(len(KINDS) - _ENDINGS)
        return as_text({"kind": kind, "place": self.np_random.random(2), "key": self.np_random.integers(len(KEYS))})


def pointer_space() -> spaces.Dict:
    """Return the space of actions as numbers: `kind` is one of KINDS, `place` is a share of the screen, `key` is one of KEYS."""
    place = spaces.Box(0.0, 1.0, (2,), np.float32)
    return spaces.Dict({"kind": spaces.Discrete(len(KINDS)), "place": place, "key": spaces.Discrete(len(KEYS))})


def as_text(chosen: Mapping[str, Any]) -> str:
    """Return an action of the pointer space in the language of the action space."""
    kind = KINDS[int(chosen["kind"])]
    if kind in _WORDS:
        return kind
    if kind == _PRESS:
        return f"computer.keyboard.press(key={KEYS[int(chosen['key'])]!r})"
    x, y = (round(float(share), 4) for share in chosen["place"])
    if kind == "drag":
        return f"computer.mouse.drag(x={x}, y={y})"
    return f"computer.mouse.move_abs(x={x}, y={y})" + ("" if kind == "move" else f"\ncomputer.mouse.{kind}()")


class DesktopEnv(gymnasium.Env[dict[str, Any], str]):
    """The desktop of a suite. The reward comes at the end of an episode, for the state that it has reached; before the end it is 0.

    An observation has the screen as RGB (`screenshot`: height x width x 3, uint8) and texts: `instruction`, `elements` as models are told them,
    `windows` (a title a line, lowest first), `clipboard`, and `feedback` on the last action. `info` names the episode; at its end it holds
    whether it is a success, the checks and the side effects. `observation` of the unwrapped environment has the elements and windows as objects.
    A fault of the machine is raised as `MachineError`: it is no outcome of the episode.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 1}  # noqa: RUF012 (as Gymnasium declares it)

    def __init__(
        self,
        suite: str = "smoke",
        machine: str = "sandbox",
        machine_options: Mapping[str, str] | None = None,
        start: Start = "preloaded",
        render_mode: str | None = None,
    ) -> None:
        """Take the name of a suite and the kind of machine; images are in the data folder. The machine starts with the first reset."""
        self.render_mode = render_mode
        self._start: Start = start
        self._played = open_environment(suite, machine, machine_options, DataFolder.from_environment())
        width, height = self._played.screen
        texts = {name: AnyText() for name in ("instruction", "elements", "windows", "clipboard", "feedback")}
        self.observation_space = spaces.Dict({"screenshot": spaces.Box(0, 255, (height, width, 3), np.uint8), **texts})
        self.action_space = ActionText()
        self.observation: Observation | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], Info]:
        """Set an episode up: the one that `options` names (`{"episode": number or id}`), or one that is drawn."""
        super().reset(seed=seed)
        asked = dict(options or {})
        drawn = int(self.np_random.integers(len(self._played.tasks)))
        episode = asked.pop("episode", drawn)
        if asked:
            raise BadInput(f"reset has no option {', '.join(map(repr, asked))}; it has 'episode'")
        self.observation = self._played.reset(episode, self._start)
        return self._shown(), self._info()

    def step(self, action: str) -> tuple[dict[str, Any], float, bool, bool, Info]:
        """Carry out an action. DONE and FAIL terminate the episode; it is truncated when its budget of steps is used up."""
        self.observation = self._played.step(action)
        end = self._played.end
        if end is None:
            return self._shown(), 0.0, False, False, self._info()
        reward = self._played.evaluate()
        checks = [{"check": dict(one.entry), "got": repr(one.got), "holds": one.holds} for one in reward.checked]
        judged = {"is_success": reward.is_success, "by_checks": reward.by_checks, "checks": checks, "side_effects": list(reward.side_effects)}
        info = {**self._info(), **judged}
        return self._shown(), reward.value, end != "out of steps", end == "out of steps", info

    def render(self) -> NDArray[np.uint8] | None:
        """Return the screen as RGB, for the render mode `rgb_array`."""
        return self._screen() if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Stop the machine."""
        self._played.close()

    def _screen(self) -> NDArray[np.uint8]:
        assert self.observation is not None and self.observation.screenshot is not None
        return np.array(Image.open(io.BytesIO(self.observation.screenshot)).convert("RGB"), np.uint8)

    def _shown(self) -> dict[str, Any]:
        assert self.observation is not None
        return {
            "screenshot": self._screen(),
            "instruction": self._played.task.instruction,
            "elements": told(self.observation.elements, self.observation.windows, self._played.screen).text,
            "windows": "\n".join(window.title for window in self.observation.windows),
            "clipboard": self.observation.clipboard or "",
            "feedback": self.observation.feedback,
        }

    def _info(self) -> Info:
        task = self._played.task
        return {"episode": task.episode_id, "level": task.level, "step": self._played.steps, "steps": self._played.budget}


class PointerActions(gymnasium.ActionWrapper[dict[str, Any], dict[str, Any], str]):
    """The desktop with actions as numbers, for agents of reinforcement learning: see `pointer_space`."""

    def __init__(self, env: gymnasium.Env[dict[str, Any], str]) -> None:
        super().__init__(env)
        self.action_space = pointer_space()

    def action(self, action: dict[str, Any]) -> str:
        """Return the action as text."""
        return as_text(action)


gymnasium.register(ID, entry_point=f"{__name__}:DesktopEnv", nondeterministic=True)  # a cursor blinks, a clock goes on
