"""An agent that asks a language model, with text or with pictures, by the prompts that Windows Agent Arena describes (sections 4.1 and A.2).

The model answers with reasoning and fenced blocks: a decision, the code of its actions, and memory. An answer that cannot be read is malformed:
it is counted, the agent is told, and nothing is carried out.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

from eval_flows.episodes.agents.agent import Decision, NoDecision, Situation, Spent
from eval_flows.episodes.agents.question import Ask, Question
from eval_flows.episodes.environment import DONE, FAIL, WAIT
from language_models.chat import Request
from language_models.prompts import prompt_templates
from machines.actions import MalformedAction, read_actions
from machines.observation import Element, linearised, with_marks, worth_telling

_PROMPTS = Path(__file__).parent / "prompts"
_BLOCK = re.compile(r"```(decision|python|memory)[ \t\r]*\n(.*?)```", re.DOTALL)
_ALONE = {action.name: action for action in (WAIT, DONE, FAIL)}
_DECISIONS = ("COMMAND", *_ALONE)
_LONGEST_CLIPBOARD = 500


@dataclass(frozen=True)
class ObservationChoice:
    """The observation of an agent, in any combination of parts (ProSoftArena, Table 9), and knowledge cards to read."""

    screenshot: bool = False
    tree: bool = True
    marks: bool = False
    before: bool = False
    knowledge: str = ""

    @property
    def words(self) -> str:
        """Return its parts, joined by +."""
        parts = [name for name in ("screenshot", "tree", "marks", "before") if getattr(self, name)]
        return "+".join([*parts, *(["cards"] if self.knowledge else [])])


@dataclass(frozen=True)
class Sampling:
    """How the model samples its answers (ProSoftArena, Appendix C.2: temperature 1 and top-p 0.8), and how long they may be."""

    temperature: float = 1.0
    top_p: float = 0.8
    most_tokens: int = 1500


def prompts_hash() -> str:
    """Return a hash of the prompts for the run's identity."""
    made_from = blake2b(digest_size=8)
    for path in sorted(_PROMPTS.glob("*.j2")):
        made_from.update(path.name.encode() + path.read_bytes())
    return made_from.hexdigest()


class ModelAgent:
    """Asks a model what to do next."""

    def __init__(
        self,
        prompt: str,
        observation: ObservationChoice,
        sampling: Sampling,
        sample: int,
        screen: tuple[int, int],
        programs: Sequence[str],
        seconds: float,
        ask: Ask,
    ) -> None:
        """Make an agent whose model may take `seconds` for all its answers together; `sample` tells repeats apart."""
        self.wants = frozenset({"clipboard", *(["screenshot"] if observation.screenshot or observation.marks else [])})
        self._prompt = prompt
        self._observation = observation
        self._sampling = sampling
        self._sample = sample
        self._screen = screen
        self._programs = programs
        self._seconds = seconds
        self._ask = ask
        self._templates = prompt_templates(_PROMPTS)

    def decide(self, situation: Situation) -> Decision:
        """Ask the model and read its answer; raise NoDecision if there is no answer."""
        told = self._ask(Question(self._request(situation), self._seconds))
        self._seconds -= told.seconds
        answer = told.answer
        calls = (answer.call_id,) if answer.call_id else ()
        spent = Spent(answer.input_tokens, answer.output_tokens, answer.cost_usd, calls, told.seconds)
        if told.status is not None:
            raise NoDecision(told.status, told.why, spent)
        return replace(read_decision(answer.text, spent), elements=self._told(situation))

    def _told(self, situation: Situation) -> list[Element]:
        """Return the elements that the agent is told of; an action on any other number is refused."""
        return worth_telling(situation.observation.elements) if self._observation.tree or self._observation.marks else []

    def _request(self, situation: Situation) -> Request:
        shown, seen = self._observation, situation.observation
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
            feedback=seen.feedback,
            knowledge=shown.knowledge,
            windows=[window.title for window in seen.windows],
            front=next((window.title for window in seen.windows if window.is_active), ""),
            clipboard=(seen.clipboard or "")[:_LONGEST_CLIPBOARD],
            before=linearised(worth_telling(situation.before.elements), self._screen) if shown.before and situation.before else "",
            elements=linearised(self._told(situation), self._screen) if shown.tree or shown.marks else "",
        )
        system = self._templates.get_template("system.j2").render(**known)
        drawn = self._sampling
        return Request(
            system,
            step,
            temperature=drawn.temperature,
            top_p=drawn.top_p,
            max_tokens=drawn.most_tokens,
            sample=self._sample,
            images=self._pictures(situation),
        )

    def _pictures(self, situation: Situation) -> tuple[bytes, ...]:
        """Return the pictures of the screen: before, now, and with marks."""
        shown, pictures = self._observation, []
        if shown.before and shown.screenshot and situation.before is not None and situation.before.screenshot:
            pictures.append(situation.before.screenshot)
        if situation.observation.screenshot is not None:
            pictures += [situation.observation.screenshot] if shown.screenshot else []
            pictures += [with_marks(situation.observation.screenshot, situation.observation.elements)] if shown.marks else []
        return tuple(pictures)


def read_decision(text: str, spent: Spent) -> Decision:
    """Return the decision in a model's answer; malformed if it holds no decision, or no action that can be read.

    Several blocks of code or of memory are read as one, in their order. Decisions that disagree are malformed.
    """
    blocks: dict[str, list[str]] = {"decision": [], "python": [], "memory": []}
    for kind, content in _BLOCK.findall(text):
        blocks[kind].append(content.strip())
    words, memory, code = _BLOCK.sub("", text).strip(), "\n".join(blocks["memory"]), "\n".join(blocks["python"])
    decided = list(dict.fromkeys(word for block in blocks["decision"] if (word := _word(block))))
    if len(decided) > 1:
        refused = f"the answer holds ```decision blocks that disagree ({', '.join(decided)}): write one"
        return Decision(words=words, memory=memory, spent=spent, malformed=refused)
    kind = decided[0] if decided else "COMMAND" if blocks["python"] else ""
    if kind not in _DECISIONS:
        return Decision(words=words, memory=memory, spent=spent, malformed="no ```decision block with one of COMMAND, DONE, FAIL, WAIT")
    if kind != "COMMAND":
        return Decision([_ALONE[kind]], words, memory, spent=spent)
    try:
        return Decision(read_actions(code), words, memory, spent=spent)
    except MalformedAction as error:
        return Decision((), words, memory, str(error), spent)


def _word(block: str) -> str:
    """Return the decision in a block: its first line that is more than a comment."""
    return next((word for line in block.splitlines() if (word := line.split("#")[0].strip().upper())), "")
