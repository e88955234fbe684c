"""The agent `model`: it asks a language model, with text or with pictures, by the prompts that Windows Agent Arena describes (sections 4.1, A.2).

The model answers with reasoning and fenced blocks: a decision, the code of its actions, and memory. An answer that cannot be read is malformed:
it is counted, the agent is told, and nothing is carried out.
"""

import re
from dataclasses import replace

from eval_flows.episodes.agents.action_space import ACTION_SPACES, ActionSpace
from eval_flows.episodes.agents.agent import Decision, NoDecision, Situation, Spent
from eval_flows.episodes.agents.choice import Setting
from eval_flows.episodes.agents.prompts import rendered
from eval_flows.episodes.agents.question import Question
from eval_flows.episodes.environment import DONE, FAIL, WAIT
from eval_flows.episodes.environment.picture import in_form
from language_models.chat import Request
from machines.actions import MalformedAction
from machines.client import Window

_ALONE = {action.name: action for action in (WAIT, DONE, FAIL)}
_DECISIONS = ("COMMAND", *_ALONE)
_LONGEST_CLIPBOARD = 500


class ModelAgent:
    """Asks a model what to do next."""

    def __init__(self, setting: Setting) -> None:
        """Take the model's settings from the choice of the agent; the model may take the seconds of all steps for all its answers together."""
        choice = setting.choice
        self.wants = choice.observation.wants | {"clipboard"}
        self._choice = choice
        self._space = ACTION_SPACES[choice.actions]()
        self._form = setting.environment.form
        self._programs = sorted(setting.environment.offers.programs)
        self._sample = setting.repeat  # tells repeats apart
        self._seconds = choice.seconds_per_step * setting.task.budget
        self._ask = setting.ask

    def decide(self, situation: Situation) -> Decision:
        """Ask the model and read its answer; raise NoDecision if there is no answer. An action on an element that it was not told of is refused."""
        shown = self._choice.observation.show(situation)
        pictures = tuple(file for picture in shown.pictures for file in self._in_form(picture, situation))
        told = self._ask(Question(self._request(situation, shown.text, pictures), self._seconds))
        self._seconds -= told.seconds
        answer = told.answer
        calls = (answer.call_id,) if answer.call_id else ()
        spent = Spent(answer.input_tokens, answer.output_tokens, answer.cost_usd, calls, told.seconds)
        if told.status is not None:
            raise NoDecision(told.status, told.why, spent, pictures)
        return replace(read_decision(answer.text, spent, self._space), elements=shown.elements, pictures=pictures)

    def _in_form(self, picture: bytes, situation: Situation) -> tuple[bytes, ...]:
        """Return a picture of the whole screen in the form of the run: the same files as those of the observation that it is from."""
        for seen in (situation.before, situation.observation):
            if seen is not None and seen.pictures and picture == seen.screenshot:
                return seen.pictures
        return in_form(picture, self._form, situation.observation.pointer)

    def _request(self, situation: Situation, shown: str, pictures: tuple[bytes, ...]) -> Request:
        seen, sampling = situation.observation, self._choice.sampling
        step = rendered(
            "step",
            instruction=situation.instruction,
            number=situation.number,
            budget=situation.budget,
            memory=situation.memory,
            history=situation.history,
            feedback=seen.feedback,
            has_changed=seen.has_changed is not False or situation.before is None,
            is_still=seen.is_still,
            windows=[_title(window) for window in seen.windows],
            front=next((_title(window) for window in seen.windows if window.is_active), ""),
            clipboard=(seen.clipboard or "")[:_LONGEST_CLIPBOARD],
            shown=shown,
        )
        system = rendered(
            "system",
            budget=situation.budget,
            reflexion=self._choice.prompt == "reflexion",
            observed=[*self._choice.observation.about, *(self._form.told(situation.screen) if "screenshot" in self.wants else ())],
            language=self._space.language,
            actions=self._space.told(self._programs),
            example=self._space.example,
        )
        return Request(
            system,
            step,
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            max_tokens=sampling.most_tokens,
            sample=self._sample,
            images=pictures,
        )


def read_decision(text: str, spent: Spent, space: ActionSpace) -> Decision:
    """Return the decision in a model's answer; malformed if it holds no decision, or no action that can be read.

    Several blocks of code or of memory are read as one, in their order. Decisions that disagree are malformed.
    """
    block = re.compile(rf"```(decision|{re.escape(space.language)}|memory)[ \t\r]*\n(.*?)```", re.DOTALL)
    blocks: dict[str, list[str]] = {"decision": [], space.language: [], "memory": []}
    for kind, content in block.findall(text):
        blocks[kind].append(content.strip())
    words, memory, code = block.sub("", text).strip(), "\n".join(blocks["memory"]), "\n".join(blocks[space.language])
    decided = list(dict.fromkeys(word for block in blocks["decision"] if (word := _word(block))))
    if len(decided) > 1:
        refused = f"the answer holds ```decision blocks that disagree ({', '.join(decided)}): write one"
        return Decision(words=words, memory=memory, spent=spent, malformed=refused)
    kind = decided[0] if decided else "COMMAND" if blocks[space.language] else ""
    if kind not in _DECISIONS:
        return Decision(words=words, memory=memory, spent=spent, malformed="no ```decision block with one of COMMAND, DONE, FAIL, WAIT")
    if kind != "COMMAND":
        return Decision([_ALONE[kind]], words, memory, spent=spent)
    try:
        return Decision(space.read(code), words, memory, spent=spent)
    except MalformedAction as error:
        return Decision((), words, memory, str(error), spent)


def _title(window: Window) -> str:
    """Return the title of a window; alerts have none."""
    return window.title or f"untitled window of {window.window_class}"


def _word(block: str) -> str:
    """Return the decision in a block: its first line that is more than a comment."""
    return next((word for line in block.splitlines() if (word := line.split("#")[0].strip().upper())), "")
