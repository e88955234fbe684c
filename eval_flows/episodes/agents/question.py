"""What an agent asks of the process that holds the model's client, and what it is told. Both travel between processes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from language_models.chat import Answer, Request

NoAnswer = Literal["model failed", "out of time"]


@dataclass(frozen=True)
class Question:
    """A request, and the seconds of the model's time that the episode has left."""

    request: Request
    seconds: float


@dataclass(frozen=True)
class Told:
    """The answer and the seconds that the model took; `status` and `why` say what became of the question where there is no answer."""

    answer: Answer
    seconds: float
    status: NoAnswer | None = None
    why: str = ""


Ask = Callable[[Question], Told]
