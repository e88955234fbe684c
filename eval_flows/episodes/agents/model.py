"""An agent that asks a language model, with text or with pictures, by the prompts that Windows Agent Arena describes (sections 4.1 and A.2).

The model answers with reasoning and fenced blocks: a decision, the code of its actions, and memory. What cannot be read is malformed: it is
counted, the agent is told, and nothing is carried out.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

from eval_flows.episodes.agents.agent import Decision, Situation, Spent
from eval_flows.episodes.workers import Ask
from language_models.chat import Answer, Request
from language_models.prompts import prompt_templates
from machines.actions import MalformedAction, read_actions
from machines.observation import Element, linearised, with_marks, worth_telling

_PROMPTS = Path(__file__).parents[1] / "prompts"
_BLOCK = re.compile(r"```(decision|python|memory)[ \t\r]*\n(.*?)```", re.DOTALL)
_DECISIONS = ("COMMAND", "WAIT", "DONE", "FAIL")
_MOST_TOKENS = 1500
_LONGEST_CLIPBOARD = 500


@dataclass(frozen=True)
class ObservationChoice:
    """What an agent is shown, in any combination (ProSoftArena, Table 9), and knowledge cards to read."""

    screenshot: bool = False
    tree: bool = True
    marks: bool = False
    before: bool = False
    knowledge: str = ""

    @property
    def words(self) -> str:
        """Its parts, joined."""
        parts = [name for name in ("screenshot", "tree", "marks", "before") if getattr(self, name)]
        return "+".join([*parts, *(["cards"] if self.knowledge else [])])


def prompts_hash() -> str:
    """What the prompts are, for the run's identity."""
    made_from = blake2b(digest_size=8)
    for path in sorted(_PROMPTS.glob("*.j2")):
        made_from.update(path.name.encode() + path.read_bytes())
    return made_from.hexdigest()


class ModelAgent:
    """Asks a model what to do next."""

    def __init__(
        self, prompt: str, observation: ObservationChoice, temperature: float, sample: int, screen: tuple[int, int], programs: Sequence[str], ask: Ask
    ) -> None:
        self.wants = frozenset({"clipboard", *(["screenshot"] if observation.screenshot or observation.marks else [])})
        self._prompt = prompt
        self._observation = observation
        self._temperature = temperature
        self._sample = sample
        self._screen = screen
        self._programs = programs
        self._ask = ask
        self._templates = prompt_templates(_PROMPTS)

    def decide(self, situation: Situation) -> Decision:
        """Ask, and read what was answered. An answer that never came ends the episode as a fault of the infrastructure."""
        answer = self._ask(self._request(situation))
        if not isinstance(answer, Answer):
            raise RuntimeError(f"the model was not reached: {answer}")
        if answer.status == "failed":
            raise RuntimeError("the call to the model failed")
        spent = Spent(answer.input_tokens, answer.output_tokens, answer.cost_usd, (answer.call_id,))
        return replace(read_decision(answer.text, spent), elements=self._told(situation))

    def _told(self, situation: Situation) -> list[Element]:
        """The elements that it is told of; a number of another one is made up, and what asks for it is refused."""
        return worth_telling(situation.look.elements) if self._observation.tree or self._observation.marks else []

    def _request(self, situation: Situation) -> Request:
        shown, look = self._observation, situation.look
        known = {
            "budget": situation.budget,
            "programs": self._programs,
            "shows_screenshot": shown.screenshot or shown.marks,
            "shows_marks": shown.marks,
            "shows_tree": shown.tree,
            "reflexion": self._prompt == "reflexion",
        }
        step = self._templates.get_template("step.j2").render(
            instruction=situation.instruction,
            number=situation.number,
            budget=situation.budget,
            memory=situation.memory,
            history=situation.history,
            feedback=situation.feedback,
            knowledge=shown.knowledge,
            windows=[window.title for window in look.windows],
            front=next((window.title for window in look.windows if window.is_active), ""),
            clipboard=(look.clipboard or "")[:_LONGEST_CLIPBOARD],
            before=linearised(worth_telling(situation.before.elements), self._screen) if shown.before and situation.before else "",
            elements=linearised(self._told(situation), self._screen) if shown.tree or shown.marks else "",
        )
        system = self._templates.get_template("system.j2").render(**known)
        return Request(system, step, temperature=self._temperature, max_tokens=_MOST_TOKENS, sample=self._sample, images=self._pictures(situation))

    def _pictures(self, situation: Situation) -> tuple[bytes, ...]:
        """The screen, before and now, and with marks."""
        shown, pictures = self._observation, []
        if shown.before and shown.screenshot and situation.before is not None and situation.before.screenshot:
            pictures.append(situation.before.screenshot)
        if situation.look.screenshot is not None:
            pictures += [situation.look.screenshot] if shown.screenshot else []
            pictures += [with_marks(situation.look.screenshot, situation.look.elements)] if shown.marks else []
        return tuple(pictures)


def read_decision(text: str, spent: Spent) -> Decision:
    """What a model decided; malformed where there is no decision, or no action that can be read."""
    blocks = {kind: content.strip() for kind, content in _BLOCK.findall(text)}
    words = _BLOCK.sub("", text).strip()
    memory = blocks.get("memory", "")
    lines = [line.split("#")[0].strip().upper() for line in blocks.get("decision", "").splitlines()]
    kind = next((line for line in lines if line), "COMMAND" if "python" in blocks else "")
    if kind not in _DECISIONS:
        return Decision("WAIT", words=words, memory=memory, spent=spent, malformed="no ```decision block with one of COMMAND, DONE, FAIL, WAIT")
    if kind != "COMMAND":
        return Decision(kind, words=words, memory=memory, spent=spent)  # type: ignore[arg-type]
    try:
        return Decision("COMMAND", read_actions(blocks.get("python", "")), words=words, memory=memory, spent=spent)
    except MalformedAction as error:
        return Decision("COMMAND", words=words, memory=memory, spent=spent, malformed=str(error))
