"""Asking the model of an agent, and asking it again with less where the server refuses a request as too much."""

from collections.abc import Callable
from dataclasses import dataclass

from eval_flows.episodes.agents.agent import NoDecision, Spent
from eval_flows.episodes.agents.choice import Setting
from eval_flows.episodes.agents.context import Messages
from eval_flows.episodes.agents.question import Question
from language_models.chat import Answer, BuiltInTool, Request, Tool
from language_models.errors import Excess

Reduce = Callable[[Excess, Messages], str]
_WHY = {"request": "too long for the model's context", "picture": "a picture was too large for the server"}


@dataclass(frozen=True)
class Asked:
    """An answer, the messages that it answers, what it took, and how the messages were made less, if they were."""

    answer: Answer
    messages: Messages
    spent: Spent
    notes: tuple[str, ...]

    @property
    def pictures(self) -> tuple[bytes, ...]:
        """Return the pictures of the present step, as the model was shown them."""
        return self.messages[-1].images


class Asking:
    """Asks the model of one episode. It may take the seconds of all steps for all its answers together."""

    def __init__(self, setting: Setting, tools: tuple[Tool | BuiltInTool, ...] = ()) -> None:
        """Take the model's settings from the choice of the agent."""
        choice = setting.choice
        self._sampling = choice.sampling
        self._sample = setting.repeat  # tells repeats apart
        self._tools = tools
        self._seconds = choice.seconds_per_step * setting.task.budget
        self._ask = setting.ask

    def ask(self, messages: Callable[[], Messages], reduce: Reduce) -> Asked:
        """Return the answer to the messages; raise NoDecision if there is none.

        If they are refused as too much, `reduce` gets what was too much and the messages, and returns how the model is asked again: then they are
        made anew. If it returns no words, nothing can be left out any more.
        """
        spent, notes = Spent(), list[str]()
        while True:
            sent = messages()
            told = self._ask(Question(self._request(sent), self._seconds))
            self._seconds -= told.seconds
            spent += Spent.of(told)
            how = "" if told.excess is None else reduce(told.excess, sent)
            if told.excess is None or not how:
                break
            notes.append(f"{_WHY[told.excess]}: asked again {how}")
        asked = Asked(told.answer, sent, spent, tuple(notes))
        if told.status is not None:
            raise NoDecision(told.status, told.why, spent, asked.pictures, asked.notes)
        return asked

    def _request(self, messages: Messages) -> Request:
        sampling = self._sampling
        return Request(
            messages,
            self._tools,
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            max_tokens=sampling.most_tokens,
            sample=self._sample,
        )
