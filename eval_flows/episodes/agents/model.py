"""The agent `model`: it asks a language model, with text or with pictures, by the prompts that Windows Agent Arena describes (sections 4.1, A.2).

The model answers with reasoning and fenced blocks: a decision, the code of its actions, and memory. An answer that cannot be read is malformed:
it is counted, the agent is told, and nothing is carried out.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from eval_flows.episodes.agents.action_space import ACTION_SPACES, ActionSpace, about
from eval_flows.episodes.agents.agent import Decision, Situation, Spent
from eval_flows.episodes.agents.asking import Asked, Asking
from eval_flows.episodes.agents.asking_people import question
from eval_flows.episodes.agents.choice import Setting
from eval_flows.episodes.agents.context import Context, Messages
from eval_flows.episodes.agents.prompts import rendered
from eval_flows.episodes.environment import ASK, DONE, FAIL, WAIT
from eval_flows.episodes.environment.picture import in_form
from language_models.chat import Message
from language_models.errors import Excess
from machines.actions import MalformedAction
from machines.client import Window

_ALONE = {action.name: action for action in (WAIT, DONE, FAIL)}
_DECISIONS = ("COMMAND", *_ALONE)
_OF_QUESTION = re.compile(r"[ \t]*(reason|request)[ \t]*:[ \t]*(.*)", re.IGNORECASE)
_LONGEST_CLIPBOARD = 500


class ModelAgent:
    """Asks a model what to do next, each step by a question of its own. Agents that ask it otherwise derive from this one."""

    asks_a_model = True
    can_ask_people = True
    prompts = ("system", "step")  # templates

    def __init__(self, setting: Setting) -> None:
        """Take what it observes and how it acts from the choice of the agent."""
        choice = setting.choice
        self.wants = choice.observation.wants | {"clipboard"}
        self._choice = choice
        self._space = ACTION_SPACES[choice.actions]()
        self._form = setting.environment.form
        self._programs = sorted(setting.environment.offers.programs)
        self._model = Asking(setting)
        self._context = Context()

    def decide(self, situation: Situation) -> Decision:
        """Ask the model and read its answer; raise NoDecision if there is no answer. An action on an element that it was not told of is refused."""
        shown = self._choice.observation.show(situation)
        system, step = self._texts(situation, shown.text)

        def messages() -> Messages:
            question = Message("user", step, self._pictures(shown.pictures, situation))
            return Message("system", self._context.told_in(system)), *self._context.before(question)

        asked = self._model.ask(messages, self._reduce)
        self._remember(situation.number, asked)
        decision = read_decision(asked.answer.text, asked.spent, self._space, self._choice.asks_people)
        return replace(decision, elements=shown.elements, pictures=asked.pictures, notes=asked.notes)

    def _pictures(self, shown: Sequence[bytes], situation: Situation) -> tuple[bytes, ...]:
        """Return the files that the model gets for the pictures that its observation shows."""
        return tuple(file for picture in shown for file in self._in_form(picture, situation))

    def _reduce(self, excess: Excess, refused: Messages) -> str:
        """Show less, since messages were refused as too much, and return how the model is asked again; empty if nothing can be left out."""
        return self._context.reduce(excess, refused)

    def _remember(self, number: int, asked: Asked) -> None:
        """Keep what a later question repeats of this step."""

    def _in_form(self, picture: bytes, situation: Situation) -> tuple[bytes, ...]:
        """Return a picture of the whole screen in the form of the run: the same files as those of the observation that it is from."""
        for seen in (situation.before, situation.observation):
            if seen is not None and seen.pictures and picture == seen.screenshot:
                return seen.pictures
        return in_form(picture, self._form, situation.observation.pointer)

    def _texts(self, situation: Situation, shown: str) -> tuple[str, str]:
        """Return the texts of the system and of this step."""
        seen = situation.observation
        step = rendered(
            self.prompts[1],
            instruction=situation.instruction,
            number=situation.number,
            budget=situation.budget,
            memory=situation.memory,
            history=situation.history,
            feedback=seen.feedback,
            printed=seen.printed,
            has_changed=seen.has_changed is not False or situation.before is None,
            is_still=seen.is_still,
            people=situation.people,
            windows=[_title(window) for window in seen.windows],
            front=next((_title(window) for window in seen.windows if window.is_active), ""),
            clipboard=(seen.clipboard or "")[:_LONGEST_CLIPBOARD],
            shown=shown,
        )
        system = rendered(
            self.prompts[0],
            instruction=situation.instruction,
            budget=situation.budget,
            reflexion=self._choice.prompt == "reflexion",
            asks_people=self._choice.asks_people,
            observed=[*self._choice.observation.about, *(self._form.told(situation.screen) if "screenshot" in self.wants else ())],
            about=about(self._space, situation.screen),
            language=self._space.language,
            actions=self._space.told(self._programs),
            example=self._space.example,
            sees="screenshot" in self.wants,
        )
        return system, step


def read_decision(text: str, spent: Spent, space: ActionSpace, asks_people: bool = False) -> Decision:
    """Return the decision in a model's answer; malformed if it holds no decision, or no action that can be read.

    Several blocks of code or of memory are read as one, in their order. Decisions that disagree are malformed. ASK counts if it was offered.
    """
    block = re.compile(rf"```(decision|{re.escape(space.language)}|memory{'|ask' * asks_people})[ \t\r]*\n(.*?)```", re.DOTALL)
    blocks: dict[str, list[str]] = {"decision": [], space.language: [], "memory": [], "ask": []}
    for kind, content in block.findall(text):
        blocks[kind].append(content.strip())
    words, memory, code = block.sub("", text).strip(), "\n".join(blocks["memory"]), "\n".join(blocks[space.language])
    decided = list(dict.fromkeys(word for block in blocks["decision"] if (word := _word(block))))
    if len(decided) > 1:
        refused = f"the answer holds ```decision blocks that disagree ({', '.join(decided)}): write one"
        return Decision(words=words, memory=memory, spent=spent, malformed=refused)
    kind = decided[0] if decided else "COMMAND" if blocks[space.language] else ""
    if kind == ASK and asks_people:
        return _asking("\n".join(blocks["ask"]), Decision((), words, memory, spent=spent))
    if kind not in _DECISIONS:
        offered = ("COMMAND", "DONE", "FAIL", "WAIT", *([ASK] if asks_people else ()))
        return Decision(words=words, memory=memory, spent=spent, malformed=f"no ```decision block with one of {', '.join(offered)}")
    if kind != "COMMAND":
        return Decision([_ALONE[kind]], words, memory, spent=spent)
    try:
        return Decision(space.read(code), words, memory, spent=spent)
    except MalformedAction as error:
        return Decision((), words, memory, str(error), spent)


def _asking(block: str, decision: Decision) -> Decision:
    """Return the decision to ask a person, from the lines of its block."""
    told = {found[1].lower(): found[2].strip() for line in block.splitlines() if (found := _OF_QUESTION.fullmatch(line))}
    if not told.get("request"):
        return replace(decision, malformed="ASK needs an ```ask block with the lines 'reason: ...' and 'request: ...'")
    return replace(decision, actions=[question(told.get("reason", ""), told["request"])])


def _title(window: Window) -> str:
    """Return the title of a window; alerts have none."""
    return window.title or f"untitled window of {window.window_class}"


def _word(block: str) -> str:
    """Return the decision in a block: its first line that is more than a comment."""
    return next((word for line in block.splitlines() if (word := line.split("#")[0].strip().upper())), "")
