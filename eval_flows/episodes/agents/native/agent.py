"""What the agents of native computer use share: the conversation, the picture of each step, and answers that are no action.

An agent of this kind acts by tools or by a format that its model was trained for. So its prompt, its action space and its observation are its own.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from atomic_tasks.problems import BadInput
from eval_flows.episodes.agents.agent import Decision, Situation
from eval_flows.episodes.agents.asking import Asked, Asking
from eval_flows.episodes.agents.asking_people import ASK_PERSON, ask_person, question
from eval_flows.episodes.agents.choice import Setting
from eval_flows.episodes.agents.context import NO_ANSWER, Context, Messages, Part
from eval_flows.episodes.agents.native.places import Places, resized, size_of
from eval_flows.episodes.agents.prompts import rendered
from eval_flows.episodes.environment import ASK, DONE, FAIL, PictureForm
from language_models.chat import Answer, BuiltInTool, Message, Tool, ToolCall
from language_models.endpoint import Endpoint, Interface
from machines.actions import Action, MalformedAction

_UNFINISHED = {"refused": "you refused to go on", "truncated": "your answer was cut off, since it was too long", "empty": "your answer was empty"}
_NOT_DONE = "not carried out: an earlier action of this step failed"
_NOT_ALONE = "nothing was done: ask a person without an action beside it"


class NativeAgent:
    """Asks its model by a conversation in which every step has one picture of the whole screen."""

    asks_a_model = True
    is_native = True
    can_ask_people = True  # by the function ask_person if it acts by tools, else in its own format
    wants = frozenset({"screenshot"})
    interface: ClassVar[Interface] = "chat"
    prompts: ClassVar[tuple[str, str]]  # templates of the rules and of a step
    tools: ClassVar[tuple[Tool | BuiltInTool, ...]] = ()
    done: ClassVar[str] = ""  # what a call that was carried out is answered

    @classmethod
    def refuse(cls, agent: str, endpoint: Endpoint, form: PictureForm) -> None:
        """Raise BadInput if the agent cannot play with the endpoint, or with pictures of the form."""
        if endpoint.interface != cls.interface:
            raise BadInput(
                f"the agent '{agent}' speaks the interface '{cls.interface}', and model '{endpoint.model}' is declared with '{endpoint.interface}': "
                f"give --interface {cls.interface}, or declare it in models.yaml"
            )
        if form.size == "tiles":
            raise BadInput(f"the agent '{agent}' points into one picture of the whole screen: leave out `tiles` of --picture")

    def __init__(self, setting: Setting) -> None:
        """Begin a conversation."""
        self._asks_people = setting.choice.asks_people
        self._model = Asking(setting, (*self.tools, ask_person()) if self._asks_people and self.tools else self.tools)
        self._context = Context()
        self._now = Part(0, (), stays=True)  # what the model is to answer: the goal, later its last answer with what came of it
        self._said: Messages = ()  # its last answer
        self._pointed = Places(*setting.environment.offers.screen)  # the picture into which its last answer points
        self._waiting: list[tuple[ToolCall, int]] = []  # calls that have no answer yet, and how many actions each has
        self._malformed = ""  # what was wrong with the last answer, if nothing of it was carried out

    def decide(self, situation: Situation) -> Decision:
        """Tell the model what came of its last step, and return what it does next; raise NoDecision if it gives no answer."""
        self._tell(situation)
        asked = self._asked(situation)
        self._now = replace(self._now, messages=asked.messages[-len(self._now.messages) :])
        answer, picture = asked.answer, asked.pictures[-1]
        self._pointed = places = self._places(picture)
        decision = Decision(words=self._words(answer), spent=asked.spent, pictures=(picture,), notes=asked.notes)
        self._said, self._waiting, self._malformed = (), [], ""
        if answer.status in _UNFINISHED:
            self._malformed = f"{_UNFINISHED[answer.status]}: {answer.text}".strip(": ")
            self._said = (Message("assistant", answer.text.strip() or NO_ANSWER),)  # two messages of the user never follow each other
            return replace(decision, malformed=self._malformed)
        self._said = (answer.message,)
        try:
            actions = self._actions(answer, places)
            if len(actions) > 1 and any(action.name == ASK for action in actions):
                raise MalformedAction(_NOT_ALONE)
            return replace(decision, actions=actions)
        except MalformedAction as error:
            self._malformed = str(error)
            self._waiting = [(call, 0) for call in answer.calls]
            return replace(decision, malformed=self._malformed)

    def _actions(self, answer: Answer, places: Places) -> Sequence[Action]:
        """Return the actions of an answer. One without calls ends the episode by its word."""
        if not answer.calls:
            return [self._ending(answer.text)]
        for call in answer.calls:
            if call.malformed:
                raise MalformedAction(f"{call.name}: {call.malformed}")
        made = [self._question(call) if self._is_question(call) else self._of_call(call, places) for call in answer.calls]
        self._waiting = [(call, len(actions)) for call, actions in zip(answer.calls, made, strict=True)]
        return [action for actions in made for action in actions]

    def _is_question(self, call: ToolCall) -> bool:
        return self._asks_people and call.name == ASK_PERSON

    def _question(self, call: ToolCall) -> list[Action]:
        return [question(call.arguments.get("reason", ""), call.arguments.get("request"))]

    def _of_call(self, call: ToolCall, places: Places) -> list[Action]:
        """Return the actions of a call of a tool."""
        raise NotImplementedError

    def _size(self, size: tuple[int, int]) -> tuple[int, int]:
        """Return the size in which the model gets a picture of that size."""
        raise NotImplementedError

    def _places(self, picture: bytes) -> Places:
        """Return the pixels in which the model points into a picture."""
        return Places(*size_of(picture))

    def _words(self, answer: Answer) -> str:
        return answer.text.strip()

    def _picture(self, situation: Situation) -> bytes:
        """Return the picture of the screen, in the form of the run, and not larger than the model takes."""
        (picture,) = situation.observation.pictures
        return resized(picture, self._size(size_of(picture)))

    def _tell(self, situation: Situation) -> None:
        """Go on with the conversation: with the goal at first, later with the answers to the calls of the last step."""
        failure = "" if self._waiting else self._malformed or situation.observation.feedback
        is_first, picture = not self._now.messages, self._picture(situation)
        parts = {"instruction": situation.instruction, "number": situation.number, "budget": situation.budget, "seen": situation.observation}
        parts |= {"people": situation.people, "asks_people": self._asks_people}
        said = rendered(self.prompts[1], **parts, failure=failure, is_first=is_first).strip()
        told = self._answers(situation, said, picture) if self._waiting else [Message("user", said, (picture,))]
        if is_first:
            self._now = replace(self._now, messages=tuple(told))
            return
        self._context.add(self._now)
        self._now = Part(situation.number - 1, (*self._said, *told))

    def _answers(self, situation: Situation, said: str, picture: bytes) -> list[Message]:
        """Return the answers to the calls of the last step: why the first failed that did, and at the last call the picture of now."""
        left = situation.observation.carried_out
        told: list[Message] = []
        failure = self._malformed or situation.observation.feedback
        for call, actions in self._waiting:
            has_failed = bool(failure) and (bool(self._malformed) or left < actions)
            done = "" if self._is_question(call) else self.done  # what the person did is said with the step
            why = (_NOT_DONE if any(one.has_failed for one in told) else failure) if has_failed else done
            told.append(Message("tool", why, answers=call.id, has_failed=has_failed))
            left -= actions
        told[-1] = replace(told[-1], text=f"{told[-1].text}\n{said}".strip(), images=(picture,))
        return told

    def _asked(self, situation: Situation) -> Asked:
        """Ask the model; raise NoDecision if there is no answer."""

        def messages() -> Messages:
            said = self._context.before(*self._now.messages)
            about = {"instruction": situation.instruction, "budget": situation.budget, "screen": situation.screen}
            about |= {"asks_people": self._asks_people}
            rules = rendered(self.prompts[0], **about, places=self._places(said[-1].images[-1])).strip()
            return Message("system", self._context.told_in(rules)), *said

        return self._model.ask(messages, self._context.reduce)

    def _ending(self, text: str) -> Action:
        """Return DONE or FAIL, the last of these words in a text without an action."""
        said = max(("DONE", "FAIL"), key=text.rfind)
        if said not in text:
            act = f"act, ask a person by {ASK_PERSON}," if self._asks_people else "act,"
            raise MalformedAction(f"nobody reads questions or reports: {act} or say DONE if the goal is reached, or FAIL if it is impossible here")
        return DONE if said == "DONE" else FAIL
